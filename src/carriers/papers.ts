import { detectFormat } from '#labels'
import { PlatenError } from '../words/errors.ts'
import type { Paper } from './answers.ts'

/** A paper that a carrier sent in its answer; none where it has no content. */
export function toPapers(name: string, base64: string, format = ''): readonly Paper[] {
  const content = Buffer.from(base64, 'base64').toString('base64')
  if (content === '') return []
  return [{ name: nameOf(name), format: formatOf(content) || format.toUpperCase(), content }]
}

/** A paper that has to be fetched, at this place among the others; none without an address. */
export function toFarPapers(papers: readonly { readonly name: string; readonly url: string }[]): {
  readonly documents: readonly Paper[]
  readonly fetchPapers: readonly { readonly index: number; readonly url: string }[]
} {
  const there = papers.filter(({ url }) => url !== '')
  return {
    documents: there.map(({ name }) => ({ name: nameOf(name), format: '', content: '' })),
    fetchPapers: there.map(({ url }, index) => ({ index, url })),
  }
}

/** One name for the paper that customs ask for first; the others keep their carrier's, as one word, not in capitals. */
function nameOf(name: string): string {
  const word = name.trim().replace(/\s+/g, '_') || 'paper'
  const quiet = /[a-z]/.test(word) ? word : word.toLowerCase()
  return quiet === 'invoice' ? 'commercial_invoice' : quiet
}

/** What the bytes of a base64 text are, e.g. `PDF`; blank for what no printer prints. */
export function formatOf(content: string): string {
  try {
    return detectFormat(Buffer.from(content, 'base64')).toUpperCase()
  } catch (error) {
    if (error instanceof PlatenError) return ''
    throw error
  }
}
