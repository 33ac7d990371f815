import type { FailureCode } from '../../errors.ts'
import type { Area } from './layout.ts'
import type { DrawnPage, Paper, PdfLabel } from './look.ts'

/** What the child is asked; bytes come with the first question about a document. */
export interface PdfQuestion {
  readonly pdf: Uint8Array | undefined
  readonly paper: Paper
  readonly ask:
    | { readonly list: { readonly pages: string | undefined; readonly area: Area | undefined } }
    | { readonly draw: { readonly page: number; readonly area: Area | undefined } }
}

/** The one answer to a question. */
export type PdfAnswer =
  | { readonly labels: readonly PdfLabel[] }
  | { readonly drawn: DrawnPage }
  | {
      readonly error: {
        readonly code: FailureCode
        readonly message: string
        readonly hint: string
      }
    }
