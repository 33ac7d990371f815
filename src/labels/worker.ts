import { parentPort } from 'node:worker_threads'
import type { PictureFormat } from './codecs/index.ts'
import { type FaultData, LabelFault, toFaultData } from './fault.ts'
import { freeMemory } from './memory.ts'
import type { DrawnPage } from './pages/look.ts'
import type { Size } from './plane.ts'
import type { RenderedLabel, Target } from './target.ts'

/** Format that has to be drawn before it can print: a picture, or a document of our own as JSON text in UTF-8. */
export type FormatToRender = PictureFormat | 'pdf' | 'packlist' | 'test' | 'start'

/** A message to the render thread, by structured clone. */
export interface RenderRequest {
  /** Comes back in the reply. */
  readonly id: number
  readonly format: FormatToRender
  readonly label: Uint8Array
  readonly target: Target
  /** Page of a PDF: `label` holds it in gray, drawn for the target, a byte a dot. */
  readonly page?: Size & Pick<DrawnPage, 'notes' | 'placed'>
}

/** The one answer to a request. */
export type RenderReply =
  | { readonly id: number; readonly rendered: RenderedLabel }
  | { readonly id: number; readonly fault: FaultData }
  /** An error of the library's own code. */
  | { readonly id: number; readonly crash: string }

/** Draws what a request asks for. Never rejects: every failure becomes a reply. */
export async function answerRequest(request: RenderRequest): Promise<RenderReply> {
  try {
    return { id: request.id, rendered: await render(request) }
  } catch (error) {
    return { id: request.id, ...explain(error) }
  }
}

/** Each kind is loaded when it is first asked for: a bench that prints pictures never pays for pack lists. */
async function render({ format, label, target, page }: RenderRequest): Promise<RenderedLabel> {
  if (format === 'packlist') {
    const { readPackList, renderPackList } = await import('./documents/pack-list.ts')
    return renderPackList(readPackList(new TextDecoder().decode(label)), target)
  }
  if (format === 'test') {
    const { renderTestLabel } = await import('./documents/test-label.ts')
    return renderTestLabel(parse(label) as Parameters<typeof renderTestLabel>[0], target)
  }
  if (format === 'start') {
    const { renderStartLabel } = await import('./documents/start-label.ts')
    return renderStartLabel(parse(label) as Parameters<typeof renderStartLabel>[0], target)
  }
  const { renderPage, renderPicture } = await import('./render.ts')
  return format === 'pdf'
    ? renderPage({ luma: label, ...readPage(page) }, target)
    : renderPicture(label, format, target)
}

function readPage(page: RenderRequest['page']): NonNullable<RenderRequest['page']> {
  if (page === undefined) throw new Error('The page of the PDF was not drawn.')
  return page
}

/** Our own documents, as they were accepted: JSON in UTF-8. */
function parse(label: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(label))
}

function explain(error: unknown): { readonly fault: FaultData } | { readonly crash: string } {
  if (error instanceof LabelFault) return { fault: toFaultData(error) }
  // What V8 throws when an array or Buffer cannot be had.
  if (error instanceof RangeError && /allocation|array length/i.test(error.message)) {
    const what = `The label did not fit in memory: ${error.message}.`
    return { fault: toFaultData(new LabelFault('PICTURE_MEMORY', what)) }
  }
  return { crash: error instanceof Error ? error.message : String(error) }
}

// The thread's entry. One request at a time is the caller's rule; the answer bears the request's number.
parentPort?.on('message', (request: RenderRequest) => {
  void answerRequest(request).then((reply) => {
    freeMemory(request.label)
    parentPort?.postMessage(reply)
  })
})
