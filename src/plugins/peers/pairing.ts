import { createHmac, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { tidyText } from '#printers'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { callPinned, makeAddress, type PeerAnswer } from './client.ts'
import { readSaid } from './said.ts'
import { hashKey, makeSecret, type Peer, type PeerStore } from './store.ts'

/**
 * The validity of a code, in milliseconds, and its number of tries: from one address, so that other people's tries do not use up those of
 * the owner, and by all together, which only bounds the work. Decision `pairing-code`.
 */
const CODE = { liveMs: 120_000, tries: 5, triesOfAll: 40, letters: 8 } as const
/** The form of `makeSecret(16)`. Names of print servers are seldom that long, and such a name may not be taken. */
const IDENTITY = /^[\w-]{22}$/

// No 0, 1, i, l, o. Eight of them are 39.6 bits, of which each guess costs a scrypt: somebody in between who wants to
// compute the code from a proof has two minutes for it, and it stands for his certificate alone.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const SCRYPT = { N: 2 ** 14, r: 8, p: 1 } as const
const KEY_BYTES = 32
const NAME_MOST = 60
const ANSWER_MS = 20_000 // the other side's scrypt, on a small board that prints

/** The description of a print server for another one. */
export interface Self {
  readonly name: string
  /** The pin of its server key; '' = it has no HTTPS. */
  readonly pin: string
  readonly securePort: string
}

/** The parts of pairing. */
export interface PairingParts {
  readonly store: PeerStore
  readonly self: () => Self
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number
  /** Called with what the owner should read in the log. */
  readonly fault: (error: unknown) => void
}

interface ShownCode {
  readonly code: string
  readonly endsAt: number
  /** By the address that tried. */
  readonly tries: Map<string, number>
}

/** The request of the side on which the code was typed. */
interface Join {
  readonly id: string
  readonly name: string
  readonly port: string
  readonly pin: string
  readonly nonce: string
  /** The key for calls of the side that shows the code. */
  readonly key: string
  readonly proof: string
}

/** The answer of the side that showed the code. */
export interface Welcome {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly proof: string
}

/**
 * Pairs two print servers by a code that one shows and a person types at the other. Each proves to the other that it knows the code, by
 * HMAC over both certificates' keys as it saw them: a machine in between would show another one. It is not a PAKE, for which there is no
 * well-maintained library here: therefore the code is long, short-lived, and stretched by scrypt.
 */
export class Pairing {
  readonly #parts: Required<PairingParts>
  #shown: ShownCode | undefined

  constructor(parts: PairingParts) {
    this.#parts = { now: () => performance.now(), ...parts }
  }

  /**
   * Makes a new code; the one before is void.
   * @throws PlatenError PEER_CODE without HTTPS
   */
  show(): { readonly code: string; readonly seconds: number } {
    this.#checkSelf()
    const letters = Array.from({ length: CODE.letters }, () => LETTERS[randomInt(LETTERS.length)])
    const code = letters.join('')
    this.#shown = { code, endsAt: this.#parts.now() + CODE.liveMs, tries: new Map() }
    return { code: `${code.slice(0, 4)}-${code.slice(4)}`, seconds: CODE.liveMs / 1_000 }
  }

  /** Ends the validity of the code. */
  hide(): void {
    this.#shown = undefined
  }

  /**
   * Answers another print server on which the code was typed; `host` is the address that it calls from.
   * @throws PlatenError PEER_CODE, FIELD_INVALID, STATE_UNWRITABLE
   */
  async welcome(body: Readonly<Record<string, unknown>>, host: string): Promise<Welcome> {
    const join = readJoin(body)
    const self = this.#checkSelf()
    const shown = this.#shown
    if (shown === undefined || this.#parts.now() > shown.endsAt) {
      throw new PlatenError('PEER_CODE', say('noCodeNow', { name: self.name }))
    }
    this.#countTry(shown, host)
    const secret = await stretch(shown.code, join.pin, self.pin, join.nonce)
    if (!isSame(join.proof, prove(secret, joinFacts(join, self.pin)))) {
      throw new PlatenError('PEER_CODE', say('wrongCode'))
    }
    const { store } = this.#parts
    if (join.id === store.id) throw refuseTwin(self.name)
    // The one that calls shows no certificate: what it says of its key proves nothing.
    checkIdentity(store, { id: join.id })
    this.hide()
    const key = makeSecret(KEY_BYTES)
    const welcome = { id: store.id, name: self.name, key }
    store.put(makePeer(join, makeAddress(host, join.port), { key: join.key, theirs: key }))
    return { ...welcome, proof: prove(secret, welcomeFacts(welcome, join.proof)) }
  }

  /**
   * Pairs with the print server at an address, whose code was typed here.
   * @throws PlatenError PEER_CODE, PEER_UNREACHABLE, FIELD_INVALID, STATE_UNWRITABLE
   */
  async join(address: string, typed: string, signal: AbortSignal): Promise<Peer> {
    const self = this.#checkSelf()
    const code = readCode(typed)
    const { store } = this.#parts
    let pin = ''
    const place = { name: address, address }
    const first = (seen: string): boolean => {
      pin = seen
      return true
    }
    accept(await callPinned({ ...place, trusts: first }, HELLO, signal), address)
    const nonce = makeSecret(16)
    const secret = await stretch(code, self.pin, pin, nonce)
    const key = makeSecret(KEY_BYTES)
    const facts = {
      id: store.id,
      name: self.name,
      port: self.securePort,
      pin: self.pin,
      nonce,
      key,
    }
    const proof = prove(secret, joinFacts(facts, pin))
    const call = { ...HELLO, method: 'POST', path: '/peers/join' } as const
    const body = JSON.stringify({ ...facts, proof })
    const trusts = (seen: string): boolean => seen === pin
    const answer = accept(
      await callPinned({ ...place, trusts }, { ...call, body, wholeMs: ANSWER_MS }, signal),
      address,
    )
    const welcome = readWelcome(answer, address)
    if (!isSame(welcome.proof, prove(secret, welcomeFacts(welcome, proof)))) {
      throw new PlatenError('PEER_CODE', say('otherAnswers', { where: address }))
    }
    checkIdentity(store, { ...welcome, pin })
    const peer = makePeer({ ...welcome, pin }, address, { key: welcome.key, theirs: key })
    store.put(peer)
    return peer
  }

  /**
   * Counts a try before it is checked, because the check takes a moment.
   * @throws PlatenError PEER_CODE when this address has tried too often
   */
  #countTry({ tries }: ShownCode, host: string): void {
    const count = (tries.get(host) ?? 0) + 1
    if (count > CODE.tries) throw refuseTries(host)
    tries.set(host, count)
    if (count === CODE.tries) this.#parts.fault(refuseTries(host))
    const all = [...tries.values()].reduce((sum, one) => sum + one, 0)
    if (all >= CODE.triesOfAll) this.hide()
  }

  /** @throws PlatenError PEER_CODE when others cannot reach this one by HTTPS */
  #checkSelf(): Self {
    const self = this.#parts.self()
    if (self.pin !== '') return self
    throw new PlatenError('PEER_CODE', say('needsHttps'), {
      hint: say('switchHttpsOn'),
    })
  }
}

