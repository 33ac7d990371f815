import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../config/write.ts'
import { PlatenError } from '../../errors.ts'
import type { KeyPair } from './certificate-child.ts'

/** A key pair that was read back, its certificate parsed. */
export interface StoredPair extends KeyPair {
  readonly parsed: X509Certificate
  /** The names it was made for, those that its authority forbids among them. */
  readonly askedNames: readonly string[]
}

/** The two files in the folder `tls`: each holds key and certificate, so that no power cut can part them. */
export type PairName = 'authority' | 'server'

const BLOCK = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----\n?/g
const NAMES = 'Names: '

/**
 * Reads a pair. `missing` when there is no file, `broken` when it holds no key with its certificate.
 * @throws PlatenError STATE_UNWRITABLE when the file is there and cannot be read: a new authority in its place would cost
 * every client its trust
 */
export async function readPair(
  folder: string,
  name: PairName,
): Promise<StoredPair | 'missing' | 'broken'> {
  const file = join(folder, `${name}.pem`)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return 'missing'
    throw new PlatenError('STATE_UNWRITABLE', `Cannot read ${file}.`, { cause })
  }
  return parsePair(text) ?? 'broken'
}

/**
 * Writes a pair whole or not at all, readable by its owner only.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function writePair(
  folder: string,
  name: PairName,
  pair: KeyPair,
  askedNames: readonly string[],
): void {
  const text = `${NAMES}${askedNames.join(' ')}\n${pair.cert}${pair.key}`
  writeWhole(join(folder, `${name}.pem`), text)
}

/** Keeps a pair that cannot be used any more under another name, for a person who wants to look. */
export async function putAside(folder: string, name: PairName): Promise<void> {
  await rename(join(folder, `${name}.pem`), join(folder, `${name}.old.pem`))
}

/** The pair in such a text; undefined when it holds no key with its certificate. */
export function parsePair(text: string): StoredPair | undefined {
  const blocks = new Map([...text.matchAll(BLOCK)].map((found) => [found[1], found[0]]))
  const [cert, key] = [blocks.get('CERTIFICATE'), blocks.get('PRIVATE KEY')]
  if (cert === undefined || key === undefined) return undefined
  try {
    const parsed = new X509Certificate(cert)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return undefined
    const line = text.split('\n', 1)[0] ?? ''
    const names = line.startsWith(NAMES) ? line.slice(NAMES.length).split(' ') : []
    return { key, cert, parsed, askedNames: names }
  } catch {
    return undefined // damaged inside: as good as none
  }
}

/** The authority's file as it is, for a backup; '' when there is none. */
export async function readAuthority(folder: string): Promise<string> {
  return await readFile(join(folder, 'authority.pem'), 'utf8').catch(() => '')
}

/**
 * Puts the authority of a backup in the place of this box's own, which is kept beside it: clients that trusted the dead
 * box trust this one. True when it is another one; it takes effect at the next start. Damage counts as none.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function restoreAuthority(folder: string, text: string): Promise<boolean> {
  const own = await readAuthority(folder)
  if (own === text || parsePair(text) === undefined) return false
  if (own !== '') await putAside(folder, 'authority')
  writeWhole(join(folder, 'authority.pem'), text)
  return true
}
