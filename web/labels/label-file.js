import { t } from '../shell/texts.js'

const HEAD_BYTES = 2048
const HEAD_LINES = 6

/** The first bytes of pictures: PNG, GIF, JPEG. */
const PICTURES = ['\x89PNG', 'GIF8', '\xff\xd8\xff']

/**
 * The picture of a file that is one (an object URL, to be revoked), or the first lines of a text.
 * @param {Blob} file
 * @returns {Promise<{ url?: string, lines?: string }>}
 */
export async function lookInto(file) {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  if (PICTURES.some((start) => text.startsWith(start))) return { url: URL.createObjectURL(file) }
  // Its own pages are seen once it has printed: a browser shows no PDF in a page as safe as this one.
  if (text.includes('%PDF-')) return { lines: t('pdfPages') }
  return { lines: printable(new TextDecoder().decode(bytes)) }
}

/** @param {string} text */
function printable(text) {
  const lines = text.split(/\r?\n/, HEAD_LINES)
  return lines.map((line) => line.replace(/\p{Cc}/gu, '·').slice(0, 80)).join('\n')
}

/** Random enough to tell two labels apart; `crypto.randomUUID` is missing on plain http pages. */
export function makeKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join(
    '-',
  )
}
