import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn, keepFile, readCode } from '../../settings/write.ts'
import { PlatenError } from '../../words/errors.ts'

/** The permissions of a key; each action needs one (carriers and `print` and `debug` of a request need more). */
export const SCOPES = ['rate', 'ship', 'track', 'print', 'debug'] as const

export type Scope = (typeof SCOPES)[number]

/** The default permissions of a new key, without `debug`, which shows requests to carriers. */
export const USUAL_SCOPES: readonly Scope[] = ['rate', 'ship', 'track', 'print']

/** An API key as it is stored: without the secret. Times are RFC 3339; '' = never. */
export interface StoredKey {
  readonly id: string
  /** SHA-256 of the whole key, hex: 256 random bits need no slow hash. */
  readonly sha256: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly created: string
}

/** A key in the form that people see. */
export type ShownKey = Omit<StoredKey, 'sha256'> & { readonly last_used: string }

const FILE = 'keys.json'
const USED_FILE = 'keys-used.json'
const KEYS_MOST = 100
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u
const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789' // none that looks like another
const USED_EVERY_MS = 60_000

/**
 * The API keys of the box, in a file of mode 0600. It is read again whenever it changes, so that a key that the command makes works without
 * a restart. Only `used` writes while the server runs, and into a file of its own.
 */
export class Keys {
  readonly #folder: string
  readonly #now: () => number
  #read = ''
  #keys: readonly StoredKey[] = []
  #used: Record<string, string> | undefined
  #usedWrittenAt = Number.NEGATIVE_INFINITY

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder
    this.#now = now
  }

  /** @throws PlatenError CONFIG_BROKEN */
  list(): readonly ShownKey[] {
    const used = this.#loadUsed()
    return this.#load().map(({ sha256: _, ...key }) => ({ ...key, last_used: used[key.id] ?? '' }))
  }

  /**
   * Makes a key; its text is returned once and not kept.
   * @throws PlatenError FIELD_INVALID, STATE_UNWRITABLE
   */
  add(name: string, scopes: readonly Scope[] = USUAL_SCOPES): { key: string; shown: ShownKey } {
    const id = Array.from({ length: 8 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')
    const key = `pk_${id}_${randomBytes(32).toString('base64url')}`
    const created = new Date(this.#now()).toISOString()
    const stored: StoredKey = { id, sha256: hash(key).toString('hex'), name, scopes, created }
    this.#change((keys) => {
      checkName(name, keys)
      return [...keys, stored]
    })
    const { sha256: _, ...shown } = stored
    return { key, shown: { ...shown, last_used: '' } }
  }

  /** @throws PlatenError KEY_UNKNOWN, STATE_UNWRITABLE */
  revoke(name: string): void {
    this.#change((keys) => {
      const left = keys.filter((key) => key.name !== name && key.id !== name)
      if (left.length === keys.length) {
        throw new PlatenError(
          'KEY_UNKNOWN',
          `No API key has the name ${JSON.stringify(name.slice(0, 40))}.`,
        )
      }
      return left
    })
  }

  /** Finds the key with this text; all are compared, in constant time. */
  find(text: string): StoredKey | undefined {
    const wanted = hash(text)
    let found: StoredKey | undefined
    for (const key of this.#load()) {
      if (timingSafeEqual(Buffer.from(key.sha256, 'hex'), wanted)) found = key
    }
    return found
  }

  /** Notes that a key was used just now, on disk once a minute at most; a full disk does not keep a call from being answered. */
  used({ id }: StoredKey): void {
    const used = this.#loadUsed()
    const at = this.#now()
    used[id] = new Date(at).toISOString()
    if (at - this.#usedWrittenAt < USED_EVERY_MS) return
    this.#usedWrittenAt = at
    const known = new Set(this.#load().map((key) => key.id))
    const kept = Object.fromEntries(Object.entries(used).filter(([one]) => known.has(one)))
    try {
      keepFile(join(this.#folder, USED_FILE)).save(`${JSON.stringify(kept)}\n`)
    } catch (error) {
      // Lost is only when a key was used.
      if (!(error instanceof PlatenError)) throw error
    }
  }

  #load(): readonly StoredKey[] {
    const file = join(this.#folder, FILE)
    const stamp = readStamp(file)
    if (stamp === this.#read) return this.#keys
    this.#keys = parseKeys(keepFile(file).load() ?? '[]', file)
    this.#read = stamp
    return this.#keys
  }

  /** Changes the keys while no other process does: commands and the server must not restore what another one has revoked. */
  #change(change: (keys: readonly StoredKey[]) => readonly StoredKey[]): void {
    const file = join(this.#folder, FILE)
    inTurn(file, () => {
      keepFile(file).save(`${JSON.stringify(change(this.#load()), null, 2)}\n`)
    })
  }

  #loadUsed(): Record<string, string> {
    this.#used ??= readUsed(join(this.#folder, USED_FILE))
    return this.#used
  }
}

function checkName(name: string, keys: readonly StoredKey[]): void {
  const shown = JSON.stringify(name.slice(0, 40))
  if (!NAME.test(name)) {
    throw new PlatenError(
      'FIELD_INVALID',
      `The name of a key is ${shown}, wanted 1 to 40 letters, digits, spaces, dots or dashes.`,
      { hint: 'Name the key after the shop or program that uses it.' },
    )
  }
  if (keys.some((key) => key.name === name)) {
    throw new PlatenError('FIELD_INVALID', `A key with the name ${shown} is there already.`, {
      hint: 'Choose another name, or revoke that key first.',
    })
  }
  if (keys.length >= KEYS_MOST) {
    throw new PlatenError('FIELD_INVALID', `There are ${KEYS_MOST} keys, which is the most.`, {
      hint: 'Revoke one that is no longer used.',
    })
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Makes a stamp that changes whenever the file is replaced or written. */
function readStamp(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch (error) {
    if (readCode(error) === 'ENOENT') return 'none'
    throw error
  }
}

function parseKeys(text: string, file: string): readonly StoredKey[] {
  const broken = (cause?: unknown): PlatenError =>
    new PlatenError('CONFIG_BROKEN', `${file} is not a list of API keys.`, {
      cause,
      hint: 'Move the file away and make new keys with platen key add.',
    })
  let keys: unknown
  try {
    keys = JSON.parse(text)
  } catch (cause) {
    throw broken(cause)
  }
  if (!Array.isArray(keys) || !keys.every(isKey)) throw broken()
  return keys
}

function isKey(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false
  const { id, sha256, name, scopes, created } = value as Partial<Record<keyof StoredKey, unknown>>
  return (
    [id, name, created].every((one) => typeof one === 'string') &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Array.isArray(scopes) &&
    scopes.every((one) => SCOPES.some((scope) => scope === one))
  )
}

/** Reads the times of use; a damaged or unreadable file loses only these. */
function readUsed(file: string): Record<string, string> {
  try {
    const value = Object(JSON.parse(keepFile(file).load() ?? '{}')) as object
    return Object.fromEntries(Object.entries(value).filter(([, at]) => typeof at === 'string'))
  } catch {
    return {}
  }
}
