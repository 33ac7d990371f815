import {
  charset,
  decodeMessage,
  encodeMessage,
  GROUPS,
  IppFault,
  type IppMessage,
  type IppValue,
  language,
  readText,
  readTexts,
  text,
} from '#printers'
import type { Intake } from '../../core/intake/intake.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import type { Scheduler } from '../../core/queue/scheduler.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { PlatenError } from '../../words/errors.ts'
import { ROOT } from './addresses.ts'
import { keepLarge } from './evidence.ts'
import {
  cancelJob,
  cancelMyJobs,
  getJobAttributes,
  getJobs,
  holdJob,
  releaseJob,
} from './job-operations.ts'
import { IppJobs } from './jobs.ts'
import {
  type IppAnswer,
  type IppOperation,
  LostAnswers,
  type Operation,
  type OperationParts,
} from './operation.ts'
import { closeJob, createJob, printJob, sendDocument, validate } from './print-operations.ts'
import { listShared, type SharedPrinter, type Sharer } from './printer.ts'
import { describePrinter, type IppEndpoint } from './printer-attributes.ts'
import { IppRefusal, OPERATIONS, STATUS, selectAttributes, toRefusal } from './protocol.ts'

/** The shortest time between two labels by which a printer identifies itself, in milliseconds. */
const IDENTIFY_MS = 60_000

/** The parts of printing by IPP. */
interface DialogParts {
  readonly spool: Pick<Spool, 'records' | 'history' | 'repeats' | 'commits' | 'line'>
  readonly intake: Pick<Intake, 'takeTogether' | 'forSource'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'hold' | 'release'>
  readonly printers: Pick<Printers, 'list' | 'resolve' | 'onChange'>
  readonly sharer: () => Sharer
  readonly documentBytes: () => number
  /** Prints a test label. */
  readonly identify: (printer: string, client: string) => void
  readonly isOn: () => boolean
  /** Called with bugs of ours, for the log. */
  readonly fault?: (error: unknown) => void
}

/** The place that a request reached, and its sender. */
interface IppContact {
  /** The path of the request's URL. */
  readonly path: string
  readonly place: Omit<IppEndpoint, 'startedAt' | 'changedAt' | 'now'>
  readonly client: string
  /** Takes a callback for the case that the connection ends before the answer is out. */
  readonly onLost: (lost: () => void) => void
}

/** Offers every printer of the box to print dialogs (IPP Everywhere, AirPrint). */
export class Dialogs {
  readonly #parts: DialogParts
  readonly #operations: OperationParts
  readonly #startedAt: number
  /** The time at which each printer last identified itself. */
  readonly #identified = new Map<string, number>()
  readonly #states = new Map<string, { readonly state: string; readonly at: number }>()

  constructor(parts: DialogParts) {
    this.#parts = parts
    this.#startedAt = Date.now()
    parts.printers.onChange((printer) => this.#noteState(printer))
    this.#operations = {
      jobs: new IppJobs(parts.spool),
      lostAnswers: new LostAnswers(() => performance.now()),
      intake: parts.intake,
      scheduler: parts.scheduler,
      countWaiting: (printer) => parts.spool.line.countUnfinished(printer),
      documentBytes: parts.documentBytes,
      fault: parts.fault ?? (() => undefined),
      identify: (printer, client) => this.#identify(printer, client),
    }
  }

  /** False = the settings switched it off. */
  get isOn(): boolean {
    return this.#parts.isOn()
  }

  /** Notes that a request of this client is arriving, until it is disposed of. */
  arrive(client: string): Disposable {
    return this.#operations.jobs.arrive(client)
  }

  /** Counts the jobs that wait for their document. */
  countIncoming(): number {
    return this.#operations.jobs.countIncoming()
  }

  /** Cancels all jobs that wait for their document; resolves with their number. */
  cancelIncoming(): Promise<number> {
    return this.#operations.jobs.giveUpAll('Canceled at the print server.')
  }

