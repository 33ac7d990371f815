import type { Job } from '../../src/core/job.ts'
import type { NewJob } from '../../src/core/spool/types.ts'
import { NOTHING } from '../../src/words/say.ts'

/** ZPL that carries a number and has at least so many bytes. */
export function zplLabel(mark: string | number, bytes = 0): Uint8Array {
  const head = `^XA^FX${mark}^FS`
  const tail = '^XZ\n'
  return Buffer.from(head + ' '.repeat(Math.max(0, bytes - head.length - tail.length)) + tail)
}

/** A job for the spool. */
export function newJob(
  mark: string | number = 1,
  { bytes = 0, ...more }: Partial<NewJob> & { bytes?: number } = {},
): NewJob {
  const usual = { source: 'http', printer: 'Bench 1', format: 'zpl', options: {} } as const
  return { ...usual, label: zplLabel(mark, bytes), ...more }
}

/** A picture of one dot. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
/** A picture whose header is good and whose content is not, which shows only when it is drawn. */
export const BROKEN = Buffer.from(PIXEL).fill(0, 41, 51)

/** A label that waits at the printer A. */
export const JOB: Job = {
  id: 'abcd-1',
  seq: 1,
  source: 'http',
  user: '',
  printer: 'A',
  format: 'zpl',
  options: {},
  state: 'pending',
  reasons: ['none'],
  delivery: 'none',
  message: NOTHING,
  hint: NOTHING,
  code: '',
  createdAt: 1,
  startedAt: 0,
  endedAt: 0,
  expiresAt: 0,
  labelBytes: 10,
  sentBytes: 0,
  attempts: 0,
  reprintOf: '',
  warning: NOTHING,
  hasLabel: true,
  hasPreview: false,
  detail: '',
  note: '',
  title: '',
  steps: '',
}
