import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { PlatenError } from '../../words/errors.ts'

/** The name and password that the admin logs in with. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The two keys of the configuration. */
interface CredentialKeys {
  readonly username?: string | undefined
  readonly password?: string | undefined
}

/** The admin's credentials; undefined unless both keys are set. */
export function readCredentials({ username, password }: CredentialKeys): Credentials | undefined {
  return username && password ? { username, password } : undefined
}

/** Compares in constant time: both parts always, as digests of equal length. */
export function matchCredentials(given: Credentials, wanted: Credentials): boolean {
  const isUser = isEqual(given.username, wanted.username)
  const isPassword = isEqual(given.password, wanted.password)
  return isUser && isPassword
}

/** Longer ones hold no user and password of this print server. */
const BASIC_MOST = 4_096

/** User and password of an `Authorization: Basic` header (RFC 7617, UTF-8); undefined when it is another scheme or none. */
export function parseBasic(header: string | undefined): Credentials | undefined {
  if (header === undefined || header.length > BASIC_MOST) return undefined
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return { username: text, password: '' }
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

function isEqual(seen: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(seen), digest(wanted))
}

const LIFE_MS = 12 * 3_600_000
const MAX_SESSIONS = 100

/** The logged-in sessions: in memory only, for 12 hours; of more than 100 the oldest go first. */
export class Sessions {
  readonly #now: () => number
  // When each ends. By the digest of the cookie, so that the time of a look-up tells nothing about a cookie.
  readonly #open = new Map<string, number>()
  readonly #onEnd: () => void
  #proof = ''

  /** @param onEnd called when sessions end early */
  constructor(now: () => number, onEnd: () => void = () => undefined) {
    this.#now = now
    this.#onEnd = onEnd
  }

  /**
   * Sets the credentials that count from now on. Changed ones end every session for good: setting the old password
   * again revives none.
   */
  follow(credentials: Credentials | undefined): void {
    const proof = credentials === undefined ? '' : proofOf(credentials)
    if (proof === this.#proof) return
    this.#proof = proof
    this.#open.clear()
    this.#onEnd()
  }

  /** Opens a session after a login; returns the cookie's value. */
  open(): string {
    const id = randomBytes(32).toString('base64url')
    this.#open.set(digest(id), this.#now() + LIFE_MS)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_SESSIONS) break
      this.#open.delete(oldest)
    }
    return id
  }

