/** Joins commands (ASCII text) and data (bytes) to one job. */
export function joinParts(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  // Not from Node's shared pool: the bytes cross to another thread, and a view would drag its whole pool along.
  const job = Buffer.alloc(length)
  let offset = 0
  for (const part of parts) {
    if (typeof part === 'string') job.write(part, offset, 'latin1')
    else job.set(part, offset)
    offset += part.length
  }
  return job
}
