import { type CarrierCode, type CarrierPlace, type CarrierRemark, NOWHERE } from './answers.ts'
import {
  type AccessToken,
  type Carrier,
  type CarrierFacts,
  clientCredentials,
  type HttpCall,
  type HttpReply,
  type TokenCall,
} from './carrier.ts'

/**
 * Tells whether a text says one thing and, behind it, another. Two searches: a carrier's words can be long, and one expression with
 * `.*` in the middle takes time by the square of their length.
 */
export function saysInOrder(text: string, first: RegExp, second: RegExp): boolean {
  const at = text.search(first)
  return at >= 0 && second.test(text.slice(at))
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads a place in a carrier's JSON; undefined when it is not there. Carriers send a single item as an object and
 * several as an array, or the reverse: a name looks into the first item, a number is its place.
 */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof step === 'number') found = listOf(found)[step]
    else {
      const one = Array.isArray(found) ? found[0] : found
      found = isObject(one) && Object.hasOwn(one, step) ? one[step] : undefined
    }
  }
  return found
}

/** Makes a list of one item or several. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? value : [value]
}

/** A text or a number as text, without controls; '' for all else. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  if (typeof found === 'number' && Number.isFinite(found)) return String(found)
  if (typeof found !== 'string') return ''
  return found.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** A number that a carrier wrote as such or as text; 0 for all else. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number {
  const text = textAt(value, ...path)
  const number = /^-?\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : 0
  return Number.isFinite(number) ? number : 0
}

/** A whole number that a client wrote as text, as PHP does; all else as it is. */
export function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
}

/** Tells whether a value counts as left out: older clients send lists and objects without anything in them. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

/** The JSON of a reply; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Parses what a step wrote down; undefined when it cannot be read any more. */
export function factsOf(text: string): CarrierFacts | undefined {
  const facts = jsonOf(text)
  return isObject(facts) ? (facts as CarrierFacts) : undefined
}

/** The body of a good answer; of a batch (207) some is good. */
export function bodyOf({ status, text }: HttpReply): unknown {
  return status >= 200 && status < 300 ? jsonOf(text) : undefined
}

/** Classifies an HTTP status where the carrier's own words do not. */
export function kindOfStatus(status: number): CarrierCode {
  if (status === 401 || status === 403) return 'AUTHENTICATION'
  if (status === 402) return 'NO_FUNDS'
  if (status === 404) return 'UNKNOWN_NUMBER'
  return status === 429 ? 'RATE_LIMIT' : 'CARRIER_FAULT'
}

/** A day and a time of the place, `2026-11-23T10:30:00`, as RFC 3339; its offset is unknown unless it is there. */
export function toZonedTime(text: string): string {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?/.exec(
    text,
  )
  if (found === null) return ''
  const [, day, clock = '00:00', seconds = ':00', offset = '-00:00'] = found
  const zone =
    offset.includes(':') || offset === 'Z' ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`
  return `${day}T${clock}${seconds}${zone}`
}

/** A carrier's names for the parts of a place. */
type PlaceNames = Partial<Record<Exclude<keyof CarrierPlace, 'description'>, string>>

/** A place in a carrier's answer, by the names of its parts. */
export function placeAt(value: unknown, names: PlaceNames): CarrierPlace {
  const part = (name: string | undefined): string => (name === undefined ? '' : textAt(value, name))
  return toPlace({
    city: part(names.city),
    state: part(names.state),
    zip_code: part(names.zip_code),
    country: part(names.country),
  })
}

/** `Reno, NV, US` and its parts. */
export function toPlace(parts: Omit<CarrierPlace, 'description'>): CarrierPlace {
  const { city, state, country } = parts
  const description = [city, state, country].filter((part) => part !== '').join(', ')
  return { description, ...parts }
}

/** A place that a carrier tells in words alone. */
export function placeOf(description: string): CarrierPlace {
  return { ...NOWHERE, description }
}

/** RFC 3339 with the offset of the box's own zone. */
export function withOffset(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19)
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}

/** The day of a label, `2026-11-23`: the one where the box stands. In UTC the Americas have tomorrow's in the evening. */
export function dayOf(now: number): string {
  return withOffset(new Date(now)).slice(0, 10)
}

/** Judges a call that spends: what the carrier refused (4xx) was not done; a gateway's fault, or a good answer without what was bought, leaves it open. */
export function refuseOrDoubt(
  { status }: HttpReply,
  errors: readonly CarrierRemark[],
): { readonly errors: readonly CarrierRemark[] } | { readonly unknown: readonly CarrierRemark[] } {
  return status >= 400 && status < 500 ? { errors } : { unknown: errors }
}

/** A call with a body of JSON, or without one. */
export function jsonCall(
  method: HttpCall['method'],
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): HttpCall {
  if (body === undefined) return { method, path, headers }
  return {
    method,
    path,
    body: JSON.stringify(body),
    headers: { ...headers, 'Content-Type': 'application/json' },
  }
}

/** The fields that are not blank: carriers take a blank text for a value, or refuse it. */
export function withoutBlanks(
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

/** The token of an OAuth 2.0 answer (RFC 6749, 5.1), or why it has none. UPS sends `expires_in` as a string. */
function readToken(
  reply: HttpReply,
  readErrors: (reply: HttpReply) => readonly CarrierRemark[],
): AccessToken | { readonly errors: readonly CarrierRemark[] } {
  const body = jsonOf(reply.text)
  const accessToken = textAt(body, 'access_token')
  if (reply.status !== 200 || accessToken === '') return { errors: readErrors(reply) }
  const type = textAt(body, 'token_type')
  return {
    // FedEx writes it small.
    accessToken,
    tokenType: /^(?:bearer)?$/i.test(type) ? 'Bearer' : type,
    expiresIn: numberAt(body, 'expires_in'),
    scope: textAt(body, 'scope'),
    products: textAt(body, 'api_products'),
  }
}

/** The login of a carrier that issues a token for client credentials: the request for one, and the titles of the credentials. */
export function clientLogin(
  titles: Parameters<typeof clientCredentials>,
  request: TokenCall['request'],
  readErrors: (reply: HttpReply) => readonly CarrierRemark[],
): Pick<Carrier, 'credentials' | 'token' | 'isTokenRefused'> {
  return {
    credentials: clientCredentials(...titles),
    token: { request, parse: (reply) => readToken(reply, readErrors) },
    isTokenRefused: ({ status }) => status === 401,
  }
}

/** A size with its unit, which each carrier names in its own way. */
export function dimensionsAt(value: unknown, unit: string) {
  return {
    length: numberAt(value, 'length'),
    width: numberAt(value, 'width'),
    height: numberAt(value, 'height'),
    unit: textAt(value, unit),
  }
}
