import type { Area, DrawnPage, Paper, PdfAnswer, PdfLabel, PdfQuestion } from '#labels'
import { PdfLine, type PdfLineBounds } from './pdf-line.ts'
import { PdfProcess, type PdfSettings } from './pdf-process.ts'

/** A label of a PDF. */
export interface PdfPart {
  /** From 1. */
  readonly page: number
  readonly area: Area | undefined
}

/** The pages and the area of a PDF that a request asks for. */
export interface PdfWish {
  readonly pages: string | undefined
  readonly area: Area | undefined
}

/** The sender of a PDF that is not on disk yet. */
export interface PdfSender {
  readonly owner: string
  readonly signal: AbortSignal | undefined
}

/** A PDF that is unpacked only when its turn has come. */
export interface PackedPdf {
  /** Size of the PDF, unpacked. */
  readonly bytes: number
  unpack(): Uint8Array
}

const MIB = 2 ** 20

/** Bounds of the line, as docs/api.md names them. */
export const PDF_BOUNDS = {
  waiting: 8,
  bytes: 48 * MIB,
  waitMs: 20_000,
  bytesTogether: 18 * MIB,
} as const satisfies Omit<PdfLineBounds, 'sliceMs'>

/** Slice of a question, as a share of the time that it may take. */
const SLICE = 0.2

/** The owner of labels that are on disk. */
const OWN = ' '

/** Reads PDFs in at most two processes; the second one exists only while the first works long and others wait. */
export class Pdfs {
  readonly #lanes: readonly PdfProcess[]
  readonly #line: PdfLine

  constructor(settings: PdfSettings, bounds: Partial<PdfLineBounds> = {}) {
    const all = { timeLimitMs: 10_000, idleMs: 5_000, ...settings }
    this.#lanes = [new PdfProcess(all), new PdfProcess(all)]
    this.#line = new PdfLine({ ...PDF_BOUNDS, sliceMs: all.timeLimitMs * SLICE, ...bounds })
  }

  /**
   * Lists the labels of a PDF that is on disk, in the order in which they print. `begin`: called when its turn has come.
   * @throws PlatenError PICTURE_*, FIELD_INVALID for a page that is not there, SERVER_BUSY; the signal's reason
   */
  async list(
    pdf: Uint8Array,
    wish: PdfWish,
    paper: Paper,
    signal?: AbortSignal,
    begin?: () => void,
  ): Promise<readonly PdfLabel[]> {
    const held = { bytes: pdf.length, unpack: () => pdf }
    return labelsOf(await this.#ask(held, paper, { list: wish }, { signal, begin }))
  }

  /**
   * Lists the labels of a PDF that somebody has just sent and waits for: it is bounded.
   * @throws PlatenError as `list`; SERVER_BUSY when too many wait, or too long
   */
  async look(
    pdf: PackedPdf,
    wish: PdfWish,
    paper: Paper,
    { owner, signal }: PdfSender,
  ): Promise<readonly PdfLabel[]> {
    return labelsOf(await this.#ask(pdf, paper, { list: wish }, { signal, owner }))
  }

  /**
   * Draws one label of a PDF in gray, at the resolution of the print head.
   * @throws PlatenError PICTURE_*, SERVER_BUSY; the signal's reason
   */
  async draw(
    pdf: Uint8Array,
    label: PdfPart,
    paper: Paper,
    signal?: AbortSignal,
  ): Promise<DrawnPage> {
    const held = { bytes: pdf.length, unpack: () => pdf }
    const answer = await this.#ask(held, paper, { draw: label }, { signal })
    return (answer as { readonly drawn: DrawnPage }).drawn
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }

  async #ask(
    pdf: PackedPdf,
    paper: Paper,
    ask: PdfQuestion['ask'],
    asker: { signal?: AbortSignal | undefined; owner?: string; begin?: (() => void) | undefined },
  ): Promise<PdfAnswer> {
    const { owner, signal, begin } = asker
    return await this.#line.do({
      owner: owner ?? OWN,
      bytes: pdf.bytes,
      isBounded: owner !== undefined,
      signal,
      run: async (lane, stop) => {
        begin?.()
        const reader = this.#lanes[lane] as PdfProcess
        const answer = await reader.ask(pdf.unpack(), { paper, ask }, stop)
        // The second one is there for others that waited.
        if (lane > 0 && this.#line.isEmpty) reader.end()
        return answer
      },
    })
  }
}

function labelsOf(answer: PdfAnswer): readonly PdfLabel[] {
  return (answer as { readonly labels: readonly PdfLabel[] }).labels
}
