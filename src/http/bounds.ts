import { PDF_BOUNDS } from '../core/drawing/pdf.ts'
import { BODY_BUDGET } from '../core/request/body-budget.ts'
import { NUMBER_FIELDS } from '../core/request/fields.ts'
import { REQUEST_LIMITS } from '../core/request/reader.ts'
import { WAITING_MOST } from '../core/spool/group-commit.ts'
import { SHARES } from '../core/spool/shares.ts'
import { TAKEN_AT_ONCE } from '../core/spool/types.ts'

/** Every bound of the HTTP side, in one place: the server keeps them, docs/api.md prints them. */
const TABLE = {
  bodyBytes: [16 * 1024 * 1024, 'bytes', 'body of one request; set by `max_body_mb` (413)'],
  bodyBytesTogether: [
    BODY_BUDGET.limitBytes,
    'bytes',
    'large bodies in hand at the same time, until their labels are on disk, plus one more body; half of this per address; further bodies wait',
  ],
  bodyBytesFree: [
    BODY_BUDGET.freeBytes,
    'bytes',
    'of each body that do not count toward `bodyBytesTogether`',
  ],
  bodyWaitMs: [BODY_BUDGET.waitMs, 'ms', 'how long a body waits for others (503)'],
  labels: [REQUEST_LIMITS.labels, '', 'labels in one request (413)'],
  jobs: [REQUEST_LIMITS.jobs, '', 'jobs in one request: labels times `copies` (413)'],
  fields: [REQUEST_LIMITS.fields, '', 'fields in one request (413)'],
  nameBytes: [REQUEST_LIMITS.nameBytes, 'bytes', 'name of a field (400)'],
  valueBytes: [REQUEST_LIMITS.valueBytes, 'bytes', 'value of a field that is not a label (400)'],
  partHeaderBytes: [
    REQUEST_LIMITS.partHeaderBytes,
    'bytes',
    'headers of one part of a multipart body (400)',
  ],
  jsonDepth: [REQUEST_LIMITS.jsonDepth, '', 'nesting of a JSON body (400)'],
  jsonValues: [REQUEST_LIMITS.jsonValues, '', 'values in a JSON body (400)'],
  jobsPerPage: [200, '', 'jobs in one answer of `GET /jobs`'],
  headerBytes: [16 * 1024, 'bytes', 'request line and headers (431)'],
  headers: [100, '', 'header lines of one request (431)'],
  headersTimeoutMs: [10_000, 'ms', 'to receive the headers (408)'],
  bodyIdleMs: [10_000, 'ms', 'pause allowed in a body (408)'],
  bodyBytesPerSecond: [
    100,
    'bytes',
    'per second, the least that a body must arrive at, measured over `bodyIdleMs` (408)',
  ],
  formMs: [10_000, 'ms', 'to receive a login, or a form with its token (408)'],
  backupIdleMs: [
    60_000,
    'ms',
    'pause allowed in an uploaded backup, which must keep the same pace (408)',
  ],
  requestTimeoutMs: [60_000, 'ms', 'to receive the whole request, except a backup (408)'],
  keepAliveMs: [10_000, 'ms', 'how long an idle connection is kept'],
  socketIdleMs: [
    120_000,
    'ms',
    'before a connection without traffic in either direction is closed',
  ],
  lingerMs: [
    5_000,
    'ms',
    'how long a refused body is still read and discarded, so that its sender sees the answer',
  ],
  lingerBytes: [32 * 1024 * 1024, 'bytes', 'of a refused body that are read and discarded'],
  answerIdleMs: [30_000, 'ms', 'before an answer whose client reads nothing is dropped'],
  unreadBytes: [
    24 * 1024 * 1024,
    'bytes',
    'of all answers that clients have not read; beyond it the largest answer is dropped',
  ],
  requestsUnderWay: [
    4,
    '',
    'requests of one connection handled at the same time; further ones stay unread',
  ],
  connections: [
    200,
    '',
    'open connections on all ports; one more replaces a connection of the client that has the most, idle ones first',
  ],
  connectionsOfAddress: [
    100,
    '',
    'of these, from one address (an IPv6 /64); one more replaces an idle or slow connection of the same address',
  ],
  connectionsKept: [16, '', 'of these, reserved for programs and pages on this machine'],
  waitSeconds: [60, 's', 'longest `Prefer: wait`'],
  eventClients: [
    32,
    '',
    'clients of `GET /events`; one more replaces a client of an address that has more (503 if none has)',
  ],
  eventBytes: [
    1024 * 1024,
    'bytes',
    'waiting for a client of `GET /events` before the client is dropped',
  ],
  eventCommentMs: [15_000, 'ms', 'between comments that keep `GET /events` open'],
} as const satisfies BoundTable

