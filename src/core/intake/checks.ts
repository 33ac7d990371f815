import { createHash } from 'node:crypto'
import {
  type Area,
  checkPicture,
  isPicture,
  LabelFault,
  type LabelFormat,
  type LabelScan,
  nameLabel,
  type PdfLabel,
  type PictureFormat,
  readCell,
  SCANNED_A_TURN,
  scanLabel,
  splitDocuments,
  type UnpackedLabel,
  unpackInSteps,
  unpackLabel,
} from '#labels'
import type { Printer } from '#printers'
import { freeIfWhole } from '../../system/memory.ts'
import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'
import type { Pdfs, PdfWish } from '../drawing/pdf.ts'
import { splitPicture } from '../drawing/picture-pages.ts'
import { languageOf, makeTarget, paperOf, warnOfLanguage } from '../drawing/target.ts'
import type { Explanation, JobFormat, PrintOptions } from '../job.ts'
import { callLabels, explainLabelFault } from '../label-faults.ts'
import {
  explainCutLabel,
  explainDocument,
  explainFault,
  explainMisfit,
  plainly,
} from '../reasons/held-label.ts'
import { explainDoubt, tellLeftOut } from '../reasons/pdf-doubts.ts'
import { checkCopies, checkJobs, checkKey, checkOptions } from '../request/field-values.ts'
import { REQUEST_LIMITS } from '../request/reader.ts'
import { scanInTurns } from '../scan.ts'
import type { Repeat } from '../spool/types.ts'
import { Bulk } from './bulk.ts'
import { type CommandPolicy, checkCommands, type KeySender, type LabelRequest } from './requests.ts'

/** Most dots of a drawn label; 4 x 6 inches at 600 dpi are 8.6 million. Decision `keys-by-sender`. */
const CANVAS_DOTS_MOST = 20_000_000

/** @throws PlatenError LABEL_MISSING, TOO_MANY_FIELDS */
function checkCount(labels: number, copies: number): void {
  if (labels === 0) throw new PlatenError('LABEL_MISSING', 'The request has no label.')
  if (labels > REQUEST_LIMITS.labels) {
    throw new PlatenError(
      'TOO_MANY_FIELDS',
      `The request has more than ${REQUEST_LIMITS.labels} labels.`,
    )
  }
  checkJobs(labels, copies)
}

/** Checks that a picture can be drawn: its printer needs a known language and stock of a possible size. */
function checkDrawable(printer: Printer, options: PrintOptions): void {
  if (languageOf(printer) === undefined) {
    throw new PlatenError(
      'PRINTER_LANGUAGE',
      say('pictureNeedsLanguage', { printer: printer.name }),
    )
  }
  const target = makeTarget(printer, options)
  const dots = target.labelWidth * target.labelHeight * target.dpi ** 2
  if (dots > CANVAS_DOTS_MOST) {
    const size = `${target.labelWidth} x ${target.labelHeight} inches at ${target.dpi} dpi`
    throw new PlatenError('FIELD_INVALID', `label_width: got ${size}, wanted a smaller label.`)
  }
}

/** The findings of the checks about a label. */
interface CheckedLabel {
  readonly label: Uint8Array
  readonly format: JobFormat
  /** The title; '' = unknown. */
  readonly title: string
  /** Stays with its job; mostly about commands that change the printer itself. */
  readonly warning: Sentences
  /** False = the warning is not about commands. */
  readonly hasCommands?: boolean
  /** Notes for developers: what was done with the label, and what its driver does with every label; '' = nothing. */
  readonly note: string
  readonly usual: string
  /** The page of a PDF, as an option. */
  readonly options?: PrintOptions
  /** The reason why it must not print, from `explainCutLabel`; undefined = it may. */
  readonly held: Explanation | undefined
}

/** @throws PlatenError LABEL_EMPTY, LABEL_UNKNOWN, LABEL_REFUSED, PICTURE_*, PRINTER_LANGUAGE, FIELD_INVALID */
export function checkLabel(
  label: Uint8Array,
  printer: Printer,
  options: PrintOptions,
  unpacked = callLabels(() => unpackLabel(label)),
): UnpackedLabel {
  const { format } = unpacked
  if (isPicture(format)) callLabels(() => checkPicture(unpacked.label, format))
  if (format === 'pdf' || isPicture(format)) checkDrawable(printer, options)
  return unpacked
}

/**
 * Checks all labels of a request, and what they do to the printer; messages begin with the number of the label when there are several.
 * @throws PlatenError as `checkLabel`, LABEL_COMMAND, BODY_TOO_LARGE
 */
