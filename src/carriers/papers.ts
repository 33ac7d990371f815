import type { ShippingDocument } from './answers.ts'

/** A paper that a carrier sent in its answer; none where it has no content. */
export function toPapers(name: string, base64: string, format = ''): readonly ShippingDocument[] {
  const content = Buffer.from(base64, 'base64').toString('base64')
  if (content === '') return []
  return [{ name: nameOf(name), format: formatOf(content) || format.toUpperCase(), content }]
}

/** A paper that has to be fetched, at this place among the others; none without an address. */
export function toFarPapers(papers: readonly { readonly name: string; readonly url: string }[]): {
  readonly documents: readonly ShippingDocument[]
  readonly fetchPapers: readonly { readonly index: number; readonly url: string }[]
} {
  const there = papers.filter(({ url }) => url !== '')
  return {
    documents: there.map(({ name }) => ({ name: nameOf(name), format: '', content: '' })),
    fetchPapers: there.map(({ url }, index) => ({ index, url })),
  }
}

/** Names a document: one name for the paper that customs ask for first; the others keep their carrier's, as one word, not in capitals. */
function nameOf(name: string): string {
  const word = name.trim().replace(/\s+/g, '_') || 'paper'
  const quiet = /[a-z]/.test(word) ? word : word.toLowerCase()
  return quiet === 'invoice' ? 'commercial_invoice' : quiet
}

/** First bytes of files of pages. */
const SIGNS: readonly (readonly [format: string, sign: string])[] = [
  ['PNG', '\x89PNG\r\n\x1a\n'],
  ['JPEG', '\xff\xd8\xff'],
  ['GIF', 'GIF87a'],
  ['GIF', 'GIF89a'],
  ['TIFF', 'II*\0'],
  ['TIFF', 'MM\0*'],
]
const PDF = '%PDF-'
/** Readers open a PDF with so much before it (PDF 1.7, appendix H, implementation note 13). */
const PDF_WITHIN = 1024

/** Tells the format of a base64 text, e.g. `PDF`; blank for what is neither a page nor ZPL. */
export function formatOf(content: string): string {
  const head = Buffer.from(content, 'base64').toString('latin1', 0, PDF_WITHIN)
  const found = SIGNS.find(([, sign]) => head.startsWith(sign))
  if (found !== undefined) return found[0]
  if (/^[\^~][A-Z]{2}/i.test(head.trimStart())) return 'ZPL'
  return head.includes(PDF) ? 'PDF' : ''
}
