import { isUtf8 } from 'node:buffer'

/** The result of parsing a file: its content, or a sentence for the person who wrote it. */
export type Parsed<T> = { readonly value: T } | { readonly fault: string }

/**
 * The text of a file as the editors of all systems write it: with or without byte order mark, UTF-16 and Windows-1252 too, any
 * line ends.
 */
export function readPlainText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isWide = first === 0xff && second === 0xfe // Notepad's "Unicode"
  const narrow = isUtf8(bytes) ? 'utf-8' : 'windows-1252' // older editors of Windows call it ANSI
  const text = new TextDecoder(isWide ? 'utf-16le' : narrow).decode(bytes)
  return text.replace(/\r\n?/g, '\n')
}

/** The first line that is neither blank nor a comment; '' = none. */
export function readOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.find((line) => line !== '' && !line.startsWith('#')) ?? ''
}

/** Lines `key = value`, `#` before remarks. Values may stand in quotes, which keep blanks at their ends. Keys in any case. */
export function readKeys(
  text: string,
  known: readonly string[],
): Parsed<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', value = ''] = /^([A-Za-z_-]+)\s*[=:]\s*(.*)$/.exec(line) ?? []
    const key = name.toLowerCase()
    // Never the line itself: a password may stand in it.
    if (key === '') return { fault: `line ${index + 1} is not of the form: key = value.` }
    if (!known.includes(key)) {
      return {
        fault: `line ${index + 1} has the key "${name}", wanted one of ${known.join(', ')}.`,
      }
    }
    if (keys.has(key)) return { fault: `"${key}" stands twice.` }
    keys.set(key, unquote(value))
  }
  return { value: keys }
}

function unquote(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
}