export function checkLabels(
  { labels, titles, options, hasChosenPages }: Omit<LabelRequest, 'source'>,
  printer: Printer,
  commands: CommandPolicy,
  { looks, scans, pages: papers, refused }: LabelFindings,
  fault: (error: unknown) => void,
): readonly CheckedLabel[] {
  if (refused !== undefined)
    throw explainOne(explainLabelFault(refused.fault), refused.place + 1, labels.length)
  const bulk = new Bulk()
  const wish = hasChosenPages ? undefined : options.pages
  return labels.flatMap((label, index) => {
    try {
      const unpacked = checkLabel(label, printer, options, looks[index])
      const title = titles?.[index] ?? ''
      const { format } = unpacked
      if (isPicture(format)) return picturePagesOf({ ...unpacked, format }, title, wish, bulk)
      bulk.add(unpacked.label)
      return format === 'pdf'
        ? pagesOf(unpacked, title, papers.get(index))
        : checkRaw(unpacked, scans[index], title, commands, fault)
    } catch (error) {
      if (error instanceof PlatenError) throw explainOne(error, index + 1, labels.length)
      fault(error)
      return [unread(label, titles?.[index] ?? '', error)]
    }
  })
}

/** Makes the findings for a label on which our own code failed: it waits for a person, and the others of its request print. */
function unread(label: Uint8Array, title: string, error: unknown): CheckedLabel {
  const held = explainFault(error)
  return { label, format: 'unknown', title, warning: NOTHING, note: '', usual: '', held }
}

/** Checks a label in a printer's language: only such a label has a name in it, and can do more to the printer than print. */
function checkRaw(
  unpacked: UnpackedLabel,
  scan: LabelScan | undefined,
  title: string,
  policy: CommandPolicy,
  fault: (error: unknown) => void,
): CheckedLabel {
  const { label, format } = unpacked
  const { commands, cut } = scan ?? scanLabel(label, format)
  const { warning, usual, detail } = checkCommands(commands, policy)
  return {
    label,
    format,
    title: title || nameQuietly(label, format, fault),
    warning,
    usual,
    note: [notePacking(unpacked), detail].filter(Boolean).join(' '),
    held: explainCutLabel(cut),
  }
}

/** Finds the name in a label, or '': a label prints without a name, too. */
function nameQuietly(
  label: Uint8Array,
  format: LabelFormat,
  fault: (error: unknown) => void,
): string {
  try {
    return nameLabel(label, format)
  } catch (error) {
    fault(error)
    return ''
  }
}

/** Rewords an error for packers, and adds the number of the label when there are several. */
function explainOne(error: unknown, number: number, all: number): unknown {
  if (!(error instanceof PlatenError)) return error
  const plain = plainly(error)
  if (all === 1) return plain
  const { code, todo: hint, detail } = plain
  const message = join(say('oneOfSeveral', { number, all }), plain.said)
  return new PlatenError(code, message, { cause: error, hint, detail })
}

/** Makes a job of each label of a PDF. A PDF that was not looked into is one job that prints all of them. */
function pagesOf(
  unpacked: UnpackedLabel,
  title: string,
  labels: readonly PdfLabel[] | undefined,
): readonly CheckedLabel[] {
  const { label, format } = unpacked
  const plain = { label, format, title, note: notePacking(unpacked), warning: NOTHING, usual: '' }
  if (labels === undefined) return [{ ...plain, held: undefined }]
  return labels.map(({ page, area, isDocument, doubt, misfit, leftOut = [] }) => ({
    ...plain,
    warning: tellLeftOut(leftOut),
    hasCommands: false,
    options: { pages: String(page), ...(area !== undefined && { area }) },
    held: explainDoubt(doubt) ?? explainSize(page, isDocument, misfit),
  }))
}

function explainSize(
  page: number,
  isDocument: boolean,
  misfit: PdfLabel['misfit'],
): Explanation | undefined {
  if (isDocument) return explainDocument(page)
  return misfit === undefined ? undefined : explainMisfit(page, misfit)
}

/** Makes a job of each page of a TIFF or page raster; other pictures are one. */
function picturePagesOf(
  picture: UnpackedLabel & { readonly format: PictureFormat },
  title: string,
  wish: string | undefined,
  bulk: Bulk,
): readonly CheckedLabel[] {
  const { label, format } = picture
  const plain = {
    format,
    title,
    note: notePacking(picture),
    warning: NOTHING,
    usual: '',
    held: undefined,
  }
  return splitPicture(label, format, wish, bulk).map((own) => ({ ...plain, ...own }))
}

