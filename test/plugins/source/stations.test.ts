import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import {
  makeLabel,
  marksOf,
  plain,
  putAll,
  type SourceRig,
  Station,
  startStation,
} from '../../conformance/source.ts'
import { LARGE_BYTES, TcpSink } from '../../devices/tcp-sink.ts'
import { startServer } from '../../e2e/server.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'

t.setTimeout(600_000)

const COUNT = 200
const TTR_S = 15 // a busy machine must get its "touch" out in a third of it

for (const ack of ['spooled', 'printed'] as const) {
  t.test(
    `three stations share a queue and one printer stalls (ack: ${ack}): the healthy ones print everything`,
    { skip: noBeanstalkd },
    async (t) => {
      const daemon = await BeanstalkdDaemon.start(t, '-z', String(20_000_000))
      const rig: SourceRig = {
        queue: { type: 'beanstalkd', endpoint: daemon.endpoint, tube: 'shared' },
        takeBackSeconds: TTR_S,
        put: (message) => daemon.put('shared', message, TTR_S),
        waiting: async () => (await daemon.count('shared')).waiting,
        restart: () => Promise.resolve(),
        freeze: () => undefined,
        thaw: () => undefined,
        slow: () => undefined,
        quick: () => undefined,
      }
      const folder = t.testdir({ stalled: {}, left: {}, right: {} })
      const sink = await TcpSink.open({ stall: true })
      const stalled = await startStation(t, rig, { ack, sink, folder: `${folder}/stalled` })
      // The first label is in the printer's hand when it stalls.
      await rig.put(plain(makeLabel('first', LARGE_BYTES)))
      await poll('the stall to be seen', async () => (await stalled.source()).state === 'waiting')
      t.match(spoken((await stalled.source()).message), /A takes no data/)
      const healthy = [
        await startStation(t, rig, { ack, folder: `${folder}/left` }),
        await startStation(t, rig, { ack, folder: `${folder}/right` }),
      ]
      const marks = [...marksOf('Q', COUNT)]
      await putAll(rig, marks, 2_000)
      // Both take their part, however long the machine lets one of them stand still.
      await poll('both to print some', async () => {
        if (healthy.every((station) => station.ended > COUNT / 10)) return true
        await rig.put(plain(makeLabel(`Q${marks.length}`, 2_000)))
        marks.push(`Q${marks.length}`)
        return false
      })
      const printed = (): readonly string[] => healthy.flatMap((station) => station.printed())
      const ended = (): number => healthy.reduce((sum, station) => sum + station.ended, 0)
      await poll('the healthy ones to print everything', () => ended() >= marks.length, 120)
      t.same([...printed()].sort(), [...marks].sort(), 'each label once')
      await isAlone(stalled)
      // A label is acknowledged a moment after the printer has it.
      const kept = ack === 'printed' ? 1 : 0
      await poll('their acknowledgements', async () => (await rig.waiting()) === kept)
      // Longer than the broker waits: the label in the printer stays ours.
      if (ack === 'printed') {
        await new Promise((resolve) => setTimeout(resolve, TTR_S * 1000 + 2_000))
        t.equal(ended(), marks.length, 'nobody else was given it')
      }
      sink.behave({})
      await poll('the stalled one to go on', () => stalled.ended === 1)
      await poll('its acknowledgement', async () => (await rig.waiting()) === 0)
      t.same(stalled.printed(), ['first'])
      t.match(spoken(await stalled.sourceIn('running')), { warning: '', taken: 1 })
    },
  )
}

const [SHARES, SENDS] = ['watch shared\r\n', 'watch another\r\n']
/** Every connection watches the tube `default` until it says otherwise. */
const [SHARES_USUAL, SENDS_USUAL] = [
  'watch another\r\nignore default\r\nreserve-with-timeout 0\r\nwatch default\r\n',
  'watch another\r\n',
]

