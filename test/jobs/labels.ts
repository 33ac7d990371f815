import type { JobFormat, PrintOptions } from '../../src/jobs/job.ts'
import type { NewJob } from '../../src/jobs/spool/types.ts'

/** ZPL that carries a number and has at least so many bytes. */
export function zplLabel(mark: string | number, bytes = 0): Uint8Array {
  const head = `^XA^FX${mark}^FS`
  const tail = '^XZ\n'
  return Buffer.from(head + ' '.repeat(Math.max(0, bytes - head.length - tail.length)) + tail)
}

/** A job for the spool. */
export function newJob(
  mark: string | number = 1,
  more: Partial<NewJob> & { bytes?: number } = {},
): NewJob {
  const options: PrintOptions = more.options ?? {}
  const format: JobFormat = more.format ?? 'zpl'
  return {
    source: more.source ?? 'http',
    printer: more.printer ?? 'Bench 1',
    format,
    options,
    label: more.label ?? zplLabel(mark, more.bytes ?? 0),
    ...(more.reasons ? { reasons: more.reasons } : {}),
    ...(more.message ? { message: more.message } : {}),
    ...(more.sender === undefined ? {} : { sender: more.sender }),
  }
}

/** A picture of one dot. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
/** A picture whose header is good and whose content is not, which shows only when it is drawn. */
export const BROKEN = Buffer.from(PIXEL).fill(0, 41, 51)
