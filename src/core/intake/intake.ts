import { isPicture } from '#labels'
import { isAbort, TimeLimit, WaitingLine } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, say } from '../../words/say.ts'
import { dayText, hasEnded, type Job, type PrintOptions } from '../job.ts'
import type { Printers } from '../printers/registry.ts'
import type { KnownPrinter } from '../printers/status.ts'
import type { Scheduler } from '../queue/scheduler.ts'
import { blameLabel, findCutLabel } from '../reasons/held-label.ts'
import { refuseWithdrawn } from '../reasons/refusals.ts'
import { checkJobs, checkOptions } from '../request/field-values.ts'
import type { Spool } from '../spool/spool.ts'
import type { OtherMove, Repeat } from '../spool/types.ts'
import {
  checkLabel,
  checkLabels,
  checkRequest,
  checkSpoken,
  type FirstLook,
  fingerprint,
  isLarge,
  type LabelFindings,
  lookInSteps,
  type PdfLister,
  type RepeatKey,
  readKey,
  readPdfs,
  scanLarge,
  scanPacked,
  UNSEEN,
} from './checks.ts'
import { LookLine } from './look-line.ts'
import {
  ForgottenKeys,
  type MessageIntake,
  type MessageIntakeParts,
  openMessageIntake,
} from './message-intake.ts'
import type { LabelItem, MoveCount, MoveRule, Origin } from './new-jobs.ts'
import { checkDuplicate, checkMove, makeJobs, moveWaiting } from './new-jobs.ts'
import { checkHeldRoom, makeParked } from './parked.ts'
import {
  checkReprint,
  giveAway,
  optionsNow,
  refuseSecond,
  reprintOnce,
  type Wish,
} from './reprint.ts'
import {
  type CommandPolicy,
  DailyWords,
  type DocumentRequest,
  Endings,
  type LabelRequest,
  type RequestReceipt,
} from './requests.ts'

/** Time for all PDFs of a request; the client waits for at most 120 s (`socketIdleMs`), and must not send them again before that. */
const PDFS_MS = 60_000

/** Longest wait of a request until its labels are looked at. */
const LOOKS_MS = 20_000

/** If unpacking makes a request grow by more than this, it waits its turn and is scanned in slices. */
const GROWN_BYTES = 2 ** 20
const UNPACKING = { atOnce: 1, waiting: 16, waitMs: 20_000 }

/** The parts of the intake. */
export interface IntakeParts {
  readonly spool: Spool
  readonly printers: Pick<Printers, 'resolve' | 'list' | 'onChange'>
  /** Lists the labels of a PDF. */
  readonly pdfs: PdfLister
  /** Called when a printer has new jobs. */
  readonly scheduler: Pick<Scheduler, 'wake'>
  /** Seconds after which a job without its own `expireAfter` expires; undefined = never. Asked at every request. */
  readonly expireAfter?: () => number | undefined
  /** The treatment of commands that change the printer itself, where the request does not say; default `warn`. */
  readonly commands?: () => CommandPolicy
  /** Milliseconds within which the same label again is held; undefined = never. Asked at every request. */
  readonly duplicateWindowMs?: () => number | undefined
  /** Name of the way that labels of this source come, for people; left out: the name of the source. */
  readonly nameWay?: (source: string) => string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Called with our own faults, for the log. */
  readonly fault?: (error: unknown) => void
}

