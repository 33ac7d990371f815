import type { PrinterReason } from '#labels'
import type { FoundPrinter } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import {
  GROUPS,
  type IppGroup,
  readFirst,
  readNumber,
  readText,
  readTexts,
} from '../../ipp/message.ts'
import { quote } from '../../quote.ts'
import { OPERATIONS, type SentAttribute, type SpoolerLine, STATUS } from './ipp-client.ts'

/** A CUPS queue as it is now. */
export interface CupsQueue {
  readonly name: string
  /** A class hands its jobs to one of several printers. */
  readonly isClass: boolean
  /** False while somebody stopped it (`cupsdisable`), or after a failure that stopped it. */
  readonly isRunning: boolean
  /** False after `cupsreject`. */
  readonly isAccepting: boolean
  readonly reasons: readonly PrinterReason[]
  /** Device URI that CUPS sends the bytes to. */
  readonly deviceUri: string
  /** Make and model of its driver; CUPS calls a queue without one "Local Raw Printer". */
  readonly makeAndModel: string
}

const MOST_QUEUES = 1_000
const STOPPED = 5 // printer-state (RFC 8011, 5.4.11)
const NO_MODEL = /^local raw printer$/i

const QUEUE_ATTRIBUTES = [
  'printer-name',
  'printer-type',
  'printer-state',
  'printer-state-reasons',
  'printer-is-accepting-jobs',
  'printer-make-and-model',
  'device-uri',
]
const IS_CLASS = 0x1 // bit of printer-type ("CUPS Implementation of IPP")

/** CUPS's words, without -error, -warning and -report behind them, in ours. */
const REASONS: readonly (readonly [RegExp, PrinterReason])[] = [
  [/^media-(empty|needed)/, 'media-empty'],
  [/^media-jam/, 'media-jam'],
  [/^(cover|door)-open/, 'cover-open'],
  [/^marker-supply-empty/, 'marker-supply-empty'],
  [/^(offline|connecting-to-device|timed-out|shutdown)/, 'offline'],
  [/^(paused|moving-to-paused)/, 'paused'],
]

/** Translates the state reasons of a queue; what does not keep a label from printing is left out. */
export function translateReasons(words: readonly string[]): readonly PrinterReason[] {
  const found = words.flatMap((word) => REASONS.filter(([is]) => is.test(word)))
  return [...new Set(found.map(([, reason]) => reason))]
}

/** Path of the queue in CUPS, e.g. `/printers/Zebra`. */
export function makeQueuePath(name: string, isClass: boolean): string {
  return `/${isClass ? 'classes' : 'printers'}/${encodeURIComponent(name)}`
}

/** The attributes that name the queue and who asks. */
export function nameQueue(path: string): readonly SentAttribute[] {
  return [{ name: 'printer-uri', tag: 'uri', values: [`ipp://localhost${path}`] }, REQUESTER]
}

/** CUPS lets the owner of a job cancel it; the owner is who made it under this name. */
export const REQUESTER: SentAttribute = {
  name: 'requesting-user-name',
  tag: 'name',
  values: ['platen'],
}

/** Selects the attributes of the answer. */
export function wantAttributes(names: readonly string[]): SentAttribute {
  return { name: 'requested-attributes', tag: 'keyword', values: names }
}

/**
 * Reads a queue, or undefined when CUPS has none of this name.
 * @throws PrinterFault PRINTER_OFFLINE
 */
export async function readQueue(
  line: SpoolerLine,
  path: string,
  signal: AbortSignal,
): Promise<CupsQueue | undefined> {
  const question = {
    path,
    operation: OPERATIONS.getPrinterAttributes,
    attributes: [...nameQueue(path), wantAttributes(QUEUE_ATTRIBUTES)],
  }
  const { status, groups } = await line.ask(question, signal)
  if (status === STATUS.notFound) return undefined
  const group = groups.find(({ tag }) => tag === GROUPS.printer)
  if (status >= STATUS.firstFailure || group === undefined) throw explainRefusal(path, status)
  return describeQueue(group)
}

/**
 * Every queue and class of this computer.
 * @throws PrinterFault PRINTER_OFFLINE
 */
export async function readQueues(
  line: SpoolerLine,
  signal: AbortSignal,
): Promise<readonly CupsQueue[]> {
  const question = {
    path: '/',
    operation: OPERATIONS.cupsGetPrinters,
    attributes: [REQUESTER, wantAttributes(QUEUE_ATTRIBUTES)],
  }
  const { status, groups } = await line.ask(question, signal)
  if (status === STATUS.notFound) return [] // so CUPS says that it has no queues
  if (status >= STATUS.firstFailure) throw explainRefusal('its list of queues', status)
  const queues = groups.filter(({ tag }) => tag === GROUPS.printer).map(describeQueue)
  return queues.filter(({ name }) => name !== '').slice(0, MOST_QUEUES)
}

/** A queue as discovery shows it. */
export function presentQueue(queue: CupsQueue): FoundPrinter {
  const { name, isClass, deviceUri, makeAndModel } = queue
  const behind = tidyDeviceUri(deviceUri)
  const path = makeQueuePath(name, isClass)
  return {
    uri: `ipp://localhost${path}`,
    name,
    makeAndModel: NO_MODEL.test(makeAndModel) ? '' : makeAndModel,
    ...(behind === undefined ? {} : { behind }),
    ...(queue.isAccepting ? {} : { hindrance: explainRejecting(name) }),
  }
}

/** A sentence for a queue that takes no jobs. */
export function explainRejecting(name: string): string {
  return `The CUPS queue ${quote(name)} takes no jobs: ${writeCommand('cupsaccept', name)}let it accept jobs in the printer settings of this computer.`
}

/** Something to type, and an "or" behind it; nothing for a name that a shell could read as more than a name. */
export function writeCommand(command: string, name: string): string {
  return /^\w[\w.@+-]*$/.test(name) ? `type "${command} ${name}", or ` : ''
}

/**
 * CUPS names the USB interface beside the serial number, and how to treat a network printer (`?waiteof=false`), which tells
 * nothing about which printer it is.
 */
function tidyDeviceUri(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const uri = new URL(text)
  if (uri.protocol === 'socket:') uri.search = ''
  else if (uri.protocol !== 'usb:') return text
  uri.searchParams.delete('interface')
  return uri.href
}

function describeQueue(group: IppGroup): CupsQueue {
  const type = readNumber(group, 'printer-type') ?? 0
  return {
    name: readText(group, 'printer-name') ?? '',
    isClass: (type & IS_CLASS) !== 0,
    isRunning: readNumber(group, 'printer-state') !== STOPPED,
    isAccepting: readFirst(group, 'printer-is-accepting-jobs') !== false,
    reasons: translateReasons(readTexts(group, 'printer-state-reasons')),
    deviceUri: readText(group, 'device-uri') ?? '',
    makeAndModel: readText(group, 'printer-make-and-model') ?? '',
  }
}

/** CUPS said no. */
export function explainRefusal(what: string, status: number): PrinterFault {
  const code = `0x${status.toString(16).padStart(4, '0')}`
  return new PrinterFault('PRINTER_OFFLINE', `CUPS refused ${what} (IPP status ${code}).`)
}
