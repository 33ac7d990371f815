import { asNumber, type ShippingDocument } from '#carriers'
import { keyOf, walkZpl, ZPL_COMMANDS, type ZplPart } from '#labels'
import type { Intake } from '../../core/intake/intake.ts'
import type { LabelRequest } from '../../core/intake/requests.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { checkCopies, tidyTitle } from '../../core/request/field-values.ts'
import { isObject } from '../../settings/field.ts'
import { PlatenError } from '../../words/errors.ts'
import type { BoughtJobs, PrintNote } from './bought-jobs.ts'
import { ServiceError } from './envelope.ts'
import type { JournalEntry, KeptLabel } from './journal.ts'

/** The request to print the labels of a shipment. */
export interface PrintWish {
  /** Undefined = the default printer. */
  readonly printer: string | undefined
  /** Address of that printer, once it was found: it may have another name when its labels arrive. */
  readonly uri?: string
  readonly copies: number
  /** False = the carrier's ZPL goes to the printer unchanged. */
  readonly cleans: boolean
  /** The printer of its papers: pages of office paper, never a label printer by default. Undefined = they do not print. */
  readonly documents?: PaperWish
}

interface PaperWish {
  readonly printer: string
  readonly uri?: string
  readonly copies: number
}

/**
 * Reads `params.print`: a printer's name, true for the default one, or `{printer, copies, cleanup, documents}`; undefined = do not print.
 * @throws ServiceError 400
 */
export function readPrintWish(value: unknown): PrintWish | undefined {
  if (value === undefined || value === null || value === false) return undefined
  if (value === true) return { printer: undefined, copies: 1, cleans: true }
  if (typeof value === 'string' && value !== '') return { printer: value, copies: 1, cleans: true }
  if (!isObject(value)) throw badWish()
  const { printer, cleanup = true } = value
  const copies = asNumber(value['copies'] ?? 1)
  const isNamed = printer === undefined || printer === null || typeof printer === 'string'
  if (!isNamed || typeof copies !== 'number' || typeof cleanup !== 'boolean') throw badWish()
  const documents = readPaperWish(value['documents'])
  return { printer: printer || undefined, copies, cleans: cleanup, ...(documents && { documents }) }
}

function badWish(): ServiceError {
  return new ServiceError(
    400,
    'print must be the name of a printer, true, or an object with printer, copies (a number), cleanup (true or false) and documents (the name of the printer for papers).',
  )
}

/** Reads a printer's name, or `{printer, copies}`: customs often want three invoices, but one label. */
function readPaperWish(value: unknown): PaperWish | undefined {
  if (value === undefined || value === null || value === false || value === '') return undefined
  const { printer, copies: said = 1 } = isObject(value) ? value : { printer: value }
  const copies = asNumber(said)
  if (typeof printer === 'string' && printer !== '' && typeof copies === 'number') {
    return { printer, copies }
  }
  const message =
    'print.documents must be the name of the printer for papers, or an object with printer and copies (a number).'
  throw new ServiceError(400, message)
}

/** Temporary faults of the box: the labels are still owed. */
const PASSING: ReadonlySet<string> = new Set(['SPOOL_FULL', 'SPOOL_BROKEN'])

/** The owner of the labels, and their titles. */
interface Tellings {
  readonly network: string
  readonly titles: readonly string[]
}

/** A note for each label; `isOwed` when the box could not take one just now. */
interface PrintResult {
  readonly notes: readonly PrintNote[]
  readonly isOwed: boolean
}

/** Hands bought labels to the spool. */
export class LabelPrinter {
  readonly #intake: Pick<Intake, 'takeAlone'>
  readonly #printers: Pick<Printers, 'resolve' | 'list'>
  readonly #jobs: BoughtJobs

  constructor(
    intake: Pick<Intake, 'takeAlone'>,
    printers: Pick<Printers, 'resolve' | 'list'>,
    jobs: BoughtJobs,
  ) {
    this.#intake = intake
    this.#printers = printers
    this.#jobs = jobs
  }