/** @throws PlatenError PRINTER_LANGUAGE when a label is in a language that the printer does not speak */
export function checkSpoken(
  items: readonly Pick<CheckedLabel, 'format'>[],
  printer: Printer,
): void {
  for (const { format } of items) {
    const mismatch = warnOfLanguage(format, printer)
    if (mismatch.length === 0) continue
    throw new PlatenError('PRINTER_LANGUAGE', mismatch, {
      hint: say('printerOfLanguage'),
    })
  }
}

function notePacking({ packing }: UnpackedLabel): string {
  return packing.length === 0
    ? ''
    : `The label came packed once more and was unpacked: ${packing.join(', ')}.`
}

/**
 * Checks the fields of a request before its labels. Returns the key and fingerprint that make a second request a repeat; `told` has the
 * options of the client itself.
 * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, LABEL_MISSING
 */
export function checkRequest(
  { labels, options, copies = 1 }: LabelRequest,
  key: RepeatKey | undefined,
  told: PrintOptions,
): Repeat | undefined {
  checkCopies(copies)
  checkCount(labels.length, copies)
  checkOptions(options)
  if (options.area !== undefined) callLabels(() => readCell(options.area as Area))
  if (key === undefined) return undefined
  return { ...key, fingerprint: fingerprint('labels', labels, { ...told, copies }) }
}

/** The key of a request in the form that the spool stores. */
export type RepeatKey = Pick<Repeat, 'key' | 'family'>

/**
 * Reads the key of a request that came by HTTP.
 * @throws PlatenError FIELD_INVALID
 */
export function readKey(
  key: string | undefined,
  sender: KeySender | undefined,
): RepeatKey | undefined {
  if (key === undefined) return undefined
  checkKey(key)
  if (sender === undefined) return { key: `http:${key}` }
  const family = `http:${sender.kind}\n${key}\n`
  return { key: `${family}${sender.from}`, family }
}

/** SHA-256 of decoded labels and options: equal for equal requests with one key. */
export function fingerprint(kind: string, labels: readonly Uint8Array[], options: unknown): string {
  const hash = createHash('sha256')
  const plain = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  hash.update(JSON.stringify([kind, plain.sort(([a], [b]) => (a < b ? -1 : 1))]))
  for (const label of labels) hash.update(`|${label.length}|`).update(label)
  return hash.digest('hex')
}

/** Lists the labels of a PDF. */
export type PdfLister = Pick<Pdfs, 'look'>

/** The labels of the PDFs of a request, by the position of the PDF among its labels. */
type PdfPages = ReadonlyMap<number, readonly PdfLabel[]>

/** Findings before the labels of a request are checked. */
export interface LabelFindings {
  /** Findings about unpacked labels; undefined = packed, or not a label, which is reported later. */
  readonly looks: readonly (UnpackedLabel | undefined)[]
  /** Scans of the large ones among them. */
  readonly scans: readonly (LabelScan | undefined)[]
  readonly pages: PdfPages
  /** The first file that is not a label. */
  readonly refused?: { readonly place: number; readonly fault: LabelFault } | undefined
}

/** Findings before anything was looked at. */
export const UNSEEN: LabelFindings = { looks: [], scans: [], pages: new Map() }

/** A PDF among the labels of a request. */
interface FoundPdf {
  readonly place: number
  /** Size, unpacked. */
  readonly bytes: number
}

/** Findings of a first look at the labels of a request. */
export interface FirstLook extends Pick<LabelFindings, 'looks' | 'refused'> {
  /** The request with each document of a file that holds several as a label of its own, so that none is lost behind another. */
  readonly request: LabelRequest
  readonly pdfs: readonly FoundPdf[]
  /** Bytes by which the labels are larger than what was sent. */
  readonly grownBytes: number
}

/** Measures the labels that are looked at without a pause. */
class Stint {
  #bytes = 0