const HELLO = { method: 'GET', path: '/peers/hello' } as const

function refuseTries(host: string): PlatenError {
  return new PlatenError('PEER_CODE', say('codeTriedOften', { where: host, count: CODE.tries }))
}

/**
 * Refuses the identity and the name of a print server that is paired already: labels go to it by its identity, and by its name in the
 * rules. The same server is recognized by its key, which its connection has shown.
 * @throws PlatenError PEER_CODE
 */
function checkIdentity(
  store: PeerStore,
  { id, pin }: { readonly id: string; readonly pin?: string },
): void {
  const known = store.get(id) ?? store.list().find(({ name }) => name === id)
  if (known === undefined || (known.id === id && known.pin === pin)) return
  throw new PlatenError('PEER_CODE', say('alreadyPaired', { name: known.name }), {
    hint: say('removeFirst'),
  })
}

function refuseTwin(name: string): PlatenError {
  return new PlatenError('PEER_CODE', say('oneIdentity', { name }), {
    hint: say('oneIsCopy'),
    detail: 'Remove peers.json from the state folder of one and start it again.',
  })
}

const stretchAsync = promisify<string, string, number, typeof SCRYPT, Buffer>(scrypt)

function stretch(code: string, joinPin: string, showPin: string, nonce: string): Promise<Buffer> {
  return stretchAsync(code, `platen pairing ${joinPin} ${showPin} ${nonce}`, KEY_BYTES, SCRYPT)
}

