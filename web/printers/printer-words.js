/** @import { Printer, Words } from '../shell/shapes.js' */
import { t, tell } from '../shell/texts.js'
import { fromInches, unitWords } from '../shell/units.js'

/** A packer's words for faults of a printer (IPP printer-state-reasons, RFC 8011 5.4.12). */
const PRINTER_FAULTS = {
  'media-empty': t('outOfLabels'),
  'cover-open': t('coverOpen'),
  'marker-supply-empty': t('outOfRibbon'),
  'media-jam': t('jammed'),
  paused: t('paused'),
  offline: t('notThere'),
}

/**
 * Describes the state of a printer in words.
 * @param {Printer} printer
 * @returns {Words}
 */
export function printerWords(printer) {
  const more = {
    why: tell(printer.texts?.message, printer.message),
    todo: tell(printer.texts?.hint, printer.hint),
  }
  if (printer.state_reasons.includes('platen-not-asked')) {
    return { tone: 'wait', icon: 'wait', words: t('notAsked'), ...more }
  }
  if (printer.state === 'idle') return { tone: 'good', icon: 'check', words: t('ready'), ...more }
  if (printer.state === 'processing') {
    return { tone: 'busy', icon: 'printer', words: t('printing'), ...more }
  }
  const reason = printer.state_reasons.find((reason) => reason in PRINTER_FAULTS)
  const words =
    PRINTER_FAULTS[/** @type {keyof typeof PRINTER_FAULTS} */ (reason)] ?? t('needsPerson')
  return { tone: 'warn', icon: 'warn', words, ...more }
}

/** The marks that a printer looks for between two labels. */
const TRACKING = [
  ['gap', t('withGaps')],
  ['mark', t('withMarks')],
  ['continuous', t('withoutGaps')],
]

/**
 * Lists the known facts of a printer for one line: model, language, head, stock.
 * @param {Printer} printer
 * @returns {string[]}
 */
export function printerFacts(printer) {
  const width = printer.label_width ?? printer.media?.label_width ?? null
  const height = printer.label_height ?? printer.media?.label_height ?? null
  const size =
    width === null || height === null
      ? ''
      : t('labelsOfSize', {
          width: fromInches(width),
          height: fromInches(height),
          unit: unitWords(),
        })
  const tracking = TRACKING.find(([name]) => name === printer.media?.tracking)?.[1] ?? ''
  const facts = [
    printer.make_and_model,
    printer.language?.toUpperCase() ?? '',
    `${printer.dpi} dpi`,
    size === '' || tracking === '' ? size : `${size} ${tracking}`,
  ]
  return facts.filter((fact) => fact !== '')
}

/**
 * True when what is said of the printer asks for that.
 * @param {Printer} printer
 */
export function needsCalibrating(printer) {
  return printer.language !== null && printer.actions.includes('calibrate')
}

/** A picture that takes longer than this is worth a word. */
const SLOW_SECONDS = 15

/**
 * Says of a printer on a slow line how long a picture takes; '' for all others.
 * @param {Printer} printer
 */
export function slowWords({ picture_seconds: seconds }) {
  if (seconds === null || seconds === undefined || seconds < SLOW_SECONDS) return ''
  return seconds < 50
    ? t('slowSeconds', { n: seconds })
    : t('slowMinutes', { n: Math.round(seconds / 60) })
}
