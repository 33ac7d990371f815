// Labels that are none, large or packed small: many at the same moment, or many in one request.
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Intake } from '../../src/core/intake/intake.ts'
import { LabelMemory } from '../../src/core/request/reader.ts'
import { unpackLabel } from '../../src/labels/detect/detect.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { Bench, printer } from '../core/bench.ts'
import { zplLabel } from '../core/labels.ts'
import { processorMs } from '../labels/processor-time.ts'

const BYTES = 15 * 2 ** 20
const fill = (piece: string, bytes = BYTES) => Buffer.alloc(bytes, piece, 'latin1')

function open(t: Test): Intake {
  return new Bench(t, { printers: [printer('A', 'file:a')], defaultName: 'A' }).intake
}

/** Counts the turns of the event loop. */
class Turns {
  now = 0
  #isOver = false
  readonly #end = this.#count()

  async #count(): Promise<void> {
    while (!this.#isOver) {
      await turn()
      this.now += 1
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#end
  }
}

function ask(intake: Intake, network: string, ...labels: readonly Uint8Array[]) {
  return intake.takeTogether({ labels, options: {}, source: 'http', network })
}

t.test(
  'requests of large or packed labels are looked at in turns, their senders by turns',
  async (t) => {
    const intake = open(t)
    const json = fill('[{"name": "value"}, ', 2 ** 20)
    for (const label of [json, gzipSync(json)]) {
      await using turns = new Turns()
      const ends: { sender: string; at: number }[] = []
      const send = async (sender: string): Promise<void> => {
        await t.rejects(ask(intake, sender, label), { code: 'LABEL_UNKNOWN' })
        ends.push({ sender, at: turns.now })
      }
      const all = ['a', 'a', 'a', 'a', 'b', 'b'].map(send)
      const small = ask(intake, 'c', zplLabel(label.length)).then(() => turns.now)
      await Promise.all(all)
      t.equal(new Set(ends.map(({ at }) => at)).size, ends.length, 'no two in the same turn')
      t.same(
        ends
          .slice(0, 4)
          .map(({ sender }) => sender)
          .sort(),
        ['a', 'a', 'b', 'b'],
        'who sends two is done before the third of who sends four',
      )
      t.ok((await small) < (ends.at(-1)?.at ?? 0), 'a small label waits for none')
    }
  },
)

t.test(
  'labels of a sender keep their order, and one whose client has gone is not taken',
  async (t) => {
    const intake = open(t)
    const large = fill('^XA^FDlarge^FS^XZ', 2 ** 20)
    const gone = new AbortController()
    const junk = ask(intake, 'a', fill('{"a": 1,'))
    const left = intake.takeTogether({
      labels: [large],
      options: {},
      source: 'http',
      network: 'a',
      client: () => gone.signal,
    })
    const packed = ask(intake, 'a', gzipSync(zplLabel(1)))
    const last = ask(intake, 'a', zplLabel(2))
    gone.abort()
    const refused = [
      t.rejects(junk, { code: 'LABEL_UNKNOWN' }),
      t.rejects(left, { code: 'BODY_BROKEN' }),
    ]
    await Promise.all(refused)
    const [first, second] = [(await packed).jobs[0], (await last).jobs[0]]
    t.ok((first?.seq ?? 0) < (second?.seq ?? 0), `${first?.seq} before ${second?.seq}`)
  },
)

t.test('of many packed labels that are none the first is looked at', async (t) => {
  const intake = open(t)
  const packed = gzipSync(fill('[{"name": 1}, '))
  const labels = Array.from({ length: 100 }, () => packed)
  const before = process.cpuUsage()
  await t.rejects(ask(intake, 'a', ...labels), { code: 'LABEL_UNKNOWN' })
  const { user } = process.cpuUsage(before)
  // 8 s when all were unpacked, three times each.
  t.ok(user < 3_000_000, `${user / 1_000} ms`)
})

t.test('a parked label is looked at in turns', async (t) => {
  const intake = new Bench(t, { printers: [] }).intake
  await using turns = new Turns()
  const label = fill('^XA^FO30,30^FDTurn^FS^XZ\n', 13 * 2 ** 20)
  const error = new PlatenError('PRINTER_NONE', 'There is none.')
  const taken = await intake.forSource('mqtt').park({ labels: [label], options: {} }, error)
  t.equal(taken.jobs.length, 1)
  t.ok(turns.now > 50, `${turns.now} turns`)
})

t.test('a file that is not a label is recognized without reading all of it many times', (t) => {
  const kinds = {
    'objects of JSON': fill('[{"name": "x", "value": 12345}, '),
    'a string of JSON': fill('a').fill('{"a":"', 0, 6),
    'strings of JSON': fill('","').fill('["', 0, 2),
    'a tag': fill('<a '),
    base64: fill('QUJDREVG'),
    zeros: fill('\0'),
    blanks: fill(' '),
  }
  for (const [name, bytes] of Object.entries(kinds)) {
    const memory = new LabelMemory()
    memory.append(bytes)
    const label = memory.take()
    const look = () => t.throws(() => unpackLabel(label))
    look()
    const ms = processorMs(look)
    // 15 to 80; 300 to 600 before.
    t.ok(ms < 250, `${name}: ${ms.toFixed(0)} ms`)
  }
  t.end()
})