function prove(secret: Buffer, facts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(facts)).digest('base64url')
}

function joinFacts(join: Omit<Join, 'proof'>, showPin: string): readonly string[] {
  const { id, name, port, pin, nonce, key } = join
  return ['join', id, name, port, pin, showPin, nonce, key]
}

function welcomeFacts(welcome: Omit<Welcome, 'proof'>, joinProof: string): readonly string[] {
  return ['welcome', welcome.id, welcome.name, welcome.key, joinProof]
}

function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function makePeer(
  { id, name, pin }: Pick<Peer, 'id' | 'name' | 'pin'>,
  address: string,
  { key, theirs }: Pick<Peer, 'key' | 'theirs'>,
): Peer {
  const paired = new Date().toISOString()
  const shownName = tidyText(name, NAME_MOST) || address
  return { id, name: shownName, address, pin, key, theirs: hashKey(theirs), paired }
}

/**
 * Reads the typed address of a print server as host and secure port; 8443 if none is given.
 * @throws PlatenError FIELD_INVALID
 */
export function readAddress(text: string): string {
  const url = URL.parse(`https://${text.trim().replace(/^https?:\/\//, '')}`)
  if (url === null || url.hostname === '' || url.username !== '' || text.length > 255) {
    const detail = `address: got ${quoteShort(text)}.`
    throw new PlatenError('FIELD_INVALID', say('noSuchAddress'), {
      hint: say('boxAddress'),
      detail,
    })
  }
  const hasPort = /:443(\/|$)/.test(text.trim()) || url.port !== ''
  return `${url.hostname}:${hasPort ? url.port || '443' : '8443'}`
}

/** @throws PlatenError PEER_CODE */
function readCode(typed: string): string {
  const code = typed.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (code.length === CODE.letters) return code
  throw new PlatenError('PEER_CODE', say('codeLength', { count: CODE.letters }))
}

const LONGEST = 200
const JOIN_TEXTS = ['id', 'name', 'port', 'pin', 'nonce', 'key', 'proof'] as const

/** @throws PlatenError FIELD_INVALID */
function readJoin(body: Readonly<Record<string, unknown>>): Join {
  const texts = JOIN_TEXTS.map((name) => [name, readText(body, name)] as const)
  const join = Object.fromEntries(texts) as unknown as Join
  if (/^\d{1,5}$/.test(join.port) && IDENTITY.test(join.id)) return join
  throw new PlatenError('FIELD_INVALID', 'The pairing is not as this version knows it.')
}

function readText(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name]
  if (typeof value === 'string' && value.length <= LONGEST) return value
  throw new PlatenError('FIELD_INVALID', `${name}: wanted a text.`)
}

function readWelcome(body: Readonly<Record<string, unknown>>, address: string): Welcome {
  try {
    const [id, name, key, proof] = [
      readText(body, 'id'),
      readText(body, 'name'),
      readText(body, 'key'),
      readText(body, 'proof'),
    ] as [string, string, string, string]
    if (IDENTITY.test(id)) return { id, name, key, proof }
  } catch {
    // Said below.
  }
  throw new PlatenError('PEER_UNREACHABLE', say('noSuchServer', { where: address }))
}

/**
 * Returns the JSON of a good answer.
 * @throws PlatenError PEER_CODE, PEER_UNREACHABLE
 */
function accept(answer: PeerAnswer, address: string): Readonly<Record<string, unknown>> {
  if (answer.kind === 'lost') throw answer.error
  const { status, json } = answer
  if (status === 200) return json
  const { code, Message: message, hint, texts } = json
  if (code === 'PEER_CODE' && typeof message === 'string') {
    const more = typeof hint === 'string' ? { hint: readSaid(hint, texts, 'hint') } : {}
    throw new PlatenError('PEER_CODE', readSaid(message, texts, 'message'), more)
  }
  const what = typeof message === 'string' ? `: ${tidyText(message, LONGEST)}` : ''
  throw new PlatenError('PEER_UNREACHABLE', say('boxAnswers', { name: address }), {
    hint: say('sameVersion'),
    detail: `It answered ${status}${what}`,
  })
}