  /**
   * Finds the printer, before any money is spent.
   * @throws ServiceError 400
   */
  find(wish: Pick<PrintWish, 'printer' | 'uri' | 'copies'>): KnownPrinter {
    try {
      checkCopies(wish.copies)
      return this.#printers.resolve(this.#nameOf(wish))
    } catch (error) {
      if (error instanceof PlatenError) {
        throw new ServiceError(400, `${error.whole} ${error.hint}`, { cause: error })
      }
      throw error
    }
  }

  /** Finds the present name of a printer: a name that is gone was changed if its address has another one now. */
  #nameOf({ printer, uri }: Pick<PrintWish, 'printer' | 'uri'>): string | undefined {
    const known = this.#printers.list()
    if (known.some(({ name }) => name === printer)) return printer
    return known.find((one) => one.uri === uri)?.name ?? printer
  }

  /**
   * Prints the labels of one purchase, each once however often this is called: the key contains the request's id and this purchase, because
   * a request of long ago may have had the same id. Returns a note for each label; `isOwed` when the box could not take one just now.
   */
  print(
    { requestId, seq }: Pick<JournalEntry, 'requestId' | 'seq'>,
    labels: readonly KeptLabel[],
    wish: PrintWish | undefined,
    { network, titles }: Tellings,
  ): PrintResult {
    const notes: PrintNote[] = []
    let isOwed = false
    for (const [n, title] of titles.entries()) {
      const label = labels[n]
      if (label === undefined || label.label.length === 0) {
        notes.push(LOST)
        continue
      }
      if (wish === undefined) {
        notes.push(PLACELESS)
        continue
      }
      const key = this.#keyOf(`${requestId}:${n}`, seq)
      const printed = this.#printOne(key, label, wish, { network, title })
      notes.push(printed.note)
      isOwed ||= printed.isOwed
    }
    return { notes, isOwed }
  }

  /** Prints the papers of one purchase, each once as well, on the printer that was named for them. */
  printPapers(
    { requestId, seq }: Pick<JournalEntry, 'requestId' | 'seq'>,
    papers: readonly (KeptLabel & Pick<ShippingDocument, 'name' | 'url'>)[],
    wish: PaperWish,
    { network, number }: { readonly network: string; readonly number: string },
  ): PrintResult {
    const notes: PrintNote[] = []
    let isOwed = false
    for (const [n, paper] of papers.entries()) {
      if (paper.label.length === 0) {
        notes.push(paper.url === undefined ? LOST_PAPER : FAR_PAPER)
        continue
      }
      const key = this.#keyOf(`${requestId}:paper-${n}`, seq)
      const title = `${paper.name.replaceAll('_', ' ')} ${number}`.trim()
      const printed = this.#printOne(key, paper, { ...wish, cleans: false }, { network, title })
      notes.push(printed.note)
      isOwed ||= printed.isOwed
    }
    return { notes, isOwed }
  }

  /** Makes the key of a shipment, which no client of `POST /` can take. */
  #keyOf(
    idempotencyKey: string,
    purchase: number,
  ): Pick<LabelRequest, 'idempotencyKey' | 'sender' | 'onAdded'> {
    return {
      idempotencyKey,
      sender: { kind: 'shipping', from: String(purchase) },
      onAdded: (seq) => this.#jobs.tie(seq, purchase),
    }
  }

  /** Prints one label or paper; it is owed when the box could not take it just now. */
  #printOne(
    key: Pick<LabelRequest, 'idempotencyKey' | 'sender' | 'onAdded'>,
    label: KeptLabel,
    wish: PrintWish,
    told: { readonly network: string; readonly title: string },
  ): { readonly note: PrintNote; readonly isOwed: boolean } {
    try {
      return { note: this.#accept(key, label, wish, told), isOwed: false }
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      const { whole: message, hint } = error
      const note = {
        job_id: '',
        state: 'aborted',
        delivery: 'none',
        message,
        hint,
      }
      return { note, isOwed: PASSING.has(error.code) }
    }
  }

  /** Accepts a label at once and in a commit of its own: what is paid for does not wait behind others, nor is it refused as too much. */
  #accept(
    key: Pick<LabelRequest, 'idempotencyKey' | 'sender' | 'onAdded'>,
    { format, label }: KeptLabel,
    wish: PrintWish,
    { network, title }: { readonly network: string; readonly title: string },
  ): PrintNote {
    const printer = this.#nameOf(wish)
    const { copies, cleans } = wish
    const cleaned = cleans && format === 'ZPL' ? cleanCarrierZpl(label) : label
    const { jobs } = this.#intake.takeAlone({
      labels: [cleaned],
      titles: [tidyTitle(title)],
      options: printer === undefined ? {} : { printer },
      ...key,
      copies,
      source: 'shipping',
      network,
    })
    const [job] = jobs
    return job === undefined ? PRINTED_BEFORE : this.#jobs.note(job)
  }
}