  /**
   * Answers one request; `body` is its attributes and the document behind them.
   * @throws PlatenError BODY_BROKEN not IPP; PRINTER_UNKNOWN no such printer
   */
  async answer(body: Uint8Array, reached: IppContact): Promise<Uint8Array> {
    const { path, place, client, onLost } = reached
    const shared = this.#find(path)
    const { message, end } = readRequest(body)
    const now = Date.now()
    const answer = await answerRequest(this.#operations, {
      message,
      shared,
      client,
      onLost,
      document: body.subarray(end),
      place: { ...place, startedAt: this.#startedAt, changedAt: this.#changedAt(shared), now },
    })
    return encodeMessage(answer)
  }

  /**
   * Keeps what came of a document that is too large to be read: CUPS 2.4 sends it again a few times and then gives up.
   * @throws PlatenError PRINTER_UNKNOWN no such printer; BODY_BROKEN its attributes have not come
   */
  async keepLarge(
    begun: Uint8Array,
    { path, client }: Pick<IppContact, 'path' | 'client'>,
    error: PlatenError,
  ): Promise<void> {
    const printer = this.#find(path).printer.name
    const { message, end } = readRequest(begun)
    const document = begun.subarray(end)
    await keepLarge(this.#operations, { printer, client }, { message, document }, error)
  }

  /** Notes the time of a new state. Printers report changes for many reasons; clients ask only about the state. */
  #noteState({ name, status }: KnownPrinter): void {
    const state = [status.state, ...status.reasons].join(' ')
    if (this.#states.get(name)?.state !== state) this.#states.set(name, { state, at: Date.now() })
  }

  #changedAt({ printer }: SharedPrinter): number {
    return this.#states.get(printer.name)?.at ?? this.#startedAt
  }

  /** Prints a label that identifies the printer, once in a while: clients ask again and again while somebody looks at their list. */
  #identify(printer: string, client: string): void {
    const last = this.#identified.get(printer) ?? Number.NEGATIVE_INFINITY
    // Not the time of day, which is set while the box runs.
    if (performance.now() - last < IDENTIFY_MS) return
    this.#parts.identify(printer, client)
    // Not when it was refused, e.g. for a full disk: it is asked for again.
    this.#identified.set(printer, performance.now())
  }

  /** Finds the printer of a path. A job's path is that of its printer, followed by its number. */
  #find(path: string): SharedPrinter {
    const { printers, sharer } = this.#parts
    const shared = listShared(printers.list(), sharer())
    const wanted = path.toLowerCase()
    // A number may be a printer's name, also of one that is gone: behind the root it is none of a job.
    const found =
      wanted === ROOT
        ? shared.find(({ printer }) => printer.name === this.#default()?.name)
        : (shared.find((one) => one.path === wanted) ??
          shared.find((one) => one.path === wanted.replace(/\/\d+$/, '')))
    if (found !== undefined) return found
    throw new PlatenError('PRINTER_UNKNOWN', `There is no printer at ${path} for print dialogs.`)
  }

  #default(): KnownPrinter | undefined {
    try {
      return this.#parts.printers.resolve(undefined)
    } catch (error) {
      if (error instanceof PlatenError) return undefined
      throw error
    }
  }
}

function readRequest(body: Uint8Array) {
  try {
    return decodeMessage(body)
  } catch (error) {
    if (!(error instanceof IppFault)) throw error
    throw new PlatenError('BODY_BROKEN', `This is no IPP request: ${error.message}.`)
  }
}

const TABLE: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OPERATIONS.getPrinterAttributes, getPrinterAttributes],
  [OPERATIONS.validateJob, (_, asked) => validate(asked).answer([])],
  [OPERATIONS.printJob, printJob],
  [OPERATIONS.createJob, createJob],
  [OPERATIONS.sendDocument, sendDocument],
  [OPERATIONS.closeJob, closeJob],
  [OPERATIONS.cancelJob, cancelJob],
  [OPERATIONS.cancelMyJobs, cancelMyJobs],
  [OPERATIONS.holdJob, holdJob],
  [OPERATIONS.releaseJob, releaseJob],
  [OPERATIONS.getJobAttributes, getJobAttributes],
  [OPERATIONS.getJobs, getJobs],
  [OPERATIONS.identifyPrinter, identifyPrinter],
])

