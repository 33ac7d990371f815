/** A media type with its parameters (RFC 9110, 8.3.1). */
export interface ContentType {
  /** Lower case, e.g. `multipart/form-data`; '' when there is none. */
  readonly type: string
  /** Names in lower case, quotes undone. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Reads a Content-Type or Content-Disposition header; what is malformed is left out. */
export function parseContentType(header: string): ContentType {
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase()
  const parameters = new Map<string, string>()
  // A quote that nothing closes is taken too, so that every letter is looked at once; its value is none.
  const parameter = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)("?)|([^;"]*))/g
  for (const [, name = '', quoted, close, plain = ''] of header.matchAll(parameter)) {
    // Browsers escape only the quote, and write C:\label.png as it is.
    const value = close ? (quoted ?? '').replaceAll('\\"', '"') : plain.trim()
    parameters.set(name.toLowerCase(), value)
  }
  return { type, parameters }
}