  /** True when this label is too much: it is the first of the next stint. */
  isOver({ length }: Uint8Array): boolean {
    this.#bytes += length
    if (this.#bytes <= SCANNED_A_TURN) return false
    this.#bytes = length
    return true
  }
}

/**
 * Looks at each label once, up to the first that is not a label: the request is refused then, and its other labels may be any number of
 * megabytes, packed. Pauses before more than `SCANNED_A_TURN` bytes are looked at and before anything is unpacked, so that a few small
 * labels are looked at without a pause. Unpacked bytes of packed labels are not kept: the labels may have to wait, and a body of 100 KB can
 * hold 100 MB.
 * @throws PlatenError BODY_TOO_LARGE
 */
export function* lookInSteps(sent: LabelRequest): Generator<void, FirstLook> {
  const request = yield* separate(sent)
  const bulk = new Bulk()
  const looks: (UnpackedLabel | undefined)[] = []
  const pdfs: FoundPdf[] = []
  const stint = new Stint()
  let grownBytes = 0
  for (const [place, label] of request.labels.entries()) {
    if (stint.isOver(label)) yield
    const look = yield* tryUnpack(label)
    if (look instanceof LabelFault) {
      return { request, looks, pdfs: [], grownBytes: 0, refused: { place, fault: look } }
    }
    looks.push(isPacked(look) ? undefined : look)
    if (look === undefined) continue
    bulk.add(look.label)
    if (look.format === 'pdf') pdfs.push({ place, bytes: look.label.length })
    grownBytes += letGoIfPacked(look)
  }
  return { request, looks, pdfs, grownBytes }
}

function isPacked(look: UnpackedLabel | undefined): boolean {
  return look !== undefined && look.packing.length > 0
}

/** Frees the unpacked bytes of a packed label; returns their number. */
function letGoIfPacked(look: UnpackedLabel): number {
  if (!isPacked(look)) return 0
  const { length } = look.label
  freeIfWhole(look.label)
  return length
}

function* separate(request: LabelRequest): Generator<void, LabelRequest> {
  const parts: (readonly Uint8Array[])[] = []
  const stint = new Stint()
  for (const label of request.labels) {
    if (stint.isOver(label)) yield
    parts.push(splitDocuments(label))
  }
  if (parts.every(({ length }) => length === 1)) return request
  const titles = parts.flatMap((own, n) => own.map(() => request.titles?.[n] ?? ''))
  return { ...request, labels: parts.flat(), titles }
}

/** Unpacks a label and detects its format, or returns the fault. Undefined when our own code fails on it, which is reported later. */
function* tryUnpack(label: Uint8Array): Generator<void, UnpackedLabel | LabelFault | undefined> {
  try {
    return yield* unpackInSteps(label)
  } catch (error) {
    return error instanceof LabelFault ? error : undefined
  }
}

/** Tells whether a label is so large that it is scanned before it is checked. */
export function isLarge(look: UnpackedLabel | undefined): look is UnpackedLabel {
  return look !== undefined && look.label.length > SCANNED_A_TURN
}

/** Scans the large labels of a request before they are checked, pausing for others. */
export async function scanLarge(looks: LabelFindings['looks']): Promise<LabelFindings['scans']> {
  const scans: (LabelScan | undefined)[] = []
  for (const look of looks)
    scans.push(isLarge(look) ? await scanInTurns(look.label, look.format) : undefined)
  return scans
}

/** Scans the large labels among those that are packed: each is unpacked for it, and freed again. */
export async function scanPacked(
  labels: readonly Uint8Array[],
  looks: LabelFindings['looks'],
  scans: LabelFindings['scans'],
): Promise<LabelFindings['scans']> {
  const all: (LabelScan | undefined)[] = []
  for (const [place, label] of labels.entries()) {
    const look = looks[place] === undefined ? unpackQuietly(label) : undefined
    all.push(isLarge(look) ? await scanInTurns(look.label, look.format) : scans[place])
    if (look !== undefined && look.label !== label) freeIfWhole(look.label)
  }
  return all
}

function unpackQuietly(label: Uint8Array): UnpackedLabel | undefined {
  try {
    return unpackLabel(label)
  } catch {
    return undefined
  }
}

/**
 * Lists the labels of each PDF.
 * @throws PlatenError PICTURE_*, FIELD_INVALID, numbered when there are several labels; SERVER_BUSY
 */
export async function readPdfs(
  pdfs: readonly FoundPdf[],
  lister: PdfLister,
  printer: Printer,
  { labels, options, network, source }: LabelRequest,
  signal: AbortSignal | undefined,
): Promise<PdfPages> {
  const paper = paperOf(makeTarget(printer, options))
  const wish = { pages: options.pages, area: options.area as PdfWish['area'] }
  const sender = { owner: network ?? source, signal }
  const pages = new Map<number, readonly PdfLabel[]>()
  for (const { place, bytes } of pdfs) {
    const label = labels[place]
    if (label === undefined) continue
    const packed = { bytes, unpack: () => callLabels(() => unpackLabel(label)).label }
    try {
      pages.set(place, await lister.look(packed, wish, paper, sender))
    } catch (error) {
      throw explainOne(error, place + 1, labels.length)
    }
  }
  return pages
}
