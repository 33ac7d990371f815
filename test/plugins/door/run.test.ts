import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { Door, DoorBox } from '../../../src/plugins/door/door.ts'
import { Doors } from '../../../src/plugins/door/run.ts'
import { type RawKeys, settings } from '../../../src/plugins/raw/settings.ts'
import type { Config } from '../../../src/settings/schema.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'

/** A door that says a word to everybody who connects to its port; the raw port of the settings stands for its word. */
function makeDoor(): Door<number, RawKeys> & { starts: number; fails: number; port: number } {
  const door = {
    name: 'word',
    title: 'Words',
    key: 'raw_port',
    settings,
    starts: 0,
    fails: 0,
    port: 0,
    read: ({ raw_port: word }: RawKeys) => word,
    lines: (word: number, { host }: { host: string }) => [
      { where: quoteEnglish('there'), line: `${host} ${word}` },
    ],
    async start(word: number, box: DoorBox, signal: AbortSignal) {
      door.starts += 1
      if (door.fails > 0) {
        door.fails -= 1
        throw new PlatenError('PORT_TAKEN', 'The port is taken.')
      }
      const server = createServer((socket) => {
        box.ownerOf(socket.remoteAddress)
        socket.end(String(word))
      })
      server.listen(door.port, '127.0.0.1')
      await once(server, 'listening')
      door.port = (server.address() as AddressInfo).port
      const closed = once(server, 'close').then(() => undefined)
      signal.addEventListener('abort', () => server.close())
      return { places: [`port ${door.port}`], closed }
    },
  }
  return door
}

function startDoors(t: Test, door: Door) {
  const faults: unknown[] = []
  const log: string[] = []
  const box = {
    log: { info: (_: object, event: string) => log.push(event), warn: () => undefined },
    fault: (error: unknown) => faults.push(error),
    ownerOf: () => '',
  } as unknown as DoorBox
  const doors = new Doors({ box, list: [door], backOff: { firstMs: 1, mostMs: 2 } })
  t.teardown(() => doors.stop())
  const configure = (word?: number) => doors.configure({ raw_port: word } as Config & RawKeys)
  const untilOpen = () => poll('the door to open', () => doors.list()[0]?.state === 'open')
  return { doors, configure, untilOpen, faults, log }
}

async function listen(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

t.test('an off door is never started, and a switched one follows the settings', async (t) => {
  const door = makeDoor()
  const { doors, configure, untilOpen } = startDoors(t, door)
  configure()
  t.same([door.starts, doors.list()], [0, []])
  configure(1)
  await untilOpen()
  t.equal(await listen(door.port), '1')
  configure(1)
  t.equal(door.starts, 1, 'the same settings change nothing')
  configure(2)
  await untilOpen()
  t.equal(await listen(door.port), '2', 'on the same port, which the one before has left')
  configure()
  await doors.stop()
  await t.rejects(listen(door.port), { code: 'ECONNREFUSED' })
})

t.test('the page is told of every door', async (t) => {
  const door = makeDoor()
  const { doors, configure, untilOpen } = startDoors(t, door)
  const at = { host: 'printserver.local', port: '80', securePort: '' }
  const told = { name: 'word', title: 'Words', key: 'raw_port', message: '', contactAt: 0 }
  t.same(spoken(doors.tell(at)), [{ ...told, state: 'off', places: [], lines: [] }])
  configure(7)
  await untilOpen()
  const lines = [{ where: 'there', line: 'printserver.local 7' }]
  t.same(spoken(doors.tell(at)), [{ ...told, state: 'open', places: [`port ${door.port}`], lines }])
  const before = Date.now()
  await listen(door.port)
  t.ok((doors.tell(at)[0]?.contactAt ?? 0) >= before, 'somebody came')
})

t.test('a door whose port is taken says so and opens later', async (t) => {
  const door = makeDoor()
  door.fails = Number.POSITIVE_INFINITY
  const { doors, configure, untilOpen, faults, log } = startDoors(t, door)
  configure(1)
  await poll('the door to fail', () => doors.list()[0]?.state === 'failing')
  t.match(spoken(doors.list()[0]?.message), /^The port is taken\. Stop the other program/)
  door.fails = 0
  await untilOpen()
  t.same([faults, log], [[], ['door open']])
  t.same(doors.list()[0]?.places, [`port ${door.port}`])
})

t.test('the doors end with the program, though one never opened', async (t) => {
  const door = makeDoor()
  door.fails = Number.POSITIVE_INFINITY
  const { doors, configure } = startDoors(t, door)
  configure(1)
  await doors.stop()
  configure(2)
  t.same(doors.list(), [])
})
