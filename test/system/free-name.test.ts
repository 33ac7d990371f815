import type { Socket } from 'node:dgram'
import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import { type AnnouncedService, tellUnderFreeName } from '../../src/system/mdns.ts'

t.setTimeout(120_000)

/** Names as the network has them, and the address that answers for each. */
type Others = Readonly<Record<string, readonly [name: string, kind: number, address: string]>>

/** A socket in the group of mDNS, in this process: others answer the questions that they know (RFC 1035, 4.1). */
class Ear extends EventEmitter {
  readonly #others: Others
  /** Names that were asked for. */
  readonly asked: string[]

  constructor(others: Others, asked: string[]) {
    super()
    this.#others = others
    this.asked = asked
  }

  send(message: Buffer, ...rest: readonly unknown[]): void {
    const isQuestion = ((message[2] ?? 0) & 0x80) === 0
    const length = message[12] ?? 0
    const [name, domain] = [message.subarray(13, 13 + length), message.subarray(14 + length)].map(
      (label) => label.toString('latin1'),
    )
    const isOurs = domain?.startsWith('local') ?? false
    if (isQuestion && isOurs && name !== undefined) {
      this.asked.push(name)
      const other = this.#others[name]
      if (other) setImmediate(() => this.emit('message', answer(...other), { port: 5_353 }))
    }
    const done = rest.at(-1)
    if (typeof done === 'function') done()
  }

  close(done?: () => void): void {
    done?.()
  }

  unref(): this {
    return this
  }
}

/** A response with one record: 1 is an IPv4 address, 16 a text. */
function answer(name: string, kind: number, address: string): Buffer {
  const head = Buffer.of(0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0)
  const data =
    kind === 1 ? Buffer.from(address.split('.').map(Number)) : Buffer.from(`\x03${address}`)
  return Buffer.concat([
    head,
    ...[name, 'local'].map((one) => Buffer.from(`${String.fromCharCode(one.length)}${one}`)),
    Buffer.of(0, 0, kind, 0, 1, 0, 0, 0, 120, 0, data.length),
    data,
  ])
}

interface Told {
  /** Under which hosts services were listed, in order. */
  readonly hosts: readonly string[]
  readonly renamed: readonly string[]
  readonly asked: readonly string[]
  readonly change: () => void
}

async function tell(t: Test, others: Others, given?: string): Promise<Told> {
  // The probes hold up no end of the program.
  const alive = setInterval(() => undefined, 1_000)
  const stopping = new AbortController()
  t.teardown(() => {
    clearInterval(alive)
    stopping.abort()
  })
  const [hosts, renamed, asked]: string[][] = [[], [], []]
  const list = (host: string): readonly AnnouncedService[] => {
    hosts?.push(host)
    return [{ name: 'Labels', type: 'http', port: 8_080, txt: {} }]
  }
  const named = {
    first: 'bench',
    given,
    list,
    join: () => Promise.resolve(new Ear(others, asked ?? []) as unknown as Socket),
    renamed: (name: string) => void renamed?.push(name),
  }
  const change = await tellUnderFreeName(named, stopping.signal)
  return { hosts: hosts ?? [], renamed: renamed ?? [], asked: (asked ?? []).slice(), change }
}

const RIVAL = '192.0.2.77'
const count = (told: Told, name: string): number => told.asked.filter((one) => one === name).length

t.test('a name that nobody has is ours, and each is asked for three times', async (t) => {
  const cases: Readonly<Record<string, Others>> = {
    nobody: {},
    'another name': { bench: ['other', 1, RIVAL] },
    'our own address': { bench: ['bench', 1, '127.0.0.1'] },
    'a text': { bench: ['bench', 16, 'abc'] },
  }
  await Promise.all(
    Object.entries(cases).map(async ([what, others]) => {
      const told = await tell(t, others)
      t.strictSame([told.hosts, told.renamed], [['bench.local'], []], what)
      t.equal(count(told, 'bench'), 3, 'RFC 6762, 8.1')
      told.change()
      t.strictSame(told.hosts, ['bench.local', 'bench.local'], 'what changes is told again')
    }),
  )
})

t.test('where another computer has it, we are its second, or third', async (t) => {
  const taken = (...names: readonly string[]): Others =>
    Object.fromEntries(names.map((name) => [name, [name, 1, RIVAL] as const]))
  const [second, third, last, none] = await Promise.all([
    tell(t, { bench: ['BENCH', 1, RIVAL] }),
    tell(t, taken('bench', 'bench-2')),
    tell(t, taken('bench', ...[2, 3, 4, 5, 6, 7].map((n) => `bench-${n}`))),
    tell(t, taken('bench', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `bench-${n}`))),
  ])
  t.strictSame([second.hosts, second.renamed], [['bench-2.local'], ['bench-2']])
  t.equal(count(second, 'bench'), 1, 'asked no more than needed')
  t.strictSame([third.hosts, third.renamed], [['bench-3.local'], ['bench-3']])
  t.strictSame([last.hosts, last.renamed], [['bench-8.local'], ['bench-8']])
  t.strictSame([none.hosts, none.renamed], [['bench.local'], []], 'all are taken')
})

t.test('what avahi told is free: it has looked itself', async (t) => {
  const told = await tell(t, { bench: ['bench', 1, RIVAL] }, 'bench-9.local')
  t.strictSame([told.hosts, told.renamed, told.asked], [['bench-9.local'], [], []])
  told.change()
  t.equal(told.hosts.length, 2)
})
