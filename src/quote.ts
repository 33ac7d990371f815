const UNESCAPED = /[\p{Cc}\p{Zl}\p{Zp}]/gu // controls that JSON leaves as they are: DEL, C1, line separators
const LONGEST = 80 // characters of a foreign text that a message repeats
const SHORT = 40

/** A text from outside, in quotes, shortened, without control characters: safe in a message and in a log. */
export function quote(text: string): string {
  return inQuotes(shorten(text, LONGEST))
}

/** The same for a value of a request, of which a message shows less. */
export function quoteShort(text: string): string {
  return inQuotes(shorten(text, SHORT))
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function inQuotes(text: string): string {
  return JSON.stringify(text).replace(UNESCAPED, (sign) => `\\u${hex(sign)}`)
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0')
}