for (const { title, redelivered, other: lines, tube = 'shared', holds } of [
  { title: 'where the owner wants it so', redelivered: 'hold', other: SENDS, holds: true },
  { title: 'where another station is seen', other: SHARES, holds: true },
  { title: 'not for one alone', other: SENDS, holds: false },
  { title: 'nor against the owner', redelivered: 'print', other: SHARES, holds: false },
  { title: 'on the usual tube too', tube: 'default', other: SHARES_USUAL, holds: true },
  { title: 'not with a sender on it', tube: 'default', other: SENDS_USUAL, holds: false },
]) {
  t.test(
    `a label that another station had and did not give back waits for a person, ${title}`,
    { skip: noBeanstalkd },
    async (t) => {
      const daemon = await BeanstalkdDaemon.start(t)
      const queue = { type: 'beanstalkd', endpoint: daemon.endpoint, tube }
      const marks = ['lost', 'returned', 'buried', 'fresh'] as const
      for (const mark of marks) await daemon.put(tube, plain(makeLabel(mark, 900)))
      const killed = connect(daemon.port, '127.0.0.1')
      killed.write(
        'reserve-job 1\r\nreserve-job 2\r\nrelease 2 0 0\r\nreserve-job 3\r\nbury 3 0\r\n',
      )
      await untilSaid(killed, 'BURIED')
      killed.destroy()
      await daemon.ask('kick-job 3', /^KICKED/)
      const other = connect(daemon.port, '127.0.0.1')
      t.teardown(() => other.destroy())
      other.write(lines)
      await untilSaid(other, tube === 'default' && holds ? 'TIMED_OUT' : 'WATCHING 2')
      const rig = { queue: { ...queue, redelivered } } as unknown as SourceRig
      const station = await startStation(t, rig)
      const out = holds ? ['buried', 'fresh', 'returned'] : ['buried', 'fresh', 'lost', 'returned']
      await poll('the others to come out', () => station.ended === out.length)
      await poll('all to leave the tube', async () => (await daemon.count(tube)).waiting === 0)
      t.same([...station.printed()].sort(), out)
      const held = (await station.jobs()).filter(({ state }) => state === 'pending-held')
      t.equal(held.length, holds ? 1 : 0)
      if (!holds) return
      t.match(held, [{ code: 'JOB_DUPLICATE', reasons: ['platen-duplicate'] }])
      t.match(spoken(held[0]?.message), /^Another print server received this label before/)
    },
  )
}

t.test(
  'two stations share a queue whose labels name their printers: each prints its own',
  { skip: noBeanstalkd },
  async (t) => {
    const daemon = await BeanstalkdDaemon.start(t)
    const queue = { type: 'beanstalkd', endpoint: daemon.endpoint, tube: 'shared' }
    const folders = t.testdir({ Left: {}, Right: {} })
    const benches = await Promise.all(
      ['Left', 'Right'].map(async (name) => {
        const sink = await TcpSink.openFor(t)
        const config = { printers: [{ name, uri: sink.uri }], queues: [queue] }
        return new Station(await startServer(t, { folder: `${folders}/${name}`, config }), sink)
      }),
    )
    const put = (mark: string, printer: string): Promise<unknown> =>
      daemon.put('shared', JSON.stringify({ label: plain(makeLabel(mark, 500)), printer }), 5)
    for (let index = 0; index < 6; index++) {
      await put(`Left${index}`, 'Left')
      await put(`Right${index}`, 'Right')
    }
    await put('Nobody', 'Nobody')
    /**
     * Kicks the messages that the wrong station gave back: they wait for longer and longer; kicked, each is given to one of the two at
     * once.
     */
    const kick = async (ids: readonly number[]): Promise<false> => {
      for (const id of ids) await daemon.ask(`kick-job ${id}`, /^(KICKED|NOT_FOUND)/)
      // Not more often: one that was given away 60 times is buried.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      return false
    }
    const labels = Array.from({ length: 12 }, (_, index) => index + 1)
    for (const [index, name] of ['Left', 'Right'].entries()) {
      const station = benches[index]
      const hasAll = (): boolean => (station?.ended ?? 0) >= 6
      await poll(`the labels of ${name}`, async () => hasAll() || (await kick(labels)))
      const marks = [...(station?.printed() ?? [])].sort()
      t.same(
        marks,
        Array.from({ length: 6 }, (_, number) => `${name}${number}`),
      )
      await poll('the stranger', async () => {
        const source = await station?.source()
        const isSeen = /given back for another station/.test(source?.refusal ?? '')
        return isSeen || (await kick([labels.length + 1]))
      })
    }
    await poll('the stranger to wait', async () => (await daemon.count('shared')).waiting === 1)
    t.equal((await daemon.count('shared')).buried, 0)
  },
)

async function untilSaid(connection: Socket, word: string): Promise<void> {
  let said = ''
  while (!said.includes(word)) said += String((await once(connection, 'data'))[0])
}

/** It has the label that stalls, and nothing else. */
async function isAlone(station: Station): Promise<void> {
  t.equal((await station.jobs()).length, 1, 'the stalled one pulled nothing more')
}
