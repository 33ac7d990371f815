import { createHash, randomBytes, timingSafeEqual, type X509Certificate } from 'node:crypto'
import { PlatenError } from '../errors.ts'

/** Paired print servers at most: a hall of benches; load at scale stays with the queues. */
export const PEERS_MOST = 16

/** Another print server that the owner has paired with this one. */
export interface Peer {
  /** Its lasting identity. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** Host and secure port, as it was reached last. */
  readonly address: string
  /** What its certificate is known by: see `pinOf`. */
  readonly pin: string
  /** What this one shows it. */
  readonly key: string
  /** SHA-256 of what it shows this one, base64url. */
  readonly theirs: string
  /** ISO 8601. */
  readonly paired: string
}

interface Kept {
  readonly id: string
  readonly peers: readonly Peer[]
}

/** A small text of the program's own, on disk when `save` returns. */
export interface KeptFile {
  load(): string | undefined
  save(text: string): void
}

/** Who this print server is to others, and whom it is paired with: `peers.json` of the state folder, mode 0600. */
export class PeerStore {
  readonly #file: KeptFile
  #kept: Kept | undefined

  constructor(file: KeptFile) {
    this.#file = file
  }

  /** The lasting identity of this print server. @throws PlatenError CONFIG_BROKEN, STATE_UNWRITABLE */
  get id(): string {
    const kept = this.#load()
    if (kept.id !== '') return kept.id
    const id = makeSecret(16)
    this.#save({ ...kept, id })
    return id
  }

  /** @throws PlatenError CONFIG_BROKEN */
  list(): readonly Peer[] {
    return this.#load().peers
  }

  get(id: string): Peer | undefined {
    return this.list().find((peer) => peer.id === id)
  }

  /**
   * Keeps a peer, in place of what was known of it.
   * @throws PlatenError FIELD_INVALID when there are too many, STATE_UNWRITABLE
   */
  put(peer: Peer): void {
    const others = this.list().filter(({ id }) => id !== peer.id)
    if (others.length >= PEERS_MOST) {
      throw new PlatenError('FIELD_INVALID', `${PEERS_MOST} boxes are paired, the most.`, {
        hint: 'Remove one first.',
      })
    }
    this.#save({ id: this.id, peers: [...others, peer] })
  }

  /** @throws PlatenError PEER_UNKNOWN, STATE_UNWRITABLE */
  remove(id: string): void {
    const peers = this.list()
    if (!peers.some((peer) => peer.id === id)) throw refuseUnknown()
    this.#save({ id: this.id, peers: peers.filter((peer) => peer.id !== id) })
  }

  /** The peer that shows `id.key`; all are compared, in constant time. */
  find(shown: string): Peer | undefined {
    const [id = '', key = ''] = shown.split('.')
    const hash = Buffer.from(hashKey(key))
    let found: Peer | undefined
    for (const peer of this.list()) {
      const theirs = Buffer.from(peer.theirs)
      const isKey = theirs.length === hash.length && timingSafeEqual(theirs, hash)
      if (isKey && peer.id === id) found = peer
    }
    return found
  }

  #load(): Kept {
    this.#kept ??= parse(this.#file.load())
    return this.#kept
  }

  #save(kept: Kept): void {
    this.#file.save(`${JSON.stringify(kept, null, 2)}\n`)
    this.#kept = kept
  }
}

/** The refusal of a box that is not paired. */
export function refuseUnknown(): PlatenError {
  return new PlatenError('PEER_UNKNOWN', 'These two print servers are not paired.')
}

/** A random secret of so many bytes, as text. */
export function makeSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** What of a key is kept by the side that checks it. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

/**
 * What a print server's certificate is known by: SHA-256 of its public key (SubjectPublicKeyInfo, RFC 7469, 2.4), which
 * stays when the certificate is renewed.
 */
export function pinOf({ publicKey }: X509Certificate): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(spki).digest('base64url')
}

const TEXTS = ['id', 'name', 'address', 'pin', 'key', 'theirs', 'paired'] as const

/** @throws PlatenError CONFIG_BROKEN */
function parse(text: string | undefined): Kept {
  if (text === undefined) return { id: '', peers: [] }
  try {
    const { id, peers } = JSON.parse(text) as Partial<Record<keyof Kept, unknown>>
    if (typeof id === 'string' && Array.isArray(peers) && peers.every(isPeer)) return { id, peers }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new PlatenError('CONFIG_BROKEN', 'peers.json is not a list of paired print servers.', {
    hint: 'Move the file away and pair the print servers anew.',
  })
}

function isPeer(value: unknown): value is Peer {
  if (typeof value !== 'object' || value === null) return false
  return TEXTS.every((key) => typeof (value as Record<string, unknown>)[key] === 'string')
}
