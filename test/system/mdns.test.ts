import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import bonjour from 'bonjour-service'
import t from 'tap'
import { joinGroup } from '../../src/printers/known/mdns.ts'
import { isReachable } from '../../src/system/address.ts'
import { announceServices } from '../../src/system/mdns.ts'
import { NO_MULTICAST, openGroup } from '../multicast.ts'

const txt = { path: '/', version: '1.2.3', tls: '8443' }
const SERVICES = ['http', 'platen'].map((type) => ({
  name: 'Label printer bench',
  type,
  port: 8080,
  txt,
}))
const HOST = { host: 'bench.local' }

t.test('a server that listens to its own computer only is not announced', (t) => {
  t.notOk(isReachable('localhost') || isReachable('127.0.0.1') || isReachable('::1'))
  t.ok(isReachable('') && isReachable('192.168.1.5'))
  t.end()
})

t.test('both services are found on the network, with version and HTTPS port', async (t) => {
  const group = await openGroup()
  if (group === undefined) return t.plan(0, NO_MULTICAST)
  const { place, socket } = group
  const { port } = place
  const stopping = new AbortController()
  const tell = await announceServices({ ...HOST, socket, udpPort: port }, stopping.signal)
  tell(SERVICES)
  const ear = await joinGroup(place)
  const options: object = { port, socket: ear, bind: false }
  const listener = new bonjour.Bonjour(options, () => undefined)
  for (const type of ['http', 'platen']) {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const browser = listener.find({ type }, resolve)
    const asking = setInterval(() => browser.update(), 500)
    t.match(await promise, {
      name: 'Label printer bench',
      host: 'bench.local',
      port: 8080,
      txt: { path: '/', version: '1.2.3', tls: '8443' },
    })
    clearInterval(asking)
  }
  listener.destroy()
  stopping.abort()
})

t.test('a flood of questions does not silence the announcement', async (t) => {
  const group = await openGroup()
  if (group === undefined) return t.plan(0, NO_MULTICAST)
  const { place, socket } = group
  const { port } = place
  const stopping = new AbortController()
  let read = 0
  socket.on('message', () => {
    read += 1
  })
  const tell = await announceServices({ ...HOST, socket, udpPort: port }, stopping.signal)
  tell(SERVICES)
  const sender = createSocket('udp4')
  const questions = Buffer.alloc(8_412)
  questions.writeUInt16BE(700, 4)
  for (let at = 12; at < questions.length; at += 12) {
    questions.write('\x05_http\x00\x00\x0c\x00\x01', at, 'latin1')
  }
  for (let count = 0; count < 500; count += 1) {
    await new Promise((resolve) => sender.send(questions, port, '127.0.0.1', resolve))
    if (count % 10 === 0) await new Promise(setImmediate)
  }
  sender.close()
  t.ok(read < 50, `${read} packets were parsed`)
  const ear = await joinGroup(place)
  const options: object = { port, socket: ear, bind: false }
  const listener = new bonjour.Bonjour(options, () => undefined)
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const browser = listener.find({ type: 'platen' }, resolve)
  const asking = setInterval(() => browser.update(), 500)
  t.match(await promise, { name: 'Label printer bench', port: 8080 })
  clearInterval(asking)
  listener.destroy()
  stopping.abort()
})

t.test('without multicast nothing is told and nothing fails', async (t) => {
  const tell = await announceServices({ ...HOST, socket: undefined }, new AbortController().signal)
  tell(SERVICES)
  t.pass()
})

t.test('a program that has no more files to open goes on', (t) => {
  const module = new URL('../../src/system/mdns.ts', import.meta.url).href
  const script = `import { openSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { tellUnderFreeName } from ${JSON.stringify(module)}
    const named = { first: 'x', given: 'x.local', list: () => [], renamed: () => undefined }
    const join = () => Promise.resolve(undefined)
    const { signal } = new AbortController()
    await tellUnderFreeName({ ...named, join, addressesMs: 5 }, signal)
    try {
      for (;;) openSync('/dev/null')
    } catch (error) {
      if (error.code !== 'EMFILE') throw error
    }
    await setTimeout(100)
    process.stdout.write('goes on')`
  const node = [process.execPath, '--input-type=module', '-e', script]
  // os.networkInterfaces needs one, and throws without.
  const limited = ['-c', 'ulimit -n 200 && exec "$0" "$@"', ...node]
  const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' })
  t.equal(stdout, 'goes on', stderr)
  t.end()
})
