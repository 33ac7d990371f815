import { type Parsed, readOneLine } from './plain-text.ts'

/** Reads the file `hostname`: one name for the network (RFC 1123, 2.1), with or without `.local`. */
export function parseHostName(text: string): Parsed<string> {
  const line = readOneLine(text)
  const name = line.toLowerCase().replace(/\.local\.?$/, '')
  if (/^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(name) && name !== 'localhost') return { value: name }
  return {
    fault: `"${line.slice(0, 80)}" is not a name, wanted letters a to z, digits and "-", at most 63.`,
  }
}
