import type { IppAttributes } from '#printers'
import type { PlatenError } from '../../words/errors.ts'
import { isTemplateName } from './template.ts'

/** Operations that are answered (RFC 8011, 5.4.15; PWG 5100.7, 5100.11 and 5100.13). */
export const OPERATIONS = {
  printJob: 0x02,
  validateJob: 0x04,
  createJob: 0x05,
  sendDocument: 0x06,
  cancelJob: 0x08,
  getJobAttributes: 0x09,
  getJobs: 0x0a,
  getPrinterAttributes: 0x0b,
  holdJob: 0x0c,
  releaseJob: 0x0d,
  cancelMyJobs: 0x39,
  closeJob: 0x3b,
  identifyPrinter: 0x3c,
} as const

/** Status codes of answers (RFC 8011, appendix B). */
export const STATUS = {
  ok: 0x0000,
  ignoredAttributes: 0x0001,
  badRequest: 0x0400,
  notPossible: 0x0404,
  notFound: 0x0406,
  tooLarge: 0x0408,
  valueTooLong: 0x0409,
  formatNotSupported: 0x040a,
  attributesNotSupported: 0x040b,
  charsetNotSupported: 0x040d,
  compressionNotSupported: 0x040f,
  compressionError: 0x0410,
  documentFormatError: 0x0411,
  internalError: 0x0500,
  operationNotSupported: 0x0501,
  versionNotSupported: 0x0503,
  temporaryError: 0x0505,
} as const

/** Values of printer-state (RFC 8011, 5.4.11). */
export const PRINTER_STATES = { idle: 3, processing: 4, stopped: 5 } as const

/** Values of job-state (RFC 8011, 5.3.7). */
export const JOB_STATES = {
  pending: 3,
  'pending-held': 4,
  processing: 5,
  'processing-stopped': 6,
  canceled: 7,
  aborted: 8,
  completed: 9,
} as const

/** A refused request; the answer explains it in words. */
export class IppRefusal extends Error {
  readonly status: number

  constructor(status: keyof typeof STATUS, message: string) {
    super(message)
    this.status = STATUS[status]
  }
}

/** Translates our own errors into refusals of IPP. */
export function toRefusal(error: PlatenError): IppRefusal {
  const words = `${error.message} ${error.hint}`
  if (error.status === 413) return new IppRefusal('tooLarge', words)
  // A full or busy box: clients try these again by themselves.
  if (error.status === 503 || error.status === 507) return new IppRefusal('temporaryError', words)
  if (error.status >= 500) return new IppRefusal('internalError', words)
  return new IppRefusal('documentFormatError', words)
}

/**
 * Tells whether an attribute belongs to the group `job-template`: `xxx-default`, `-supported` or `-ready` with an xxx that may come with a
 * job.
 */
function isTemplate(attribute: string): boolean {
  const [, job = ''] = /^(.*)-(?:default|supported|ready)$/.exec(attribute) ?? []
  return isTemplateName(job) || /^media-/.test(job)
}

/** Selects the attributes that were asked for, by name or by group. `media-col-database` comes only by its name (PWG 5100.7). */
export function selectAttributes(all: IppAttributes, asked: readonly string[]): IppAttributes {
  const wanted = new Set(asked.length === 0 ? ['all'] : asked)
  return new Map(
    [...all].filter(([attribute]) => {
      if (wanted.has(attribute)) return true
      if (attribute === 'media-col-database') return false
      return wanted.has('all') || wanted.has(groupOf(attribute))
    }),
  )
}

function groupOf(attribute: string): string {
  return isTemplate(attribute) ? 'job-template' : 'printer-description'
}
