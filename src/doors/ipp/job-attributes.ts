import type { IppAttributes, IppValue } from '../../ipp/message.ts'
import {
  dateTime,
  enumeration,
  integer,
  keyword,
  mimeType,
  name,
  noValue,
  text,
  uri,
} from '../../ipp/values.ts'
import type { IppJob } from './jobs.ts'
import type { SharedPrinter } from './printer.ts'
import { type Place, upTime } from './printer-attributes.ts'

const KIB = 1_024

/** All attributes of a job (RFC 8011, 5.3), with what it was asked for. */
export function describeJob(job: IppJob, { path }: SharedPrinter, place: Place): IppAttributes {
  const base = `ipp://${place.host}${path}`
  const time = (at: number): readonly IppValue[] => (at === 0 ? noValue : upTime(place, at))
  const date = (at: number): readonly IppValue[] => (at === 0 ? noValue : dateTime(at))
  const printed = job.labels.filter(({ state }) => state === 'completed').length
  const bytes = job.labels.reduce((sum, { labelBytes }) => sum + labelBytes, 0)
  return new Map<string, readonly IppValue[]>([
    ...Object.entries({
      'job-id': integer(job.id),
      'job-uri': uri(`${base}/${job.id}`),
      'job-uuid': uri(`urn:uuid:${job.uuid}`),
      'job-printer-uri': uri(base),
      'job-more-info': uri(`http://${place.host}/`),
      'job-name': name(job.name),
      'job-originating-user-name': name(job.user),
      'job-state': enumeration(job.state),
      'job-state-reasons': keyword(...job.reasons),
      'job-state-message': text(job.message),
      'job-printer-up-time': upTime(place, place.now),
      'time-at-creation': time(job.createdAt),
      'time-at-processing': time(job.startedAt),
      'time-at-completed': time(job.endedAt),
      'date-time-at-creation': date(job.createdAt),
      'date-time-at-processing': date(job.startedAt),
      'date-time-at-completed': date(job.endedAt),
      'job-impressions': integer(job.labels.length),
      'job-impressions-completed': integer(printed),
      'job-media-sheets-completed': integer(printed),
      'job-k-octets': integer(Math.ceil(bytes / KIB)),
      'document-format-supplied': mimeType(job.format),
      'number-of-documents': integer(job.isIncoming ? 0 : 1),
      'compression-supplied': keyword('none'),
    }),
    ...job.template,
  ])
}

/** What was asked for: names, and groups. */
export function selectOfJob(
  all: IppAttributes,
  job: IppJob,
  asked: readonly string[],
): IppAttributes {
  const wanted = new Set(asked)
  return new Map(
    [...all].filter(([attribute]) => {
      const group = job.template.has(attribute) ? 'job-template' : 'job-description'
      return wanted.has('all') || wanted.has(attribute) || wanted.has(group)
    }),
  )
}
