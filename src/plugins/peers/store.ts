import { createHash, randomBytes, timingSafeEqual, type X509Certificate } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import type { Outage } from '../../core/moves.ts'
import { textOf } from '../../core/spool/columns.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { PlatenError } from '../../words/errors.ts'
import { NOTHING, say } from '../../words/say.ts'
import type { Before } from './handover-moves.ts'

/** Most paired print servers: a hall of benches; load at scale stays with the queues. */
export const PEERS_MOST = 16

/** Another print server that the owner has paired with this one. */
export interface Peer {
  /** Its lasting identity. */
  readonly id: string
  /** Its name for people. */
  readonly name: string
  /** Host and secure port at which it was last reached. */
  readonly address: string
  /** The pin of its certificate, see `pinOf`. */
  readonly pin: string
  /** The key that this one sends to it. */
  readonly key: string
  /** SHA-256 of the key that it sends to this one, base64url. */
  readonly theirs: string
  /** ISO 8601. */
  readonly paired: string
}

interface PeerFile {
  readonly id: string
  readonly peers: readonly Peer[]
}

/** A small text of the program's own, on disk when `save` returns. */
export interface KeptFile {
  load(): string | undefined
  save(text: string): void
}

/** The identity of this print server for others, and those that it is paired with: `peers.json` of the state folder, mode 0600. */
export class PeerStore {
  readonly #file: KeptFile
  #kept: PeerFile | undefined

  constructor(file: KeptFile) {
    this.#file = file
  }

  /**
   * The lasting identity of this print server.
   * @throws PlatenError CONFIG_BROKEN, STATE_UNWRITABLE
   */
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
   * Keeps a peer, and replaces what was known of it.
   * @throws PlatenError FIELD_INVALID when there are too many, STATE_UNWRITABLE
   */
  put(peer: Peer): void {
    const others = this.list().filter(({ id }) => id !== peer.id)
    if (others.length >= PEERS_MOST) {
      throw new PlatenError('FIELD_INVALID', say('mostBoxes', { most: PEERS_MOST }), {
        hint: say('removeOne'),
      })
    }
    this.#save({ id: this.id, peers: withOwnNames([...others, peer]) })
  }

  /** @throws PlatenError PEER_UNKNOWN, STATE_UNWRITABLE */
  remove(id: string): void {
    const peers = this.list()
    if (!peers.some((peer) => peer.id === id)) throw refuseUnknown()
    this.#save({ id: this.id, peers: peers.filter((peer) => peer.id !== id) })
  }

  /** Finds the peer that shows `id.key`; all are compared, in constant time. */
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

  #load(): PeerFile {
    this.#kept ??= parse(this.#file.load())
    return this.#kept
  }

  #save(kept: PeerFile): void {
    this.#file.save(`${JSON.stringify(kept, null, 2)}\n`)
    this.#kept = kept
  }
}

/** Makes the refusal of a box that is not paired. */
export function refuseUnknown(): PlatenError {
  return new PlatenError('PEER_UNKNOWN', say('notPaired'))
}

/** Makes a random secret of that many bytes, as text. */
export function makeSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** Hashes a key; the side that checks it keeps only the hash. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

/**
 * The pin of a print server's certificate: SHA-256 of its public key (SubjectPublicKeyInfo, RFC 7469, 2.4), which stays the same when the
 * certificate is renewed.
 */
export function pinOf({ publicKey }: X509Certificate): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(spki).digest('base64url')
}

/** Gives boxes different names, because rules and programs name them: of two with one name, the later one gets a number here. */
function withOwnNames(peers: readonly Peer[]): readonly Peer[] {
  const taken = new Set(peers.map(({ name }) => name))
  const kept = new Set<string>()
  return peers.map((peer) => {
    let { name } = peer
    for (let n = 2; kept.has(name); n += 1) {
      if (!taken.has(`${peer.name} ${n}`)) name = `${peer.name} ${n}`
    }
    taken.add(name)
    kept.add(name)
    return name === peer.name ? peer : { ...peer, name }
  })
}

const TEXTS = ['id', 'name', 'address', 'pin', 'key', 'theirs', 'paired'] as const