/** The note of a label that is gone, because its page on the disk was damaged. */
const LOST: PrintNote = {
  job_id: '',
  state: 'aborted',
  delivery: 'none',
  message: 'This label is not here any more.',
  hint: "Get it from the carrier's own list.",
}

const LOST_PAPER: PrintNote = {
  ...LOST,
  message: "This paper is not here any more. Get it from the carrier's own list.",
  hint: '',
}

/** The note of a paper that could not be fetched. */
const FAR_PAPER: PrintNote = {
  ...LOST,
  message: 'This paper could not be fetched. Open its url and print it.',
  hint: '',
}

/** The note of a label whose printer the disk has lost: another one may stand at another bench. */
const PLACELESS: PrintNote = {
  job_id: '',
  state: 'aborted',
  delivery: 'none',
  message: 'Where this label was to print could not be read any more.',
  hint: 'Print it from this answer.',
}

/** The note of a label whose job is no longer in the list. */
const PRINTED_BEFORE: PrintNote = {
  job_id: '',
  state: 'completed',
  delivery: 'unknown',
  message: 'This label was printed before.',
  hint: '',
}

const GRAPHIC = keyOf('^GF')
const WRONG_END = keyOf('^DN')
const PRINT_MODE = keyOf('^MM')
const SAVE = keyOf('^JU')
/** Settings that `ZPL_COMMANDS` does not name, because an owner's own labels may well set them. */
const ADJUSTMENTS: ReadonlySet<number> = new Set(['~TA', '~SD'].map(keyOf))

/**
 * Removes from a carrier's ZPL what disturbs a printer: USPS sends ^MMT, which takes printers out of peel-off mode (USPS/api-examples#81);
 * UPS ends a ^GF field by ^DN in place of ^FS (UPS-API/api-documentation#88); settings are up to the owner. It works by commands, never by
 * text of a field or bytes of a picture. Returns the same bytes when there is nothing to do.
 */
export function cleanCarrierZpl(label: Uint8Array): Uint8Array {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  const pieces: Buffer[] = []
  let before = 0
  for (const part of walkZpl(bytes)) {
    pieces.push(clean(bytes, part, before))
    before = part.key
  }
  const cleaned = Buffer.concat(pieces)
  return cleaned.equals(bytes) ? label : cleaned
}

/** Returns what is left of a part; `before` is the command in front of it. */
function clean(bytes: Buffer, part: ZplPart, before: number): Buffer {
  const own = bytes.subarray(part.at, part.end)
  if (part.key === WRONG_END && before === GRAPHIC) {
    return Buffer.concat([Buffer.of(part.caret), Buffer.from('FS'), own.subarray(3)])
  }
  return isDisturbing(part.key, own) ? Buffer.alloc(0) : own
}

function isDisturbing(key: number, own: Buffer): boolean {
  if (key === PRINT_MODE) return true
  if (key === SAVE) return /^[SFN]/i.test(own.toString('latin1', 3, 4))
  if (ADJUSTMENTS.has(key)) return true
  const name = ZPL_COMMANDS.get(key)?.name ?? ''
  // ~DG and similar commands carry the pictures of the label.
  return name.startsWith('~') && !name.startsWith('~D')
}
