import { isIP } from 'node:net'
import * as v from 'valibot'

/** What is known of a key besides its value. */
export interface Marks {
  /** Takes effect at the next start. */
  readonly restart?: true
  /** Never logged, never quoted in a message, masked in `GET /config`. */
  readonly secret?: true
  /** Never quoted in a message, as it may hold a secret. */
  readonly unquoted?: true
  /** May have several lines, as PEM texts do. */
  readonly lines?: true
  /** A port that is opened, or the first of two; two keys that want the same one are a fault. */
  readonly ports?: 1 | 2
  /** The key of the settings without which it is not opened. */
  readonly when?: string
  /** What the values of a choice are for people, where they do not say so themselves. */
  readonly words?: Readonly<Record<string, string>>
}

/** Marks an issue whose message is a whole sentence and not only what was wanted. */
export const SENTENCE = 'a sentence'

/** A key of the schema: its check, a title and a description for people, and marks. */
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

/** A whole number within bounds. */
export const whole = (low: number, high: number) => {
  const wanted = `a whole number from ${low} to ${high}`
  return v.pipe(
    v.number(wanted),
    v.integer(wanted),
    v.minValue(low, wanted),
    v.maxValue(high, wanted),
  )
}

/** A number within bounds; `unit` is for the message. */
export const decimal = (low: number, high: number, unit: string) => {
  const wanted = `a number from ${low} to ${high} (${unit})`
  return v.pipe(v.number(wanted), v.minValue(low, wanted), v.maxValue(high, wanted))
}

/** One of a few values. */
export const choice = <const T extends readonly (string | number)[]>(options: T) =>
  v.picklist(options, `one of ${options.map((option) => JSON.stringify(option)).join(', ')}`)

/** Any text. */
export const text = v.string('a text in double quotes')
const FILLED = 'a text of at least one letter'
/** Any text that is not blank. */
export const filled = v.pipe(v.string(FILLED), v.regex(/\S/, FILLED))
/** True or false. */
export const flag = v.boolean('true or false')
/** Message for objects: what an object, or a key that it needs, should have been. */
export const object = (issue: { readonly expected: string | null }) =>
  issue.expected === 'Object' ? 'an object { … }' : 'a value, as this key is needed'

const PORT = 'a whole number from 0 to 65535'
/** A TCP port, kept as text (the seed's type); numbers are accepted. 0 = any free one, which the start says. */
export const port = v.pipe(
  v.union([v.string(), v.number()], PORT),
  v.transform(String),
  v.check((digits) => /^\d{1,5}$/.test(digits) && +digits <= 65_535, PORT),
)

const DOOR_PORT = 'a whole number from 1 to 65535'
/** A TCP port that other programs are set to, so never a random one. */
export const doorPort = v.pipe(
  v.union([v.string(), v.number()], DOOR_PORT),
  v.check((digits) => /^\d{1,5}$/.test(String(digits)), DOOR_PORT),
  v.transform(Number),
  v.check((number) => number >= 1 && number <= 65_535, DOOR_PORT),
)

const WEB_ADDRESS = 'an address that begins with http:// or https://'
/** An http or https address. */
export const webAddress = v.pipe(
  v.string(WEB_ADDRESS),
  v.check((address) => /^https?:$/.test(URL.parse(address)?.protocol ?? ''), WEB_ADDRESS),
)

const ORIGIN = 'an origin such as "https://shop.example", without a path'
/** An origin as browsers send it. */
export const origin = v.pipe(
  v.string(ORIGIN),
  v.check((address) => {
    const url = URL.parse(address)
    return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  }, ORIGIN),
  v.transform((address) => new URL(address).origin),
)

const HOST_NAME = 'a host name or an address such as "box.example.com", without http:// and port'
/** A host name or address, as `Host` headers bring it, without the port. */
export const hostName = v.pipe(
  v.string(HOST_NAME),
  v.check((name) => {
    const url = URL.parse(`http://${name}`)
    return url !== null && url.href === `http://${url.hostname}/` && !/[/@?#]/.test(name)
  }, HOST_NAME),
  v.transform((name) => new URL(`http://${name}`).hostname),
)

const LISTEN =
  'a host name such as "box.example.com", an address such as "192.168.1.5" or "fd00::5", or "" for all networks'
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`, 'i')
/** Where to listen: a host name (RFC 1123, 2.1) or an address as it stands alone, without brackets and zone; '' = everywhere. */
export const listenHost = v.pipe(
  v.string(LISTEN),
  v.check((host) => {
    if (host === '' || (isIP(host) !== 0 && !host.includes('%'))) return true
    // The URL Standard reads 0x7f.1 and 10.1 as addresses, as the resolver does; no name ends in a number.
    return NAME.test(host) && URL.parse(`http://${host}`)?.hostname === host.toLowerCase()
  }, LISTEN),
)

const TIME_ZONE = 'a time zone such as "America/Denver": continent and city of the IANA list'
/** A time zone of the IANA list, old names too, as TZ takes it: in the spelling of the list. */
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

const ENDPOINT = 'host:port, such as "queue.example:11300", with a port from 1 to 65535'
/** Host and port; an IPv6 address in brackets. */
export const endpoint = v.pipe(
  v.string(ENDPOINT),
  v.check((text) => {
    const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/i.exec(text) ?? []
    return +port >= 1 && +port <= 65_535 && URL.canParse(`http://${host}`)
  }, ENDPOINT),
)

const PRINTER_NAME = 'a name of 1 to 100 letters, digits and signs, on one line, not only dots'
/** A printer's name: anything that fits on one line and stays as it is in an address. */
export const printerName = v.pipe(
  v.string(PRINTER_NAME),
  v.regex(/^(?=.*\S)[^\p{Cc}\p{Cs}]{1,100}$/u, PRINTER_NAME),
  v.check(staysInAddress, PRINTER_NAME),
)

/** False for `..`: clients take `/printers/..` for the address of what is above it. */
function staysInAddress(name: string): boolean {
  if (!name.isWellFormed()) return false
  const path = `/printers/${encodeURIComponent(name)}`
  return new URL(`http://box${path}`).pathname === path
}
