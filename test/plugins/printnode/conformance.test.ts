import { connect } from 'node:net'
import t from 'tap'
import { printNode } from '../../../src/plugins/printnode/index.ts'
import { conforms, type DoorRig, slowly } from '../../conformance/door.ts'
import { idOf, PrintNodeClient } from './client.ts'

const rig: DoorRig = {
  door: printNode,
  hasPort: false,
  config: () => ({ printnode: true }),
  async send(
    { address, key },
    [label = new Uint8Array(0)],
    { printer = 'A', isSlow = false } = {},
  ) {
    const client = new PrintNodeClient(address, key)
    try {
      const text = makeBody(label, await idOf(client, printer))
      const response = await client.call('/printjobs', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        ...(isSlow ? { body: slowly(text), duplex: 'half' } : { body: text }),
      } as RequestInit)
      await response.arrayBuffer()
      return response.status === 201 ? 'taken' : 'refused'
    } catch {
      return 'unknown'
    }
  },
  async cut({ address, key }, label) {
    const client = new PrintNodeClient(address, key)
    const text = makeBody(label, await idOf(client, 'A'))
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST /printnode/printjobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic ${btoa(`${key}:`)}\r\nContent-Length: ${text.length}\r\n\r\n`,
    )
    socket.write(text.slice(0, text.length / 2), () => socket.destroy())
    await new Promise((resolve) => socket.once('close', resolve))
  },
}

function makeBody(label: Uint8Array, printerId: number): string {
  const content = Buffer.from(label).toString('base64')
  return JSON.stringify({ printerId, title: '', contentType: 'raw_base64', content })
}

// On a busy machine.
t.setTimeout(240_000)

t.test('the contract of doors', { timeout: 240_000 }, (t) =>
  conforms(t, rig, { together: 'a job of PrintNode holds one label' }),
)
