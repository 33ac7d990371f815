import { isIPv4, isIPv6 } from 'node:net'
import * as v from 'valibot'
import type { Sentence } from '../words/say.ts'

/** Properties of a key besides its value. */
export interface Marks {
  /** Takes effect at the next start. */
  readonly restart?: true
  /** Never logged, never quoted in a message, masked in `GET /config`. */
  readonly secret?: true
  /** Never quoted in a message, because it may hold a secret. */
  readonly unquoted?: true
  /** May have several lines, as PEM texts do. */
  readonly lines?: true
  /** Number of ports to open, from this one on; two keys that want the same port are a fault. */
  readonly ports?: 1 | 2
  /** The key of the settings that must be on for the port to be opened. */
  readonly when?: string
  /** The name of a printer. */
  readonly printer?: true
  /** The key beside it with which it is the name of something else. */
  readonly unless?: string
  /** The keys that entries of a list have besides, by the `type` of the entry. */
  readonly types?: ReadonlyMap<string, { readonly entries: v.ObjectEntries }>
  /** Names of the values of a choice for people, where they are not clear by themselves. */
  readonly words?: Readonly<Record<string, string>>
}

/** An issue of a check, with what valibot's text does not carry. */
export interface Issue extends v.BaseIssue<unknown> {
  /** Advice for people; left out = nothing better is known than that the value cannot be used. */
  sentence?: Sentence
  /** True when the message is complete, and not only what was wanted. */
  isWhole?: true
}

/** Tells whether a value is an object in JSON's sense. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value of foreign JSON as text; an object by its kind, because its `toString` need not be a function. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}

/** The message of a check: the wanted value, in technical English and for people. */
export const want = (text: string, sentence: Sentence) => mark(text, { sentence })

/** The message of a check that itself says what was seen. */
export const refuse = (text: string, sentence: Sentence) => mark(text, { sentence, isWhole: true })

/** The message of an issue that another schema found. */
export const keep = ({ message, sentence, isWhole }: Issue) =>
  mark(message, { ...(sentence && { sentence }), ...(isWhole && { isWhole }) })

function mark(text: string, marks: Pick<Issue, 'sentence' | 'isWhole'>) {
  return (issue: Issue): string => {
    Object.assign(issue, marks)
    return text
  }
}

/** Makes a key of the schema: its check, a title and a description for people, and marks. */
export const field = <const S extends v.GenericSchema>(
  schema: S,
  title: string,
  description: string,
  marks: Marks = {},
) =>
  v.pipe(
    schema,
    v.title<v.InferOutput<S>, string>(title),
    v.description<v.InferOutput<S>, string>(description),
    v.metadata<v.InferOutput<S>, Marks & Record<string, unknown>>({ ...marks }),
  )

/** The values of these keys, as the parts read them. */
export type ValuesOf<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>

/** Checks a whole number within bounds. */
export const whole = (low: number, high: number) => {
  const wanted = wantWhole(low, high)
  return v.pipe(
    v.number(wanted),
    v.integer(wanted),
    v.minValue(low, wanted),
    v.maxValue(high, wanted),
  )
}

function wantWhole(low: number, high: number) {
  const values = { from: String(low), to: String(high) }
  return want(`a whole number from ${low} to ${high}`, { key: 'wantWhole', values })
}

/** Checks a number within bounds; `unit` is for the message. */
export const decimal = (low: number, high: number, unit: string) => {
  const wanted = want(`a number from ${low} to ${high} (${unit})`, {
    key: 'wantNumber',
    values: { from: String(low), to: String(high) },
  })
  return v.pipe(v.number(wanted), v.minValue(low, wanted), v.maxValue(high, wanted))
}

/** Checks that a value is one of a few. */
export const choice = <const T extends readonly (string | number)[]>(options: T) =>
  v.picklist(
    options,
    want(`one of ${options.map((option) => JSON.stringify(option)).join(', ')}`, {
      key: 'wantChoice',
      values: { choices: options.join(', ') },
    }),
  )

/** Any text. */
export const text = v.string('a text in double quotes')
const NEEDED = { key: 'wantValue', values: {} } as const
const FILLED = want('a text of at least one letter', NEEDED)
/** Any text that is not blank. */
export const filled = v.pipe(v.string(FILLED), v.regex(/\S/, FILLED))
/** True or false. */
export const flag = v.boolean('true or false')
const MISSING = want('a value, as this key is needed', NEEDED)
/** The message for objects: that an object was wanted, or a key that it needs. */
export const object = (issue: Issue) =>
  issue.expected === 'Object' ? 'an object { … }' : MISSING(issue)

const PORT = wantWhole(0, 65_535)
/** A TCP port, kept as text (the specification's type); numbers are accepted. 0 = any free one, which the start logs. */
export const port = v.pipe(
  v.union([v.string(), v.number()], PORT),
  v.transform(String),
  v.check((digits) => /^\d{1,5}$/.test(digits) && +digits <= 65_535, PORT),
)

