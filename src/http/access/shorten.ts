const MAX_SHOWN = 80

/** A piece of a request that is fit for a message: printable ASCII, at most 80 characters. */
export function shorten(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?')
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain
}
