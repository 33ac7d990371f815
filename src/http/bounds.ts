import { WAITING_MOST } from '../jobs/spool/group-commit.ts'
import { SHARES } from '../jobs/spool/shares.ts'
import { TAKEN_AT_ONCE } from '../jobs/spool/spool.ts'
import { NUMBER_FIELDS } from '../request/fields.ts'
import { REQUEST_LIMITS } from '../request/reader.ts'
import { SHIPPING_BOUNDS } from '../shipping/envelope.ts'

/** Every bound of the HTTP side, in one place: the server keeps them, docs/api.md prints them. */
const TABLE = {
  bodyBytes: [
    16 * 1024 * 1024,
    'bytes',
    'body of one request; `max_body_mb` in the settings (413)',
  ],
  bodyBytesTogether: [
    8 * 1024 * 1024,
    'bytes',
    'large bodies being read together, and one more; half of it for one address; further ones wait',
  ],
  bodyBytesFree: [256 * 1024, 'bytes', 'of each body that do not count for this'],
  bodyWaitMs: [20_000, 'ms', 'a body waits for the others (503)'],
  labels: [REQUEST_LIMITS.labels, '', 'labels in one request (413)'],
  jobs: [REQUEST_LIMITS.jobs, '', 'jobs of one request: its labels times `copies` (413)'],
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
  headersTimeoutMs: [10_000, 'ms', 'until the headers are there (408)'],
  bodyIdleMs: [10_000, 'ms', 'without a byte of the body (408)'],
  bodyBytesPerSecond: [100, 'bytes', 'a second of a body at least, over `bodyIdleMs` (408)'],
  formMs: [10_000, 'ms', 'until a login, or a form that carries its token, is there (408)'],
  backupIdleMs: [
    60_000,
    'ms',
    'without a byte of an uploaded backup, which must keep that pace too (408)',
  ],
  requestTimeoutMs: [60_000, 'ms', 'until the whole request is there, but for a backup (408)'],
  keepAliveMs: [10_000, 'ms', 'an idle connection is kept'],
  socketIdleMs: [120_000, 'ms', 'without a byte in either direction'],
  lingerMs: [
    5_000,
    'ms',
    'a refused body is still read and dropped, so that its sender sees the refusal',
  ],
  lingerBytes: [32 * 1024 * 1024, 'bytes', 'of a refused body that are read and dropped'],
  answerIdleMs: [30_000, 'ms', 'without a byte of a finished answer being taken'],
  unreadBytes: [
    24 * 1024 * 1024,
    'bytes',
    'of all answers that their clients do not take; beyond it the largest is dropped',
  ],
  requestsUnderWay: [4, '', 'requests of one connection under way; what follows stays unread'],
  connections: [
    200,
    '',
    'open connections of all ports; one more takes the place of one of who has the most, idle ones first',
  ],
  connectionsOfAddress: [
    100,
    '',
    'of these, of one address (an IPv6 /64); one more takes the place of an idle or a slow one of its own',
  ],
  connectionsKept: [16, '', 'of these, kept for programs and pages of this machine itself'],
  waitSeconds: [60, 's', 'longest `Prefer: wait`'],
  eventClients: [
    32,
    '',
    'clients of `GET /events`; one more takes the place of one of the address that has more (503 where none has)',
  ],
  eventBytes: [1024 * 1024, 'bytes', 'waiting for a client of `GET /events` before it is dropped'],
  heartbeatMs: [15_000, 'ms', 'between the comments that keep `GET /events` open'],
} as const satisfies Record<string, readonly [number, string, string]>

/** Bytes, counts and milliseconds, as the names say. */
export type Bounds = { readonly [K in keyof typeof TABLE]: number }