const DOOR_PORT = wantWhole(1, 65_535)
/** A TCP port that other programs are set to, so never a random one. */
export const doorPort = v.pipe(
  v.union([v.string(), v.number()], DOOR_PORT),
  v.check((digits) => /^\d{1,5}$/.test(String(digits)), DOOR_PORT),
  v.transform(Number),
  v.check((number) => number >= 1 && number <= 65_535, DOOR_PORT),
)

const WEB_ADDRESS = want('an address that begins with http:// or https://', {
  key: 'wantWeb',
  values: {},
})
/** An http or https address. */
export const webAddress = v.pipe(
  v.string(WEB_ADDRESS),
  v.check((address) => /^https?:$/.test(URL.parse(address)?.protocol ?? ''), WEB_ADDRESS),
)

const AN_ORIGIN = { key: 'wantOrigin', values: {} } as const
const ORIGIN = want('an origin such as "https://shop.example", without a path', AN_ORIGIN)
/** An origin as browsers send it. */
export const origin = v.pipe(
  v.string(ORIGIN),
  v.check((address) => {
    const url = URL.parse(address)
    return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  }, ORIGIN),
  v.transform((address) => new URL(address).origin),
)

/** A list of origins. */
export const origins = v.array(
  origin,
  want('a list of origins such as "https://shop.example"', AN_ORIGIN),
)

const A_HOST = { key: 'wantHost', values: {} } as const
const HOST_NAME = want(
  'a host name or an address such as "box.example.com", without http:// and port',
  A_HOST,
)
/** A host name or address as in `Host` headers, without the port. */
export const hostName = v.pipe(
  v.string(HOST_NAME),
  v.check((name) => {
    const url = URL.parse(`http://${name}`)
    return url !== null && url.href === `http://${url.hostname}/` && !/[/@?#]/.test(name)
  }, HOST_NAME),
  v.transform((name) => new URL(`http://${name}`).hostname),
)

/** A list of host names or addresses. */
export const hostNames = v.array(hostName, want('a list of host names or addresses', A_HOST))

const LISTEN = want(
  'a host name such as "box.example.com", an address such as "192.168.1.5" or "fd00::5", or "" for all networks',
  A_HOST,
)
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`, 'i')
/** An address to listen on: a host name (RFC 1123, 2.1) or a bare address, without brackets and zone; '' = everywhere. */
export const listenHost = v.pipe(
  v.string(LISTEN),
  v.check((host) => {
    // Not isIP: compiling its expression for IPv6 costs every start 1 ms.
    const isAddress = host.includes(':') ? isIPv6(host) && !host.includes('%') : isIPv4(host)
    if (host === '' || isAddress) return true
    // The URL Standard reads 0x7f.1 and 10.1 as addresses, as the resolver does; no name ends in a number.
    return NAME.test(host) && URL.parse(`http://${host}`)?.hostname === host.toLowerCase()
  }, LISTEN),
)

const TIME_ZONE = want(
  'a time zone such as "America/Denver": continent and city of the IANA list',
  { key: 'wantZone', values: {} },
)
/** A time zone of the IANA list, including old names, as TZ accepts it: in the spelling of the list. */
export const timeZone = v.pipe(
  v.string(TIME_ZONE),
  v.check((name) => findTimeZone(name) !== undefined, TIME_ZONE),
  v.transform((name) => findTimeZone(name) ?? name),
)

function findTimeZone(name: string): string | undefined {
  // The formatter keeps 2 MB: use it only for names that the list lacks.
  if (Intl.supportedValuesOf('timeZone').includes(name)) return name
  if (!/^[a-z]/i.test(name)) return undefined // an offset such as +05:45, which TZ reads otherwise
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const ENDPOINT = want('host:port, such as "queue.example:11300", with a port from 1 to 65535', {
  key: 'wantEndpoint',
  values: {},
})
/** Host and port; an IPv6 address in brackets. */
export const endpoint = v.pipe(
  v.string(ENDPOINT),
  v.check((text) => {
    const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/i.exec(text) ?? []
    return +port >= 1 && +port <= 65_535 && URL.canParse(`http://${host}`)
  }, ENDPOINT),
)

const PRINTER_NAME = want(
  'a name of 1 to 100 letters, digits and signs, on one line, not only dots',
  { key: 'wantName', values: { most: '100' } },
)
/** A printer's name: any text that fits on one line and stays unchanged in an address. */
export const printerName = v.pipe(
  v.string(PRINTER_NAME),
  v.regex(/^(?=.*\S)[^\p{Cc}\p{Cs}]{1,100}$/u, PRINTER_NAME),
  v.check(staysInAddress, PRINTER_NAME),
)

/** False for `..`: clients take `/printers/..` for the address above it. */
function staysInAddress(name: string): boolean {
  if (!name.isWellFormed()) return false
  const path = `/printers/${encodeURIComponent(name)}`
  return new URL(`http://box${path}`).pathname === path
}
