/** Header of a DNS message, with the counts of its four sections from byte 4 on (RFC 1035, 4.1.1). */
const HEADER_BYTES = 12
const COUNTS_AT = 4

const LONGEST_PACKET = 9_000 // RFC 6762, 17
const MOST_QUESTIONS = 50 // a browser of everything asks for some 20 at a time
const MOST_RECORDS = 400 // what fits into 9,000 bytes and is not the same over and over

const WINDOW_MS = 1_000
/** Questions and records read in a second: a hall of 200 devices that all answer at once tells some 1,500. */
const RECORDS_A_WINDOW = 2_000
/** Of one address, so that one sender does not use up what the others need; repeaters speak for a whole network. */
const RECORDS_A_SENDER = 500

/**
 * What of the network's mDNS is read at all: judged by the head of a packet, before anything is parsed. Everybody on the
 * network may send, as fast as the cable carries, and each question costs a search and an answer.
 */
export class PacketBudget {
  readonly #now: () => number
  readonly #senders = new Map<string, number>()
  #begin = Number.NEGATIVE_INFINITY
  #spent = 0

  /** @param now milliseconds, never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** True when this packet may be read. */
  admits(packet: Uint8Array, sender: string): boolean {
    const cost = countRecords(packet)
    if (cost === undefined) return false
    const now = this.#now()
    if (now - this.#begin >= WINDOW_MS) this.#renew(now)
    const own = (this.#senders.get(sender) ?? 0) + cost
    if (own > RECORDS_A_SENDER || this.#spent + cost > RECORDS_A_WINDOW) return false
    this.#spent += cost
    this.#senders.set(sender, own) // at most as many entries as the window has records
    return true
  }

  #renew(now: number): void {
    this.#begin = now
    this.#spent = 0
    this.#senders.clear()
  }
}

/** Questions and records of a packet as its head tells them; undefined when nobody who is well sends such a one. */
function countRecords(packet: Uint8Array): number | undefined {
  if (packet.length < HEADER_BYTES || packet.length > LONGEST_PACKET) return undefined
  const view = new DataView(packet.buffer, packet.byteOffset, HEADER_BYTES)
  const questions = view.getUint16(COUNTS_AT)
  const records = [2, 4, 6].reduce((sum, at) => sum + view.getUint16(COUNTS_AT + at), 0)
  if (questions > MOST_QUESTIONS || questions + records > MOST_RECORDS) return undefined
  return Math.max(1, questions + records)
}