/** Answers a request; a refusal is an answer too. */
async function answerRequest(parts: OperationParts, asked: IppOperation): Promise<IppMessage> {
  const { message } = asked
  const [major, minor] = message.version
  const version: IppMessage['version'] = major === 1 || major === 2 ? [major, minor] : [2, 0]
  const { status, groups, words } = await perform(parts, asked)
  const own = new Map<string, readonly IppValue[]>([
    ['attributes-charset', charset('utf-8')],
    ['attributes-natural-language', language('en')],
    ...(words === '' ? [] : [['status-message', text(words.slice(0, 255))] as const]),
  ])
  return {
    version,
    code: status,
    requestId: message.requestId,
    groups: [{ tag: GROUPS.operation, attributes: own }, ...groups],
  }
}

async function perform(
  parts: OperationParts,
  asked: IppOperation,
): Promise<IppAnswer & { readonly words: string }> {
  try {
    checkMessage(asked.message)
    const operation = TABLE.get(asked.message.code)
    if (operation === undefined) {
      const code = asked.message.code.toString(16)
      throw new IppRefusal('operationNotSupported', `There is no operation 0x${code} here.`)
    }
    return { ...(await operation(parts, asked)), words: '' }
  } catch (error) {
    const refusal = error instanceof PlatenError ? toRefusal(error) : error
    if (!(refusal instanceof IppRefusal)) throw error
    return { status: refusal.status, groups: [], words: refusal.message }
  }
}

/** Checks what every request must have (RFC 8011, 4.1). */
function checkMessage({ version, requestId, groups }: IppMessage): void {
  const [major, minor] = version
  if (major !== 1 && major !== 2) {
    throw new IppRefusal('versionNotSupported', `version ${major}.${minor}; wanted 1.1 or 2.0`)
  }
  if (requestId < 1) throw new IppRefusal('badRequest', `request-id ${requestId}; wanted 1 or more`)
  const [operation] = groups
  if (operation?.tag !== GROUPS.operation) {
    throw new IppRefusal('badRequest', 'wanted the operation attributes first')
  }
  if (groups.some(({ tag }, n) => tag < (groups[n - 1]?.tag ?? 0))) {
    throw new IppRefusal('badRequest', 'the groups are out of order')
  }
  const [first, second] = operation.attributes.keys()
  if (first !== 'attributes-charset' || second !== 'attributes-natural-language') {
    throw new IppRefusal(
      'badRequest',
      'wanted attributes-charset, then attributes-natural-language, first',
    )
  }
  const set = readText(operation, first)?.toLowerCase() ?? ''
  if (set !== 'utf-8' && set !== 'us-ascii') {
    throw new IppRefusal('charsetNotSupported', `charset ${set}; wanted utf-8`)
  }
  if (
    readText(operation, 'printer-uri') === undefined &&
    readText(operation, 'job-uri') === undefined
  ) {
    throw new IppRefusal('badRequest', 'wanted printer-uri or job-uri')
  }
}

function getPrinterAttributes({ countWaiting }: OperationParts, asked: IppOperation): IppAnswer {
  const { shared, place, message } = asked
  const all = describePrinter(shared, place, countWaiting(shared.printer.name))
  const wanted = readTexts(message.groups[0], 'requested-attributes')
  const attributes = selectAttributes(all, wanted)
  return { status: STATUS.ok, groups: [{ tag: GROUPS.printer, attributes }] }
}

/** Prints a label with the printer's name, as there is no screen near it. */
function identifyPrinter(
  { identify }: OperationParts,
  { shared, client }: IppOperation,
): IppAnswer {
  identify(shared.printer.name, client)
  return { status: STATUS.ok, groups: [] }
}