/** Bytes, counts and milliseconds, as the names say. */
export type HttpBounds = { readonly [K in keyof typeof TABLE]: number }

/** The default bounds, with the changes of a test or of the settings. */
export function boundsWith(changes: Partial<HttpBounds> = {}): HttpBounds {
  const bounds = {} as { -readonly [K in keyof HttpBounds]: number }
  for (const name of Object.keys(TABLE) as (keyof HttpBounds)[]) {
    bounds[name] = changes[name] ?? TABLE[name][0]
  }
  return bounds
}

/** A row of the table in docs/api.md. */
export interface BoundRow {
  readonly name: string
  /** With its unit, for people. */
  readonly value: string
  readonly about: string
}

/** The table, the bounds of plugins and the ranges of the number fields, for docs/api.md. */
export function describeBounds(plugins: BoundTable): readonly BoundRow[] {
  const ranges = NUMBER_FIELDS.map(([name, { min, max, unit, whole }]) => {
    const about = `field of a print request, in ${unit}${whole ? ', whole' : ''} (400)`
    return [name, [`${min} to ${max}`, '', about]] as const
  })
  const rows = [...Object.entries({ ...TABLE, ...WAITING, ...plugins }), ...ranges]
  return rows.map(([name, [value, unit, about]]) => ({
    name,
    value: nameValue(value, unit),
    about,
  }))
}

/** Bounds by their names; a value that is not a number is shown as it is. */
export type BoundTable = Readonly<
  Record<string, readonly [value: number | string, unit: string, about: string]>
>

const PART = `${SHARES.part * 100} %`
const WAITING_BYTES = 'of the spool, in bytes, that may wait'
const SENDER = 'from one address (an IPv6 /64) or kind of queue'

/** Bounds of what may wait in the spool. The quota is the smaller of 256 MB and a quarter of the disk. */
const WAITING: BoundTable = {
  waitingJobs: [SHARES.jobs, '', 'waiting labels in all (507)'],
  printerJobs: [SHARES.printerJobs, '', 'waiting labels for one printer (507)'],
  printerBytes: [PART, '', `${WAITING_BYTES} for one printer; copies count once (507)`],
  senderJobs: [SHARES.senderJobs, '', `waiting labels ${SENDER} (507)`],
  senderBytes: [PART, '', `${WAITING_BYTES} ${SENDER}; copies count once (507)`],
  requestsWaiting: [
    `${WAITING_MOST.all}, ${WAITING_MOST.ofOwner}`,
    '',
    'requests waiting to be written to disk, in all and from one address (503)',
  ],
  pdfsWaiting: [
    String(PDF_BOUNDS.waiting),
    '',
    'PDFs waiting to be read; addresses take turns, and of a full line the address with the most gives way (503)',
  ],
  pdfBytesWaiting: [PDF_BOUNDS.bytes, 'bytes', 'of the PDFs that wait, unpacked (503)'],
  pdfWaitMs: [PDF_BOUNDS.waitMs, 'ms', 'how long a PDF waits for others (503)'],
  jobsAtOnce: [TAKEN_AT_ONCE.jobs, '', 'labels in one transaction, from any source (413)'],
  bytesAtOnce: [
    TAKEN_AT_ONCE.bytes,
    'bytes',
    'written in one transaction; copies count once (413)',
  ],
}

function nameValue(value: number | string, unit: string): string {
  if (typeof value === 'string') return value
  if (unit === 'ms') return `${value / 1_000} s`
  if (unit === 's') return `${value} s`
  if (unit !== 'bytes') return String(value)
  if (value >= 1024 * 1024) return `${value / 1024 / 1024} MiB`
  return value >= 1024 ? `${value / 1024} KiB` : `${value} bytes`
}

/** The rows as a table of Markdown, without its heading. */
export function writeBoundsTable(plugins: BoundTable): string {
  const rows = describeBounds(plugins).map(
    ({ name, value, about }) => `| \`${name}\` | ${value} | ${about} |`,
  )
  return `| limit | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n`
}
