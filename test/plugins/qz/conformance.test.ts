import t from 'tap'
import { WebSocket } from 'ws'
import { qz } from '../../../src/plugins/qz/index.ts'
import { conforms, type DoorRig } from '../../conformance/door.ts'
import { addressOf, loadQz } from './client.ts'

const rig: DoorRig = {
  door: qz,
  hasPort: true,
  config: (port) => ({ qz_tray: true, qz_port: port - 1 }),
  async send({ port }, labels, { printer = 'A', isSlow = false } = {}) {
    if (isSlow) return await sendSlowly(port, labels)
    const client = loadQz()
    // What was asked when the connection ended may never be settled.
    const closed = new Promise<never>((_, reject) => {
      client.websocket.setClosedCallbacks(() => reject(new Error('Connection closed')))
    })
    closed.catch(() => undefined)
    try {
      await Promise.race([client.websocket.connect(addressOf(port)), closed])
      const data = labels.map((label) => ({
        type: 'raw',
        format: 'command',
        flavor: 'base64',
        data: Buffer.from(label).toString('base64'),
      }))
      await Promise.race([client.print(client.configs.create(printer), data), closed])
      await Promise.race([client.websocket.disconnect(), closed]).catch(() => undefined)
      return 'taken'
    } catch (error) {
      if (client.websocket.isActive()) void client.websocket.disconnect()
      return /Connection closed|Unable/.test(String(error)) ? 'unknown' : 'refused'
    }
  },
  async cut({ port }, label) {
    const socket = await connect(port)
    const message = makePrint(label)
    socket.send(message.slice(0, message.length / 2), { fin: false })
    socket.terminate()
    await new Promise((resolve) => socket.once('close', resolve))
  },
}

async function connect(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve))
  return socket
}

function makePrint(...labels: readonly Uint8Array[]): string {
  const data = labels.map((label) => Buffer.from(label).toString('latin1'))
  return JSON.stringify({ call: 'print', uid: 'slow', params: { printer: { name: 'A' }, data } })
}

/** In fragments of one message. */
async function sendSlowly(
  port: number,
  labels: readonly Uint8Array[],
): Promise<'taken' | 'refused'> {
  const socket = await connect(port)
  const answer = new Promise((resolve) => socket.once('message', resolve))
  const message = makePrint(...labels)
  for (let at = 0; at < message.length; at += 500) {
    socket.send(message.slice(at, at + 500), { fin: at + 500 >= message.length })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const { error } = JSON.parse(String(await answer)) as { error?: string }
  socket.terminate()
  return error === undefined ? 'taken' : 'refused'
}

// On a busy machine.
t.setTimeout(240_000)

t.test('the contract of doors', { timeout: 240_000 }, (t) =>
  conforms(t, rig, { together: 'QZ Tray makes one document of the commands of a call' }),
)
