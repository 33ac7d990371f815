import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import t from 'tap'
import { Keys, SCOPES } from '../../../src/http/access/keys.ts'
import { runShip } from '../../../src/plugins/shipping/ship-command.ts'
import { listen } from '../../listen.ts'

t.test('platen ship has a key for one call, and prints the answer', async (t) => {
  const folder = t.testdir()
  const seen: (string | undefined)[] = []
  const server = createServer((incoming, outgoing) => {
    const key = String(incoming.headers['x-api-key'])
    seen.push(incoming.url, new Keys(folder).find(key)?.scopes.join())
    outgoing.end('{"meta":{"code":400}}')
  })
  const place = { host: 'localhost', port: String(await listen(t, server)) }
  const input = () => Readable.from([Buffer.from('{}')])
  const end = await runShip(input(), place, folder)
  t.same(end, { code: 0, text: '{"meta":{"code":400}}\n' }, 'the answer says that it was refused')
  t.same(seen, ['/v1', 'rate,ship,track,print,debug'])
  t.same(new Keys(folder).list(), [])
  server.close()
  t.match(await runShip(input(), { ...place, port: '1' }, folder), {
    code: 1,
    text: /Is it running/,
  })
})

t.test('keys of calls that were ended in the middle leave room for others', async (t) => {
  const folder = t.testdir()
  const keys = new Keys(folder)
  const living = `platen ship ${process.ppid}`
  keys.add(living, SCOPES)
  keys.add('platen ship 9000000') // somebody's own: not with the rights of a call
  keys.add(`platen ship ${process.pid}`, SCOPES) // a container gives the same numbers again
  // As many as there may be. No process has such a number.
  for (let n = 3; n < 100; n += 1) keys.add(`platen ship ${9_000_000 + n}`, SCOPES)
  const server = createServer((_, outgoing) => outgoing.end('{}'))
  const place = { host: 'localhost', port: String(await listen(t, server)) }
  const end = await runShip(Readable.from([Buffer.from('{}')]), place, folder)
  t.same(end, { code: 0, text: '{}\n' })
  t.same(
    keys.list().map(({ name }) => name),
    [living, 'platen ship 9000000'],
  )
})

t.test('platen ship hands on the answer though its key is gone by then', async (t) => {
  const folder = t.testdir()
  const server = createServer((_incoming, outgoing) => {
    // As another command leaves it that wrote its own key at the same moment.
    writeFileSync(join(folder, 'keys.json'), '[]')
    outgoing.end('{"meta":{"code":200}}')
  })
  const place = { host: 'localhost', port: String(await listen(t, server)) }
  const end = await runShip(Readable.from([Buffer.from('{}')]), place, folder)
  t.same(end, { code: 0, text: '{"meta":{"code":200}}\n' })
})

t.test('platen ship never calls for a second try of what may have been bought', async (t) => {
  const folder = t.testdir()
  const server = createServer((incoming) => void incoming.socket.destroy())
  const place = { host: 'localhost', port: String(await listen(t, server)) }
  const { code, text } = await runShip(Readable.from([Buffer.from('{}')]), place, folder)
  t.equal(code, 1)
  t.match(text, /^No answer came from port \d+ \(\w+\), but the call may have been done\./)
  t.match(text, /same request_id it is not done twice/)
  t.same(new Keys(folder).list(), [])
})

t.test(
  'platen ship makes an id and repeats the call with it when the answer is lost',
  async (t) => {
    const folder = t.testdir()
    const bodies: string[] = []
    const server = createServer((incoming, outgoing) => {
      void readText(incoming).then((body) => {
        bodies.push(body)
        if (bodies.length < 3) outgoing.destroy()
        else outgoing.end('{"meta":{"code":200}}')
      })
    })
    const place = { host: 'localhost', port: String(await listen(t, server)) }
    const send = async (call: string, terminal?: Parameters<typeof runShip>[3]) => {
      bodies.length = 0
      return await runShip(Readable.from([Buffer.from(call)]), place, folder, terminal)
    }
    const words: string[] = []
    const terminal = { isTTY: true, write: (text: string) => words.push(text) }
    const end = await send(
      ' {"action":"SubmitShipment","params":{"n":12345678901234567890}}',
      terminal,
    )
    t.same(end, { code: 0, text: '{"meta":{"code":200}}\n' })
    t.equal(bodies.length, 3)
    t.match(bodies[0], /^ \{"request_id":"[\w-]{36}","action".*12345678901234567890/)
    t.equal(new Set(bodies).size, 1, 'the same each time')
    t.match(words.join(''), /asking again/)

    await send('{"action":"VoidShipment","request_id":"order-7"}')
    t.same(new Set(bodies), new Set(['{"action":"VoidShipment","request_id":"order-7"}']))
    await send('{"action":"SubmitShipment","params":{"requestId":"order-7"}}')
    t.notMatch(bodies[0], 'request_id', 'one that it has, wherever it stands, stays')

    const list = await send('[{"action":"Track"},{"action":"SubmitShipment"}]')
    t.equal(list.code, 1)
    t.equal(bodies.length, 1, 'a list with a purchase without id is not sent twice')
    t.same(new Keys(folder).list(), [])
  },
)

t.test('platen ship waits for a server that is started again', async (t) => {
  const folder = t.testdir()
  const bodies: string[] = []
  const serve = () =>
    createServer((incoming, outgoing) => {
      void readText(incoming).then((body) => {
        bodies.push(body)
        if (bodies.length > 1) outgoing.end('{"meta":{"code":200}}')
        else {
          first.close()
          first.closeAllConnections()
          setTimeout(() => serve().listen(port, '127.0.0.1').unref(), 700)
        }
      })
    })
  const first = serve()
  const port = await listen(t, first)
  const call = '{"action":"SubmitShipment","request_id":"a"}'
  const place = { host: 'localhost', port: String(port) }
  const end = await runShip(Readable.from([Buffer.from(call)]), place, folder)
  t.same(end, { code: 0, text: '{"meta":{"code":200}}\n' })
  t.same(bodies, [call, call])
})