/** The default bounds, with the changes of a test or of the settings. */
export function boundsWith(changes: Partial<Bounds> = {}): Bounds {
  const bounds = {} as { -readonly [K in keyof Bounds]: number }
  for (const name of Object.keys(TABLE) as (keyof Bounds)[]) {
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

/** The table, and the ranges of the number fields, for docs/api.md. */
export function describeBounds(): readonly BoundRow[] {
  const rows = Object.entries(TABLE).map(([name, [value, unit, about]]) => ({
    name,
    value: nameValue(value, unit),
    about,
  }))
  const ranges = NUMBER_FIELDS.map(([name, { min, max, unit, whole }]) => ({
    name,
    value: `${min} to ${max}`,
    about: `field of a print request, ${unit}${whole ? ', whole' : ''} (400)`,
  }))
  return [...rows, ...describeShares(), ...describeShipping(), ...ranges]
}

function describeShipping(): readonly BoundRow[] {
  const { bodyBytes, batch, timeoutMs, requestId, replyBytes, wrongKeys, atOnce } = SHIPPING_BOUNDS
  return [
    {
      name: 'callBytes',
      value: nameValue(bodyBytes, 'bytes'),
      about: 'one body of `POST /v1` (413)',
    },
    { name: 'callsOfBatch', value: String(batch), about: 'calls in one body of `POST /v1` (400)' },
    {
      name: 'carriersAtOnce',
      value: String(atOnce),
      about: 'calls to carriers, and of one batch, under way at once',
    },
    {
      name: 'requestIdLength',
      value: String(requestId),
      about: 'characters of a `request_id` (400)',
    },
    {
      name: 'carrierMs',
      value: nameValue(timeoutMs, 'ms'),
      about: 'a carrier may take; `timeout` asks for less',
    },
    {
      name: 'carrierBytes',
      value: nameValue(replyBytes, 'bytes'),
      about: 'one answer of a carrier',
    },
    {
      name: 'wrongKeys',
      value: String(wrongKeys),
      about: 'wrong API keys of one address in a minute (429)',
    },
  ]
}

/** What may wait in the spool. The quota is the smaller of 256 MB and a quarter of the disk. */
function describeShares(): readonly BoundRow[] {
  const part = `${SHARES.part * 100} %`
  const bytes = 'of the bytes of the spool that may wait'
  return [
    {
      name: 'waitingJobs',
      value: String(SHARES.jobs),
      about: 'labels that wait, all together (507)',
    },
    ...[
      { of: 'printer', about: 'for one printer' },
      { of: 'sender', about: 'from one address (an IPv6 /64) or kind of queue' },
    ].flatMap(({ of, about }) => [
      {
        name: `${of}Jobs`,
        value: String(of === 'printer' ? SHARES.printerJobs : SHARES.senderJobs),
        about: `labels that wait ${about} (507)`,
      },
      {
        name: `${of}Bytes`,
        value: part,
        about: `${bytes} ${about}; equal labels count once (507)`,
      },
    ]),
    {
      name: 'requestsWaiting',
      value: `${WAITING_MOST.all}, ${WAITING_MOST.ofOwner}`,
      about: 'requests that wait to be written, in all and of one address (503)',
    },
    {
      name: 'jobsAtOnce',
      value: String(TAKEN_AT_ONCE.jobs),
      about: 'labels that any way in makes in one transaction (413)',
    },
    {
      name: 'bytesAtOnce',
      value: nameValue(TAKEN_AT_ONCE.bytes, 'bytes'),
      about: 'that one transaction writes; copies count once (413)',
    },
  ]
}

function nameValue(value: number, unit: string): string {
  if (unit === 'ms') return `${value / 1_000} s`
  if (unit === 's') return `${value} s`
  if (unit !== 'bytes') return String(value)
  if (value >= 1024 * 1024) return `${value / 1024 / 1024} MiB`
  return value >= 1024 ? `${value / 1024} KiB` : `${value} bytes`
}

/** The rows as a table of Markdown, without its heading. */
export function writeBoundsTable(): string {
  const rows = describeBounds().map(
    ({ name, value, about }) => `| \`${name}\` | ${value} | ${about} |`,
  )
  return `| bound | value | of |\n|---|---|---|\n${rows.join('\n')}\n`
}
