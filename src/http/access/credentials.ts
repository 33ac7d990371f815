import { createHash, timingSafeEqual } from 'node:crypto'

/** What the admin logs in with. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The two keys of the configuration. */
export interface CredentialKeys {
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

/** User and password of an `Authorization: Basic` header (RFC 7617, UTF-8); undefined when it is another scheme or none. */
export function parseBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]*={0,2}) *$/i.exec(header ?? '')?.[1]
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
