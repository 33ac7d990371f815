const UNESCAPED = /[\p{Cc}\p{Zl}\p{Zp}]/gu // controls that JSON leaves as they are: DEL, C1, line separators
const LONGEST = 80 // characters of a foreign text that a message repeats

/** A text from outside, in quotes, shortened, without control characters: safe in a message and in a log. */
export function quote(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return JSON.stringify(short).replace(UNESCAPED, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
