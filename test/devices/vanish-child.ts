// Run in a network namespace of its own (unshare -n): prints what becomes of a label whose printer vanishes.
import { spawnSync } from 'node:child_process'
import { PrinterFault } from '#printers'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { TcpSink } from './tcp-sink.ts'

function link(state: 'up' | 'down'): void {
  const { status, stderr } = spawnSync('ip', ['link', 'set', 'lo', state], { encoding: 'utf8' })
  if (status === 0) return
  process.stderr.write(`ip: ${stderr}`)
  process.exit(2)
}

link('up')
const sink = await TcpSink.open({ stall: true })
const signal = AbortSignal.timeout(90_000)
const device = createSocketDevice({ vanishMs: 2_000, lingerMs: 10 })
await using connection = await device.open(new URL(sink.uri), signal)
await sink.until(({ connections }) => connections.length === 1)
const sent = connection.send(new Uint8Array(20_000_000), signal)
// Blocked: the buffers of both ends are full.
await connection.receive(300, signal)
link('down')
try {
  await sent
  process.stdout.write('sent')
} catch (error) {
  if (!(error instanceof PrinterFault)) throw error
  const cause = error.cause instanceof Error ? error.cause.message : String(error.cause)
  process.stdout.write(`${error.code} ${cause}`)
}
sink.close()