/** The one intake of labels: checks first, then one transaction, then the scheduler. */
export class Intake {
  readonly #parts: IntakeParts
  readonly #messageParts: MessageIntakeParts
  readonly #endings: Endings
  readonly #daily = new DailyWords()
  /** Turns for labels that become much larger when they are unpacked: one request at a time. */
  readonly #unpacked = new WaitingLine(UNPACKING, () => {
    return new PlatenError('SERVER_BUSY', say('manyPacked'))
  })

  /** Turns for labels that are large or packed, or not labels at all. */
  readonly #looks = new LookLine(LOOKS_MS)

  constructor(parts: IntakeParts) {
    this.#parts = parts
    const accept = (request: LabelRequest, key: string | undefined, told: PrintOptions) =>
      this.#takeSoon(request, key === undefined ? undefined : { key }, told)
    const park = (error: PlatenError, ...[request, key, told]: Parameters<typeof accept>) =>
      this.#orBlame(() => this.#park(error, request, key === undefined ? undefined : { key }, told))
    const nameWay = (source: string) => parts.nameWay?.(source) ?? source
    this.#messageParts = {
      ...parts,
      accept,
      park,
      nameWay,
      forgotten: new ForgottenKeys(parts.spool.repeats),
    }
    this.#endings = new Endings(parts.spool)
  }

  /**
   * Takes all labels or none, in a commit of their own; they are on disk when it returns.
   * @throws PlatenError LABEL_*, PICTURE_*, PRINTER_UNKNOWN, PRINTER_AMBIGUOUS, PRINTER_NONE, PRINTER_LANGUAGE,
   * IDEMPOTENCY_CONFLICT, SPOOL_FULL, SPOOL_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
   */
  takeAlone(request: LabelRequest): RequestReceipt {
    const { idempotencyKey, sender } = request
    const { request: own, ...seen } = toEnd(lookInSteps(request))
    return this.#prepare(own, readKey(idempotencyKey, sender), undefined, { ...UNSEEN, ...seen })()
  }

  /**
   * Takes all labels or none, in one commit with those of other requests; they are on disk when it resolves.
   * @throws PlatenError as `takeAlone`, SERVER_BUSY
   */
  takeTogether(request: LabelRequest): Promise<RequestReceipt> {
    const { idempotencyKey, sender } = request
    return this.#takeSoon(request, readKey(idempotencyKey, sender))
  }

  /**
   * Takes one document. A test label may also go to a printer of unknown language.
   * @throws PlatenError PRINTER_*, IDEMPOTENCY_CONFLICT, SPOOL_FULL, SPOOL_BROKEN, FIELD_INVALID
   */
  acceptDocument(request: DocumentRequest): RequestReceipt {
    const { format, body, options, title = '' } = request
    checkOptions(options)
    const key = readKey(request.idempotencyKey, request.sender)
    const repeat =
      key === undefined ? undefined : { ...key, fingerprint: fingerprint(format, [body], options) }
    return (
      this.#known(repeat) ??
      this.#add(
        this.#parts.printers.resolve(options.printer),
        [{ format, label: body, title, warning: NOTHING, held: undefined }],
        request,
        repeat,
      )
    )
  }

  /**
   * Makes a new job from the kept label of one that has ended, on the same printer or another. A waiting job gives its label to another
   * printer and is canceled.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, JOB_LABEL_GONE, PRINTER_UNKNOWN, PRINTER_LANGUAGE, SPOOL_FULL
   */
  reprint(id: string, printer?: string, wish: Wish = {}): Job {
    const job = this.#parts.spool.history.known(id)
    checkReprint(job, printer, wish)
    if (this.#parts.spool.history.isWithdrawn(id)) throw refuseWithdrawn()
    const label = this.#parts.spool.history.label(id)
    if (label === undefined) throw new PlatenError('JOB_LABEL_GONE', say('labelGone'))
    const known = this.#parts.printers.resolve(printer ?? job.printer)
    checkMove(job, known)
    if (job.format === 'pdf' || isPicture(job.format)) checkLabel(label, known, job.options)
    const at = (this.#parts.now ?? Date.now)()
    const instead = { id, change: (now: Job) => giveAway(now, known.name, at, wish.outage) }
    const network = this.#parts.spool.history.senderOf(id)
    const held = findCutLabel(job.format, label)
    const { source, user, format, title, warning, note } = job
    const hasCommands = job.reasons.includes('platen-printer-command')
    const item = { format, label, title, warning, note, held, hasCommands }
    const from = { source, user, network, reprintOf: id, outage: wish.outage }
    const request = { options: optionsNow(job, this.#parts.spool.history.msLeft(id)), ...from }
    const isMove = !hasEnded(job)
    const once = isMove || wish.after === undefined ? undefined : reprintOnce(id, wish.after)
    const added = this.#add(known, [item], isMove ? { ...request, instead } : request, once)
    const [made] = added.jobs
    if (added.repeated) throw refuseSecond(made)
    if (isMove) this.#parts.scheduler.wake(job.printer)
    if (made === undefined) throw new PlatenError('INTERNAL', `Job ${id} made no job.`)
    return made
  }

  /**
   * Moves the waiting labels of a printer to another one, so that it can be removed; with a rule, only some of them.
   * @throws PlatenError PRINTER_UNKNOWN, FIELD_INVALID when it is the same, SPOOL_FULL; those before it are moved
   */
  async moveWaiting(from: string, to: string, rule: MoveRule = {}): Promise<MoveCount> {
    const { only = () => true, outage } = rule
    const printer = this.#parts.printers.resolve(to)
    if (printer.name === from) {
      throw new PlatenError('FIELD_INVALID', 'to: got the printer itself, wanted another one.')
    }
    const move = ({ id }: Job) => this.reprint(id, printer.name, { isMove: true, outage })
    return await moveWaiting(this.#parts.spool, from, printer, move, only)
  }

  /**
   * Resolves with the jobs once each has ended or is held for a person, or as they are when the signal aborts. Unknown ids
   * are left out.
   */
  ended(ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]> {
    return this.#endings.of(ids, signal)
  }

  /** Opens the intake for a source; `printer` gets the labels that name none. */
  forSource(type: string, printer?: string, commands?: CommandPolicy): MessageIntake {
    return openMessageIntake(this.#messageParts, { type, printer, commands })
  }

  /** Writes down the keys that sources gave up and that are only in memory; to be called before the spool closes. */
  close(): void {
    this.#messageParts.forgotten.write()
  }

  async #takeSoon(
    request: LabelRequest,
    key: RepeatKey | undefined,
    told?: PrintOptions,
  ): Promise<RequestReceipt> {
    return await this.#orBlame(() => this.#checkAndWrite(request, key, told))
  }

  /**
   * Turns an internal error while labels are read into a fault of one of these labels: otherwise a queue would deliver the same message again
   * forever.
   * @throws PlatenError LABEL_CRASHED, and what the work throws on purpose
   */
  async #orBlame<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof PlatenError || isAbort(error)) throw error
      this.#fault(error)
      throw blameLabel(error)
    }
  }

  #fault(error: unknown): void {
    this.#parts.fault?.(error)
  }

  async #checkAndWrite(
    sent: LabelRequest,
    key: RepeatKey | undefined,
    told?: PrintOptions,
  ): Promise<RequestReceipt> {
    const first = this.#lookNow(sent) ?? (await this.#lookInLine(sent))
    const { request, looks, pdfs, grownBytes, refused } = first
    const { labels, network, source } = request
    const pages = pdfs.length === 0 ? UNSEEN.pages : await this.#readPdfs(pdfs, request, key, told)
    const bytes = labels.reduce((sum, { length }) => sum + length, grownBytes)
    const write = async (scans: LabelFindings['scans']): Promise<RequestReceipt> => {
      const taken = this.#prepare(request, key, told, { looks, scans, pages, refused })
      return await this.#parts.spool.commits.take(network ?? source, taken, bytes)
    }
    return await this.#scan(first, write)
  }

  /** Looks at the labels of a request at once if they are neither large nor packed, and none of its sender wait. */
  #lookNow(request: LabelRequest): FirstLook | undefined {
    if (this.#looks.has(request.network ?? request.source)) return undefined
    const first = lookInSteps(request).next()
    return first.done === true ? first.value : undefined
  }

  /** Looks at the labels of a request in turns: together, those of many requests would block everything else. */
  async #lookInLine(request: LabelRequest): Promise<FirstLook> {
    const client = request.client?.()
    try {
      return await this.#looks.walk(request.network ?? request.source, lookInSteps(request), client)
    } catch (error) {
      if (client?.aborted === true) throw gone(error)
      throw error
    }
  }

  /** Scans large labels before they are checked; requests whose labels grow by unpacking take turns until `work` is done. */
  async #scan<T>(
    { request: { labels }, looks, grownBytes, refused }: FirstLook,
    work: (scans: LabelFindings['scans']) => T | Promise<T>,
  ): Promise<T> {
    if (refused !== undefined) return await work(UNSEEN.scans)
    // Small ones are checked at once: what they name may be changed meanwhile.
    const scans = looks.some(isLarge) ? await scanLarge(looks) : UNSEEN.scans
    if (grownBytes < GROWN_BYTES) return await work(scans)
    const scanAndWork = async () => await work(await scanPacked(labels, looks, scans))
    return await this.#unpacked.enter(scanAndWork, [])
  }

  /**
   * Checks a request; returns the function that writes it. `told`: the options as the client sent them, which are part of the
   * fingerprint that distinguishes requests with the same key.
   */
  #prepare(
    request: LabelRequest,
    key: RepeatKey | undefined,
    told = request.options,
    seen: LabelFindings = UNSEEN,
  ): () => RequestReceipt {
    const { options, copies = 1 } = request
    const repeat = checkRequest(request, key, told)
    const known = this.#known(repeat)
    if (known !== undefined) return () => known
    const printer = this.#parts.printers.resolve(options.printer)
    const fault = (error: unknown): void => this.#fault(error)
    const items = checkLabels(request, printer, this.#policyOf(request), seen, fault)
      .map(({ usual, ...item }) => ({
        ...item,
        note: this.#note(item.note, printer, usual),
        warning: join(request.warning ?? NOTHING, item.warning),
        hasCommands: item.hasCommands ?? item.warning.length > 0,
      }))
      .flatMap((item) => Array.from({ length: copies }, () => item))
    checkJobs(items.length, 1)
    if (items.some(({ format }) => format === 'unknown'))
      checkHeldRoom(this.#parts.spool.history.counts())
    if (request.refusesForeign) checkSpoken(items, printer)
    request.onChecked?.()
    return () => {
      // It may have another name, or be gone, since this began to wait for the disk.
      const { name, uri } = this.#parts.printers.resolve(options.printer)
      const isSame = name === printer.name && uri === printer.uri
      return isSame
        ? this.#add(printer, items, request, repeat)
        : this.#prepare(request, key, told, seen)()
    }
  }

  #policyOf({ commands }: Pick<LabelRequest, 'commands'>): CommandPolicy {
    return commands ?? this.#parts.commands?.() ?? 'warn'
  }

  /** Lists the labels in the PDFs of a request before it is checked: that takes a process and a moment. */
  async #readPdfs(
    pdfs: FirstLook['pdfs'],
    request: LabelRequest,
    key: RepeatKey | undefined,
    told?: PrintOptions,
  ): Promise<LabelFindings['pages']> {
    if (this.#known(checkRequest(request, key, told ?? request.options)) !== undefined)
      return UNSEEN.pages
    const printer = this.#parts.printers.resolve(request.options.printer)
    const client = request.client?.()
    using limit = new TimeLimit(PDFS_MS, ...(client === undefined ? [] : [client]))
    try {
      return await readPdfs(pdfs, this.#parts.pdfs, printer, request, limit.signal)
    } catch (error) {
      if (limit.isOver) throw new PlatenError('SERVER_BUSY', say('manyPdfs'))
      // Whoever has gone sends it again: taken now as well, it would print twice.
      if (client?.aborted === true) throw gone(error)
      throw error
    }
  }

  #note(note: string, printer: KnownPrinter, usual: string): string {
    const day = dayText(new Date((this.#parts.now ?? Date.now)()))
    return [note, this.#daily.once(printer.name, usual, day)].filter(Boolean).join(' ')
  }

  /** Holds labels that would not be sent again and that no printer can take now. */
  async #park(
    error: PlatenError,
    sent: LabelRequest,
    key: RepeatKey | undefined,
    told: PrintOptions,
  ): Promise<RequestReceipt> {
    const first = this.#lookNow(sent) ?? (await this.#lookInLine(sent))
    return await this.#scan(first, (scans) => {
      const { request, looks, refused } = first
      const { spool } = this.#parts
      const repeat = checkRequest(request, key, told)
      const known = this.#known(repeat)
      if (known !== undefined) return known
      checkHeldRoom(spool.history.counts())
      const wanted = { ...request, commands: this.#policyOf(request) }
      const way = this.#messageParts.nameWay(request.source)
      const parked = makeParked(wanted, error, way, { looks, scans, refused })
      const added = spool.add(parked, repeat)
      return this.#endings.taken(added.jobs, added.repeated)
    })
  }

  /** Answers a repeat before all checks: the printer may be gone by now. */
  #known(repeat: Repeat | undefined): RequestReceipt | undefined {
    const jobs = repeat && this.#parts.spool.repeats.find(repeat)
    return jobs && this.#endings.taken(jobs, true)
  }

  #add(
    printer: KnownPrinter,
    items: readonly LabelItem[],
    request: Omit<Origin, 'printer'> & {
      /** The end of the job that this one replaces. */
      readonly instead?: OtherMove
    },
    repeat?: Repeat,
  ): RequestReceipt {
    const expireAfter = request.options.expireAfter ?? this.#parts.expireAfter?.()
    const options = { ...request.options, ...(expireAfter === undefined ? {} : { expireAfter }) }
    const { spool, scheduler } = this.#parts
    const origin = { ...request, printer, options }
    const search = {
      find: request.reprintOf === undefined ? spool.history : undefined,
      windowMs: this.#parts.duplicateWindowMs?.(),
      now: this.#parts.now ?? Date.now,
    }
    const jobs = makeJobs(items, origin, (item) => checkDuplicate(item, origin, search))
    const added = spool.add(jobs, repeat, request.instead)
    const expiryMs = expireAfter === undefined ? undefined : expireAfter * 1000
    spool.afterCommit(() => scheduler.wake(printer.name, expiryMs))
    return this.#endings.taken(added.jobs, added.repeated)
  }
}

function gone(cause: unknown): PlatenError {
  const message = 'Whoever sent the label went away before it was taken.'
  return new PlatenError('BODY_BROKEN', message, { cause })
}

function toEnd<T>(steps: Generator<void, T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
