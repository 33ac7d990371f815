import type { FailureCode } from '../errors.ts'
import type { PictureFormat } from './decode/index.ts'
import type { Rendered, Target } from './target.ts'

/** What has to be drawn before it can print: a picture, or a document of our own as JSON text in UTF-8. */
export type FormatToRender = PictureFormat | 'packlist' | 'test' | 'start'

/** One message to the render thread, by structured clone. */
export interface RenderRequest {
  /** Comes back in the reply. */
  readonly id: number
  readonly format: FormatToRender
  readonly label: Uint8Array
  readonly target: Target
}

/** The one answer to a request. */
export type RenderReply =
  | { readonly id: number; readonly rendered: Rendered }
  | {
      readonly id: number
      readonly error: { readonly code: FailureCode; readonly message: string }
    }
