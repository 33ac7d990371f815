import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { makeLabel, plain, Station } from '../../conformance/source.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { startServer } from '../../e2e/server.ts'
import { isLong } from '../../suite/long.ts'
import { poll } from '../../until.ts'
import { breaks, drips, floods, gives, hangs, Receiver, says } from './receiver.ts'

t.setTimeout(600_000)

/** Memory of the program in MB of 10^6 bytes, without the pages of Node itself that its compilers touch sooner or later. */
function ownMb(pid: number): number {
  const kb = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kb) * 1024) / 1e6
}

t.test(
  'a hostile receiver moves the memory by less than 10 MB, repeats nothing, and the next beat is on time',
  { skip: process.platform === 'linux' ? false : 'memory is read from /proc' },
  async (t) => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 32))
    const packed = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const list = gives({ labels: [plain(makeLabel('H1')), plain(makeLabel('H2'))] })
    const first = gives({ labels: [plain(makeLabel('W'))] })
    // Code that reads such answers is loaded with the first of them.
    const html = { 'content-type': 'text/html' }
    const gentle = [says(500, 'x'), says(200, '<html>', html), says(204)]
    const receiver = await Receiver.open(t, first, ...gentle)
    const sink = await TcpSink.openFor(t)
    const config = {
      printers: [{ name: 'A', uri: sink.uri }],
      heart_beat_url: `${receiver.origin}/beat`,
      heart_beat_interval: 1,
    }
    const station = new Station(await startServer(t, { folder: t.testdir(), config }), sink)
    await poll('the first label', () => station.ended >= 1)
    await receiver.until(5)
    const before = ownMb(station.server.pid)
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, ownMb(station.server.pid))
    }, 20)
    t.teardown(() => clearInterval(watch))
    const hostile = [
      (response: import('node:http').ServerResponse) => {
        response.writeHead(200, packed).end(bomb)
      },
      floods(50_000_000),
      breaks,
      says(500, 'x'.repeat(1_000_000)),
      says(200, `<html>${'<p>'.repeat(300_000)}`, html),
      says(302, '', { location: 'http://192.0.2.1/' }),
      // Half a minute each; heartbeat.test.ts has them with a shorter patience.
      ...(isLong ? [hangs, drips] : []),
    ]
    const begin = receiver.beats.length
    receiver.play(list, ...hostile.flatMap((manner) => [manner, list]), says(204))
    await poll('all of it', () => receiver.beats.length > begin + hostile.length * 2 + 2, 400)
    await poll('the labels', () => station.ended >= 3)
    clearInterval(watch)
    t.same([...station.printed()].sort(), ['H1', 'H2', 'W'], 'no duplicate')
    t.equal((await station.jobs()).length, 3)
    t.ok(most - before < 10, `${before.toFixed(1)} MB before, ${most.toFixed(1)} at most`)
    t.comment(`${before.toFixed(1)} MB before, ${most.toFixed(1)} at most`)
    const gaps = receiver.beats
      .slice(begin)
      .map(({ at }, index) => at - (receiver.beats[begin + index - 1]?.at ?? 0))
    // One failure doubles the pause: 2 s and a tenth. Who hangs or drips is cut short after 30 s; more failures in a row
    // would double the pause on.
    t.ok(
      gaps.every((ms) => ms < 90_000),
      `${gaps.map((ms) => Math.round(ms))}`,
    )
    t.match(await station.source(), { type: 'heartbeat', state: 'running' })
  },
)

t.test('nothing is sent when no address is set, and a new one counts at once', async (t) => {
  const receiver = await Receiver.open(t, says(204))
  const server = await startServer(t, { folder: t.testdir(), config: {}, flags: ['--demo'] })
  t.same(await (await server.get('/sources')).json(), [])
  const config = (await (await server.get('/config')).json()) as object
  const put = (changes: object): Promise<Response> =>
    fetch(`${server.address}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...config, ...changes }),
    })
  const saved = await put({ heart_beat_url: receiver.origin, heart_beat_interval: 1 })
  t.match(await saved.json(), { Status: 'OK', restart: [] })
  await receiver.until(2)
  t.match(JSON.parse(receiver.beats[0]?.body ?? ''), {
    printer: { printer: 'Demo printer', available_printers: ['Demo printer'], online: '1' },
  })
  await put({})
  const count = receiver.beats.length
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  t.ok(receiver.beats.length <= count + 1, 'and no more when it is taken out')
  t.same(await (await server.get('/sources')).json(), [])
})
