import { findPdfium } from '../../src/system/process.ts'

/** The process that reads PDFs, from source. */
export const PDF_FILES = {
  entry: new URL('../../src/labels/pdf-child.ts', import.meta.url),
  wasm: findPdfium(),
}

/** For tests that send none. */
export const NO_PDFS = { look: () => Promise.reject(new Error('This test sends no PDF.')) }
