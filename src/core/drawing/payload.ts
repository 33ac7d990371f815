import { joinParts, type RenderedLabel } from '#labels'
import type { Printer } from '#printers'
import { freeIfWhole } from '../../system/memory.ts'
import { PlatenError } from '../../words/errors.ts'
import type { Sentences } from '../../words/say.ts'
import {
  type Change,
  type Explanation,
  formatToRender,
  isUndrawable,
  type Job,
  refusePast,
} from '../job.ts'
import { tellRemark } from '../label-faults.ts'
import * as moves from '../moves.ts'
import {
  explainCutLabel,
  explainFault,
  explainLanguage,
  explainLost,
  explainNoLabel,
  explainUndrawable,
} from '../reasons/held-label.ts'
import { noteDoubts } from '../reasons/pdf-doubts.ts'
import { scanInTurns } from '../scan.ts'
import type { Spool } from '../spool/spool.ts'
import type { PdfPart } from './pdf.ts'
import { pageOf } from './picture-pages.ts'
import type { PictureRequest, Renderer } from './renderer.ts'
import { makeTarget, paperOf } from './target.ts'

/** The bytes that go to the printer. */
export interface Payload {
  readonly bytes: Uint8Array
  /** PNG of what is printed, or undefined for raw labels. */
  readonly preview: Uint8Array | undefined
  readonly notes: readonly Sentences[]
  /** The target that the label was drawn for; '' for raw labels. */
  readonly target: string
}

/** The parts that make a payload. */
export interface PayloadParts {
  readonly spool: Spool
  readonly renderer: Pick<Renderer, 'render' | 'pdfs'>
  readonly now: () => number
}

/** Returns the target for which a job is drawn, as text to compare with that of an earlier drawing; '' for raw labels. */
export function drawnFor(job: Job, printer: Printer): string {
  return job.format === 'unknown' || formatToRender(job.format) === undefined
    ? ''
    : JSON.stringify(makeTarget(printer, job.options))
}

/**
 * Loads the bytes of a job, and draws them if need be. Undefined when the job cannot print; it has been moved then.
 * @throws the signal's reason; PlatenError SPOOL_*, SERVER_BUSY
 */
export async function loadPayload(
  parts: PayloadParts,
  job: Job,
  printer: Printer,
  crashes: number,
  signal: AbortSignal,
): Promise<Payload | undefined> {
  const label = parts.spool.history.label(job.id)
  if (label === undefined || isUndrawable(job)) {
    const at = parts.now()
    settle(parts, job, (now) => moves.abort(now, 'aborted-by-system', at, explainLost()))
    return undefined
  }
  if (job.format === 'unknown') {
    settle(parts, job, (now) => moves.hold(now, 'document-format-error', explainNoLabel()))
    return undefined
  }
  const format = formatToRender(job.format)
  if (format === undefined) return await checkRaw(parts, job, label)
  // Written when its turn to be drawn has come, so that a label cannot crash the program again and again, and none that
  // waits meanwhile is blamed.
  const turn = {
    signal,
    begin: () => parts.spool.countCrash(job.id, crashes + 1),
    end: () => parts.spool.countCrash(job.id, crashes),
  }
  try {
    const own = pageOf(label, job)
    if (own !== label) freeIfWhole(label)
    const picture = { format, label: own, target: makeTarget(printer, job.options) }
    const rendered = await draw(parts, job, picture, turn)
    parts.spool.countCrash(job.id, 0)
    return { ...rendered, target: drawnFor(job, printer) }
  } catch (error) {
    turn.end()
    if (signal.aborted || isForLater(error)) throw error
    setAside(parts, job, error)
    return undefined
  }
}

/** Callbacks that note on disk when a step of a drawing begins and ends; a step may have to wait for others. */
interface DrawingTurn {
  readonly signal: AbortSignal
  readonly begin: () => void
  readonly end: () => void
}

/** Draws a picture or one label of a PDF. A PDF that was not looked into when it came (it found no printer) prints all its labels. */
async function draw(
  { renderer }: PayloadParts,
  { options }: Job,
  picture: PictureRequest,
  { signal, begin, end }: DrawingTurn,
): Promise<Omit<Payload, 'target'>> {
  if (picture.format !== 'pdf') {
    const rendered = await renderer.render(picture, signal, begin)
    return { ...rendered, notes: rendered.notes.map(tellRemark) }
  }
  const wish = { pages: options.pages, area: options.area as PdfPart['area'] }
  const paper = paperOf(picture.target)
  const labels = await renderer.pdfs.list(picture.label, wish, paper, signal, begin)
  const drawn: RenderedLabel[] = []
  for (const part of labels) {
    end()
    drawn.push(await renderer.render({ ...picture, part }, signal, begin))
  }
  return {
    bytes: joinParts(drawn.map(({ bytes }) => bytes)),
    preview: drawn[0]?.preview,
    notes: [...drawn.flatMap(({ notes }) => notes).map(tellRemark), ...noteDoubts(labels)],
  }
}

/** Checks a raw label, whichever way it came: one that would swallow the labels after it goes no further. */
async function checkRaw(
  parts: Pick<PayloadParts, 'spool'>,
  job: Job,
  label: Uint8Array,
): Promise<Payload | undefined> {
  const cut = await findFault(job, label)
  if (cut === undefined) return { bytes: label, preview: undefined, notes: [], target: '' }
  settle(parts, job, (now) => moves.hold(now, 'document-format-error', cut))
  return undefined
}

/** Finds why a raw label must not print. A failure of our own code holds it too: the labels behind it must not wait forever. */
async function findFault({ format }: Job, label: Uint8Array): Promise<Explanation | undefined> {
  try {
    return explainCutLabel((await scanInTurns(label, format)).cut)
  } catch (error) {
    return explainFault(error)
  }
}

/** Tells whether an error says nothing about the label, so that it may print later. */
function isForLater(error: unknown): boolean {
  if (!(error instanceof PlatenError)) return false
  return error.code.startsWith('SPOOL_') || error.code === 'SERVER_BUSY'
}

function setAside(parts: PayloadParts, job: Job, error: unknown): void {
  if (error instanceof PlatenError && error.code === 'PRINTER_LANGUAGE') {
    const sentence = explainLanguage(job.printer, error)
    settle(parts, job, (now) => moves.hold(now, 'resources-are-not-ready', sentence))
    return
  }
  const isFault = !(error instanceof PlatenError) || error.code === 'INTERNAL'
  const reason = isFault ? 'aborted-by-system' : 'document-format-error'
  const at = parts.now()
  settle(parts, job, (now) => moves.abort(now, reason, at, explainUndrawable(error)))
}

/**
 * Writes down that a label cannot print.
 * @throws PlatenError JOB_STATE when it no longer waits: somebody held it, or it is on its way to another print server
 */
function settle(
  { spool }: Pick<PayloadParts, 'spool'>,
  { id }: Job,
  change: (job: Job) => Change,
): void {
  spool.move(id, (now) => {
    if (now.state !== 'pending') throw refusePast(now)
    return change(now)
  })
}