  /** Tells whether the cookie is of a session that lives. */
  has(id: string): boolean {
    const ends = this.#open.get(digest(id))
    if (ends === undefined) return false
    if (ends > this.#now()) return true
    this.close(id)
    return false
  }

  close(id: string): void {
    if (this.#open.delete(digest(id))) this.#onEnd()
  }

  /** Seconds that a session lasts, for the cookie. */
  get lifeSeconds(): number {
    return LIFE_MS / 1000
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function proofOf({ username, password }: Credentials): string {
  return digest(JSON.stringify([username, password]))
}

/** Permission for a stream to continue. */
export interface Permit {
  /** Tells whether the stream may continue; ends it if not. */
  look(): boolean
  /** The stream has ended. */
  stop(): void
}

/** The streams that are open, each with what let it in. */
export class Permits {
  readonly #looks = new Set<() => boolean>()

  /** @param end ends the stream once it may not continue */
  open(isAllowed: () => boolean, end: () => void): Permit {
    const look = (): boolean => {
      const goesOn = isAllowed()
      if (!goesOn) end()
      return goesOn
    }
    this.#looks.add(look)
    return { look, stop: () => this.#looks.delete(look) }
  }

  /** Ends those that may not continue: a login ended, or the settings changed. */
  lookAtAll(): void {
    for (const look of this.#looks) look()
  }
}

/** A login, a token: no field of these is long. */
const MAX_BYTES = 8 * 1024
const FORM = 'application/x-www-form-urlencoded'

/**
 * The text fields of a small form or JSON body, for the login, which has to be there after `ms`.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE, BODY_TIMEOUT
 */
export async function readSmallBody(c: Context, ms: number): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(c)
  if (type !== FORM && type !== 'application/json') {
    throw new PlatenError(
      'BODY_TYPE',
      `The login is not JSON or a form; wanted ${FORM} or application/json.`,
      { hint: 'Log in on the page, or send JSON or a form with username and password.' },
    )
  }
  const text = await readText(c.req.raw.body, ms)
  if (type === FORM) return new Map(new URLSearchParams(text))
  const fields = Object.entries(parseObject(text))
  return new Map(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/**
 * The field `token` of a page form, leaving the body to be read again; undefined for all other bodies.
 * @throws PlatenError BODY_TIMEOUT when the form is not there after `ms`, BODY_BROKEN when its sender went away
 */
export async function readFormToken(c: Context, ms: number): Promise<string | undefined> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (mediaType(c) !== FORM || !(length <= MAX_BYTES)) return undefined
  const text = await readText(c.req.raw.clone().body, ms)
  return new URLSearchParams(text).get('token') ?? undefined
}

function mediaType(c: Context): string {
  return (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new PlatenError('BODY_BROKEN', 'The login is not valid JSON.', { cause })
  }
  throw new PlatenError(
    'BODY_BROKEN',
    'The login is not a JSON object; wanted username and password.',
  )
}

async function readText(body: ReadableStream<Uint8Array> | null, ms: number): Promise<string> {
  if (body === null) return ''
  const late = AbortSignal.timeout(ms)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  const ended = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => {
      const message = `The form did not arrive within ${ms / 1_000} s; only ${size} bytes of it did.`
      reject(new PlatenError('BODY_TIMEOUT', message))
    })
  })
  const read = () =>
    reader.read().catch((cause: unknown) => {
      throw new PlatenError('BODY_BROKEN', `The form ended after ${size} bytes.`, { cause })
    })
  for (;;) {
    // A reader that waits stays with the body: the server ends that connection once it has said why.
    const { done, value } = await Promise.race([read(), ended])
    if (done) return Buffer.concat(chunks).toString('utf8')
    size += value.length
    if (size > MAX_BYTES) {
      throw new PlatenError(
        'BODY_TOO_LARGE',
        `The body has more than ${MAX_BYTES} bytes, too many for a login.`,
      )
    }
    chunks.push(value)
  }
}

/**
 * No inline script or style, no frame, no form to elsewhere. Pictures may also be of a file that was just chosen
 * (`blob:`). The page needs nothing else.
 */
const CONTENT_POLICY = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: that makes a browser send "Origin: null" with our own forms (Fetch, section 3.2).
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
}

/**
 * Puts the security headers on an answer that is ready. No other site may embed or read it; of a print the other site
 * may (and must, else its script sees a failure and prints again). There is no HSTS: a box that once had TLS must stay
 * reachable without.
 */
export function setSecurityHeaders(c: Context, isPrint: boolean): void {
  const { headers } = c.res
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value)
  headers.set('Cross-Origin-Resource-Policy', isPrint ? 'cross-origin' : 'same-origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}

/** `page`: proof of the box's own page. `login`: a session. */
type CookieKind = 'page' | 'login'

/** The value of one of our cookies, as the browser sent it. */
export function readCookie(c: Context, kind: CookieKind): string | undefined {
  return getCookie(c, nameOf(c, kind))
}

/** Sets one of our cookies: for this host only, never for scripts, never with a request of another site. */
export function writeCookie(c: Context, kind: CookieKind, value: string, maxAge?: number): void {
  setCookie(c, nameOf(c, kind), value, { ...settingsOf(c), ...(maxAge ? { maxAge } : {}) })
}

/** Takes one of our cookies back. */
export function dropCookie(c: Context, kind: CookieKind): void {
  deleteCookie(c, nameOf(c, kind), settingsOf(c))
}

// Two names, because a browser lets no http answer touch a cookie that https set as Secure (RFC 6265bis, 5.6).
function nameOf(c: Context, kind: CookieKind): string {
  return isSecure(c) ? `__Host-platen_${kind}` : `platen_${kind}`
}

function settingsOf(c: Context): CookieOptions {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure(c) }
}

function isSecure(c: Context): boolean {
  return c.req.url.startsWith('https:')
}
