import { connect } from 'node:net'
import t from 'tap'
import { browserPrint } from '../../../src/plugins/browser-print/index.ts'
import { conforms, type DoorRig, slowly } from '../../conformance/door.ts'

const rig: DoorRig = {
  door: browserPrint,
  hasPort: true,
  config: (port) => ({ browser_print: true, browser_print_port: port }),
  async send({ port }, [label = new Uint8Array(0)], { printer = 'A', isSlow = false } = {}) {
    const text = makeBody(label, printer)
    const response = await fetch(`http://127.0.0.1:${port}/write`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      ...(isSlow ? { body: slowly(text), duplex: 'half' } : { body: text }),
    }).catch(() => undefined)
    await response?.arrayBuffer()
    if (response === undefined) return 'unknown'
    return response.ok ? 'taken' : 'refused'
  },
  async cut({ port }, label) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    const text = makeBody(label, 'A')
    socket.write(
      `POST /write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${text.length}\r\n\r\n`,
    )
    socket.write(text.slice(0, text.length / 2), () => socket.destroy())
    await new Promise((resolve) => socket.once('close', resolve))
  },
}

function makeBody(label: Uint8Array, uid: string): string {
  return JSON.stringify({ device: { uid }, data: Buffer.from(label).toString('latin1') })
}

// On a busy machine.
t.setTimeout(240_000)

t.test('the contract of doors', { timeout: 240_000 }, (t) =>
  conforms(t, rig, { together: 'a write of Browser Print holds one label' }),
)