/** @throws PlatenError CONFIG_BROKEN */
function parse(text: string | undefined): PeerFile {
  if (text === undefined) return { id: '', peers: [] }
  try {
    const { id, peers } = Object(JSON.parse(text)) as Partial<Record<keyof PeerFile, unknown>>
    if (typeof id === 'string' && Array.isArray(peers) && peers.every(isPeer)) {
      return { id, peers: withOwnNames(peers) }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new PlatenError('CONFIG_BROKEN', 'peers.json is not a list of paired print servers.', {
    hint: 'Move the file away and pair the print servers again.',
  })
}

function isPeer(value: unknown): value is Peer {
  if (typeof value !== 'object' || value === null) return false
  return TEXTS.every((key) => typeof (value as Record<string, unknown>)[key] === 'string')
}

/** A label that is handed over, as it is on disk from before the first byte leaves until the outcome is known. */
export interface Handover {
  /** Id of the job here. */
  readonly job: string
  readonly peer: string
  /** For people: `Bench 3 on packing-2`. */
  readonly where: string
  readonly printer: string
  /** Idempotency key at the other side, for this handover alone. */
  readonly key: string
  /** The time since which the other side must remember requests. */
  readonly ticket: string
  /** Seconds that the label had left when it was first offered; 0 = it never expires. The request is the same each time. */
  readonly expireAfter: number
  /**
   * `asking`: the other side is asked to take it. `withdrawing`: it is asked to refuse it forever. `unsure`: it cannot say whether it has
   * it, and a person decides.
   */
  readonly stage: 'asking' | 'withdrawing' | 'unsure'
  /** A person's request for when it is known not to be there. */
  readonly wish: '' | 'release' | 'cancel'
  /** True when a person has decided without waiting: this no longer concerns the job, and the other side is only told. */
  readonly isDecided: boolean
  readonly before: Before
  /** The outage for which a rule sends it; left out = a person does. */
  readonly because?: Outage | undefined
}

/** The common beginning of the keys of handovers in the table `meta`. */
export const HANDOVER_KEY = 'move:'

/**
 * The key of a handover on disk. A label has one handover that waits for an answer; those that a person has decided are kept beside it
 * until the other side is told.
 */
function slotOf({ isDecided, key, job }: Handover): string {
  return isDecided ? key : job
}

/** Reads a handover. Damaged text, which SQLite does not detect, becomes one without a key of ours, whose label is left to a person. */
function readHandover(text: string, job: string): Handover {
  try {
    return JSON.parse(text) as Handover
  } catch {
    const place = { peer: '', where: 'another print server', printer: '', key: '', ticket: '' }
    const nothing = { message: NOTHING, hint: NOTHING, detail: '', code: '' } as const
    const before: Before = { state: 'pending', reasons: [], ...nothing }
    return { job, ...place, expireAfter: 0, stage: 'asking', wish: '', isDecided: false, before }
  }
}

/** The open handovers: in the table `meta` of the spool, and in memory once they are on disk. */
export class OpenHandovers {
  readonly #spool: Pick<Spool, 'records' | 'afterCommit'>
  readonly #open = new Map<string, Handover>()
  readonly #set: StatementSync
  readonly #drop: StatementSync
  readonly #get: StatementSync
  readonly #all: StatementSync

  constructor(spool: Pick<Spool, 'records' | 'afterCommit'>) {
    const { records } = spool
    this.#spool = spool
    this.#set = records.prepare('INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)')
    this.#drop = records.prepare('DELETE FROM meta WHERE key = ?')
    this.#get = records.prepare('SELECT value FROM meta WHERE key = ?')
    this.#all = records.prepare(
      'SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key',
    )
  }

  /**
   * Reads the handovers of the last run.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  load(): readonly Handover[] {
    const { records } = this.#spool
    for (const row of records.read(() => this.#all.all(HANDOVER_KEY, `${HANDOVER_KEY}\uffff`))) {
      const before = textOf(row, 'key').slice(HANDOVER_KEY.length)
      const handover = readHandover(textOf(row, 'value'), before)
      const slot = slotOf(handover)
      // Earlier versions kept those that are decided in the place of the others.
      if (before !== slot) this.#remove(before)
      if (before === slot) this.#open.set(slot, handover)
      else this.put(handover)
    }
    return [...this.#open.values()]
  }

  /** Finds the handover of a label on its way. */
  get(job: string): Handover | undefined {
    return this.#open.get(job)
  }

  /** Returns a handover as it is now; undefined = it is over. */
  now({ key, job }: Handover): Handover | undefined {
    return [this.#open.get(key), this.#open.get(job)].find((one) => one?.key === key)
  }

  /** False when a commit that is on its way to the disk ends the handover, decides it or replaces it. */
  isCurrent(handover: Handover): boolean {
    const row = this.#spool.records.read(() => this.#get.get(`${HANDOVER_KEY}${slotOf(handover)}`))
    return row !== undefined && readHandover(textOf(row, 'value'), '').key === handover.key
  }

  of(peer: string): readonly Handover[] {
    return [...this.#open.values()].filter((one) => one.peer === peer)
  }

  /** Finds the next handover of a peer to work on; those that a person has decided do not hold up the others. */
  next(peer: string): Handover | undefined {
    const next = this.of(peer).find(({ stage }) => stage !== 'unsure')
    if (next?.isDecided && this.#open.delete(next.key)) this.#open.set(next.key, next)
    return next
  }

  /**
   * Writes a handover, within a transaction or in one of its own.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  put(handover: Handover): void {
    const slot = slotOf(handover)
    this.#spool.records.write(() =>
      this.#set.run(`${HANDOVER_KEY}${slot}`, JSON.stringify(handover)),
    )
    this.#spool.afterCommit(() => this.#open.set(slot, handover))
  }

  /** Ends a handover, within a transaction or in one of its own. */
  end(handover: Handover): void {
    this.#remove(slotOf(handover))
  }

  #remove(slot: string): void {
    this.#spool.records.write(() => this.#drop.run(`${HANDOVER_KEY}${slot}`))
    this.#spool.afterCommit(() => this.#open.delete(slot))
  }
}
