import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { Keys } from '../../src/http/access/keys.ts'
import type { Door } from '../../src/plugins/door/door.ts'
import { startServer } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import { makeLabel, markOf } from '../load/label.ts'
import { type DoorBench, jobs, openDoor } from '../plugins/door/door-bench.ts'
import { makeRandom } from '../random.ts'
import { poll } from '../until.ts'

/** The addresses of a door. */
export interface DoorPlace {
  /** Its own port; free where it has none. */
  readonly port: number
  /** `http://127.0.0.1:PORT` of the HTTP port; '' in this process where the door has no paths of it. */
  readonly address: string
  /** In this process. */
  readonly bench?: DoorBench
  /** An API key. */
  readonly key: string
}

/** The fate of labels as the door reported it: `unknown` = it could not tell. */
export type Verdict = 'taken' | 'refused' | 'unknown'

/** A door as its own clients see it. */
export interface DoorRig {
  readonly door: Door
  /** It has a port of its own, beside HTTP's. */
  readonly hasPort: boolean
  /** The keys that switch it on. */
  config(port: number): object
  /** Sends labels, in one request where the protocol has such; resolves when the door has said what became of them. */
  send(place: DoorPlace, labels: readonly Uint8Array[], more?: SendMore): Promise<Verdict>
  /** Begins to send a label and goes away before its end; resolves when it is gone. */
  cut(place: DoorPlace, label: Uint8Array): Promise<void>
}

/** Options of sending labels. */
export interface SendMore {
  readonly printer?: string
  /** In pieces with a pause between them. */
  readonly isSlow?: boolean
}

/** A body in pieces with a pause between them. */
export function slowly(text: string): ReadableStream<Uint8Array> {
  const pieces = text.match(/.{1,500}/gs) ?? []
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(Buffer.from(piece))
    },
  })
}

/** Behavior that a protocol cannot show, with the reason. */
export type DoorSkips = Partial<Record<'together' | 'printer', string>>

const label = (mark: string, bytes = 200): Buffer => Buffer.from(makeLabel(mark, bytes), 'latin1')
const JUNK_STREAMS = 200

