import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { boundConnections } from '../../src/http/connections.ts'

interface Rig {
  readonly answers: ServerResponse[]
  open(): Promise<Socket>
  /** Sends a request; the test answers it. */
  ask(socket: Socket): Promise<ServerResponse>
}

async function startRig(t: Test, most: number): Promise<Rig> {
  const answers: ServerResponse[] = []
  const server = createServer()
  const note = boundConnections(server, most)
  server.on('request', (incoming, outgoing) => {
    note(incoming, outgoing)
    answers.push(outgoing)
    server.emit('asked')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    answers,
    async open() {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined).resume()
      await Promise.all([once(socket, 'connect'), once(server, 'connection')])
      return socket
    },
    async ask(socket) {
      const asked = once(server, 'asked')
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await asked
      const answer = answers.at(-1)
      if (answer === undefined) throw new Error('no request came')
      return answer
    },
  }
}

t.test('clients that connect and say nothing keep nobody out', async (t) => {
  const rig = await startRig(t, 3)
  const first = await rig.open()
  const second = await rig.open()
  await rig.open()
  const closed = once(first, 'close')
  const late = await rig.open()
  await closed
  const answer = await rig.ask(late)
  const [chunk] = await Promise.all([once(late, 'data'), answer.end('served')])
  t.match(String(chunk), 'served')
  t.equal(second.destroyed, false, 'only the one that was idle longest')
})

t.test('a connection with a request under way is never closed for a new one', async (t) => {
  const rig = await startRig(t, 2)
  const busy = await rig.open()
  const answer = await rig.ask(busy)
  const idle = await rig.open()
  const closed = once(idle, 'close')
  const other = await rig.open()
  await closed
  const second = await rig.ask(other)
  const refused = await rig.open()
  await once(refused, 'close')
  const [chunk] = await Promise.all([once(busy, 'data'), answer.end('still here')])
  t.match(String(chunk), 'still here')
  second.end()
})

t.test('who asked last is kept longest', async (t) => {
  const rig = await startRig(t, 2)
  const first = await rig.open()
  const second = await rig.open()
  const answer = await rig.ask(first)
  const gone = once(answer, 'close')
  answer.end('done')
  await gone
  const closed = once(second, 'close')
  await rig.open()
  await closed
  t.equal(first.destroyed, false)
})
