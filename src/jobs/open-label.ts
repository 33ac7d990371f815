import type { JobFormat } from './job.ts'

/**
 * One sentence for a ZPL label that begins and does not end, else ''. The printer keeps it until an end comes, which is
 * that of the next label. Labels that change the prefix of commands are not judged.
 */
export function warnOfOpenLabel(format: JobFormat, label: Uint8Array): string {
  if (format !== 'zpl') return ''
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.length)
  const last = (command: string) =>
    Math.max(bytes.lastIndexOf(command), bytes.lastIndexOf(command.toLowerCase()))
  if (last('^XA') <= last('^XZ') || last('^CC') >= 0 || last('~CC') >= 0) return ''
  return 'The label has no ^XZ at its end: the printer waits for the rest, and may print it together with the next label.'
}