/** Checks the contract of every door. */
export async function conforms(t: Test, rig: DoorRig, skips: DoorSkips = {}): Promise<void> {
  const open = async (t: Test, settings = {}): Promise<DoorPlace & { bench: DoorBench }> => {
    const port = await findClosedPort()
    const bench = await openDoor(t, rig.door, rig.config(port), settings)
    return { port, address: bench.address, bench, key: bench.keys.add('shop').key }
  }

  t.ok(rig.door.key in rig.door.settings.entries, 'its switch is one of its keys')

  await t.test('what was accepted is on disk, and prints byte for byte', async (t) => {
    const place = await open(t)
    for (const mark of ['one', 'two', 'three']) {
      t.equal(await rig.send(place, [label(mark)]), 'taken')
      t.ok(marks(place.bench).includes(mark), 'on disk when the door says so')
    }
    t.same(marks(place.bench), ['one', 'two', 'three'])
    await poll('all to be printed', () => states(place.bench).every((one) => one === 'completed'))
    t.same(place.bench.bench.faults, [])
  })

  await t.test(
    'all labels of a request are taken or none',
    { skip: skips.together ?? false },
    async (t) => {
      const place = await open(t)
      t.equal(await rig.send(place, [label('good'), Buffer.from('no label at all')]), 'refused')
      t.same(jobs(place.bench), [])
      t.equal(await rig.send(place, [label('one'), label('two')]), 'taken')
      t.same(marks(place.bench), ['one', 'two'])
    },
  )

  await t.test(
    'an unknown printer never becomes another one',
    { skip: skips.printer ?? false },
    async (t) => {
      const place = await open(t)
      t.equal(await rig.send(place, [label('lost')], { printer: 'Nobody' }), 'refused')
      t.same(jobs(place.bench), [])
      t.equal(await rig.send(place, [label('found')], { printer: 'B' }), 'taken')
      t.same(
        jobs(place.bench).map(({ printer }) => printer),
        ['B'],
      )
    },
  )

  await t.test('what is not a label never prints, and the next label does', async (t) => {
    const place = await open(t)
    const random = makeRandom(18)
    for (let index = 0; index < JUNK_STREAMS; index++) {
      const junk = Buffer.from(Array.from({ length: 1 + random() * 300 }, () => random() * 256))
      await rig.send(place, [junk])
    }
    t.equal(await rig.send(place, [label('good')]), 'taken')
    await poll('it to be printed', () => states(place.bench).includes('completed'))
    t.same(jobs(place.bench).filter(({ state }) => state === 'completed').length, 1)
    t.same(place.bench.bench.faults, [])
  })

  await t.test('a label that is too large is not taken, and the next one is', async (t) => {
    const place = await open(t)
    await place.bench.configure({ ...rig.config(place.port), max_body_mb: 0.1 })
    t.not(await rig.send(place, [label('large', 300_000)]), 'taken')
    t.equal(await rig.send(place, [label('small')]), 'taken')
    const labels = jobs(place.bench).filter(({ format }) => format !== 'unknown')
    t.equal(labels.length, 1, 'what is kept of the large one is evidence')
  })

  await t.test('a slow client gets its label printed', async (t) => {
    const place = await open(t)
    t.equal(await rig.send(place, [label('slow', 2_000)], { isSlow: true }), 'taken')
    t.same(marks(place.bench), ['slow'])
  })

  await t.test('many clients at once lose nothing and double nothing', async (t) => {
    const place = await open(t)
    const wanted = Array.from({ length: 120 }, (_, index) => `mark-${index}`)
    const taken: string[] = []
    const client = async (own: readonly string[]): Promise<void> => {
      for (const mark of own) {
        if ((await rig.send(place, [label(mark, 5_000)])) === 'taken') taken.push(mark)
      }
    }
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => client(wanted.slice(at * 10, at * 10 + 10))),
    )
    t.same(taken.toSorted(), wanted.toSorted())
    t.same(marks(place.bench).toSorted(), wanted.toSorted())
  })

  await t.test('a label that is cut in the middle never prints', async (t) => {
    const place = await open(t)
    for (let index = 0; index < 5; index++) await rig.cut(place, label(`cut-${index}`, 50_000))
    t.equal(await rig.send(place, [label('whole')]), 'taken')
    await poll('the whole one to be printed', () => states(place.bench).includes('completed'))
    const printed = jobs(place.bench).filter(({ state }) => state === 'completed')
    t.equal(printed.length, 1)
    t.same(place.bench.bench.faults, [])
  })

  await t.test('what was taken before a kill is there after the restart, once', async (t) => {
    const folder = t.testdir()
    const port = await findClosedPort()
    const config = {
      host: '127.0.0.1',
      printers: [{ name: 'A', uri: 'file:a' }],
      ...rig.config(port),
    }
    mkdirSync(`${folder}/state`, { recursive: true })
    const { key } = new Keys(`${folder}/state`).add('shop')
    const taken: string[] = []
    let server = await startServer(t, { folder, config })
    for (let round = 0; round < 2; round++) {
      const place = { port, address: server.address, key }
      await poll('the door to open', () =>
        isOpen(rig.hasPort ? port : Number(new URL(server.address).port)),
      )
      const sending = (async () => {
        for (let index = 0; index < 1_000; index++) {
          const mark = `round-${round}-${index}`
          const verdict = await rig.send(place, [label(mark)]).catch(() => 'unknown')
          if (verdict !== 'taken') return
          taken.push(mark)
        }
      })()
      await poll('some to be taken', () => taken.length > 10 * (round + 1))
      await server.kill()
      await sending
      server = await startServer(t, { folder, config })
    }
    const found = await wireMarks(server.address)
    t.equal(new Set(found).size, found.length, 'none twice')
    t.same(
      taken.filter((mark) => !found.includes(mark)),
      [],
      'none lost',
    )
    t.ok(found.length - taken.length <= 2, 'at most the one whose answer was lost in each kill')
    t.equal(await server.stop(), 0)
  })
}

/** For doors without a port of their own `port` is that of HTTP. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function wireMarks(address: string): Promise<readonly string[]> {
  const found: string[] = []
  let before = ''
  for (;;) {
    const page = (await (await fetch(`${address}/jobs?limit=200${before}`)).json()) as {
      id: string
    }[]
    for (const { id } of page) {
      const { lines } = (await (await fetch(`${address}/jobs/${id}/label`)).json()) as {
        lines: string[]
      }
      found.push(markOf(lines.join('\n')))
    }
    if (page.length < 200) return found
    before = `&before=${page.at(-1)?.id}`
  }
}

function states(bench: DoorBench): readonly string[] {
  return jobs(bench).map(({ state }) => state)
}

function marks(bench: DoorBench): readonly string[] {
  return jobs(bench).map(({ id }) =>
    markOf(Buffer.from(bench.bench.spool.history.label(id) ?? []).toString('latin1')),
  )
}
