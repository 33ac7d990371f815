import { type LanguageName, languages } from '../../languages/index.ts'
import { realDpi } from '../../languages/language.ts'
import type { Found } from '../device.ts'
import { parseDeviceId } from '../device-id.ts'
import { findModel, type Model, ZEBRA } from './models.ts'
import { tidyText } from './strange-words.ts'

/** What is known of a printer before anybody talks to it; undefined = unknown, so a person is asked. */
export interface Identity {
  /** For people, e.g. `Zebra LP2844`; '' when unknown. */
  readonly makeAndModel: string
  readonly language: LanguageName | undefined
  /** Of the head; Zebra's "200dpi" is 203. */
  readonly dpi: number | undefined
  /** True when `:Z64:` graphics are safe to send. */
  readonly z64: boolean | undefined
  /** Its text and bar code commands print nothing. */
  readonly rasterOnly: boolean
  /** It surely speaks none of our languages: an office, receipt or card printer. */
  readonly isOther: boolean
}

type Seen = Pick<Found, 'makeAndModel' | 'deviceId' | 'vendorId' | 'productId'>

/** Words of COMMAND SET of printers that print none of our labels: receipts, tapes, mobiles and office printers. */
const OTHER_COMMANDS =
  /^(ESC\/POS|ESCPOS|ESC\/P2?|ESCPL?2?|ESCPR\d*|CPCL|LINE_PRINT|PT-CBP|PJL|PCL.*|POSTSCRIPT.*|PS|PDF.*|URF|PWG.*|BJL|BJRASTER.*|SPL|GDI|HBP|ZJS)$/

/**
 * Make and model, language and head of a printer, from its IEEE 1284 device id, its model and its USB ids, in this
 * order. Sources: LPrint 1.4 (lprint-*.c), CUPS 2.4 (backend/ieee1284.c), device ids of real printers.
 */
export function identify(found: Seen): Identity {
  const id = parseDeviceId(found.deviceId ?? '')
  const make = (id?.manufacturer ?? '').replace(/^Zebra Technologies$/i, 'Zebra')
  const rawModel = id?.model || found.makeAndModel.replace(/^(USB )?printer$/i, '')
  const words = (id?.commands ?? []).map((word) => word.toUpperCase())
  const known = findModel({ ...found, make, model: rawModel })
  const { language, isOther } = readLanguage(words, known)
  const isZebra = /\bzebra\b|^ztc\b/i.test(`${make} ${rawModel} ${found.makeAndModel}`)
  return {
    makeAndModel: joinNames(make, stripModel(rawModel)) || known.makeAndModel || '',
    language,
    dpi: readDpi(rawModel) ?? known.dpi,
    z64: language === 'zpl' && (isZebra || found.vendorId === ZEBRA) ? true : undefined,
    rasterOnly: words.includes('XPP') || known.rasterOnly === true,
    isOther,
  }
}

function readLanguage(
  words: readonly string[],
  known: Model,
): Pick<Identity, 'language' | 'isOther'> {
  const language = languages.find(({ commandSets }) =>
    commandSets.some((word) => words.includes(word)),
  )?.name
  if (language !== undefined) return { language, isOther: false }
  // What it says of itself counts more than its name: a Zebra ZQ110 prints receipts.
  if (known.isOther === true || words.some((word) => OTHER_COMMANDS.test(word))) {
    return { language: undefined, isOther: true }
  }
  return { language: known.language, isOther: false }
}

/** `ZTC GC420d-200dpi (EPL)` is a GC420d with a 203 dpi head and EPL firmware. */
function stripModel(model: string): string {
  return model
    .replace(/^ZTC\s+/i, '')
    .replace(/-\d{3}\s?dpi\b/i, '')
    .replace(/\s*(\((EPL|ZPL)\)|\b(EPL|ZPL))\s*$/i, '')
    .trim()
}

function readDpi(model: string): number | undefined {
  const dpi = Number(/-(\d{3})\s?dpi\b/i.exec(model)?.[1] ?? 0)
  return dpi >= 100 ? realDpi(dpi) : undefined
}

/** The maker once: `HP` and `HP KE103` are `HP KE103`; a maker named `Printer` tells nobody anything. */
function joinNames(make: string, model: string): string {
  const isTold = make === '' || model.toLowerCase().includes(make.toLowerCase())
  return tidyText(isTold ? model : `${make} ${model}`)
}
