import { execFile } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { raw } from '../../../src/plugins/raw/index.ts'
import { printer } from '../../core/bench.ts'
import { CupsDaemon, skipCups } from '../../devices/cups-daemon.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { fedexLikeZpl, tsplLabel } from '../../label-makers/raw.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { openDoor } from '../door/door-bench.ts'

const run = promisify(execFile)
const BACKEND = '/usr/lib/cups/backend/socket'
const noNc = existsSync('/usr/bin/nc')
  ? false
  : 'nc is not installed (Debian package netcat-openbsd)'
const skip = skipCups || (!existsSync('/usr/bin/lp') && 'lp is not installed (package cups-client)')

/** A raw queue at this port, with the socket backend that CUPS brings. */
async function startCups(t: Test, port: number): Promise<CupsDaemon> {
  const daemon = await CupsDaemon.start(t)
  await daemon.stop()
  const backend = join(daemon.folder, 'bin/backend/socket')
  copyFileSync(BACKEND, backend)
  chmodSync(backend, 0o700) // run as root, as this daemon's folder is only for root
  const queue = `DeviceURI socket://127.0.0.1:${port}\nState Idle\nAccepting Yes\nShared No\n`
  appendFileSync(join(daemon.folder, 'root/printers.conf'), `<Printer box>\n${queue}</Printer>\n`)
  await daemon.up()
  return daemon
}

/** The raw port before a network printer; what the printer got, one label a connection. */
async function openBeforePrinter(t: Test): Promise<{ port: number; printed(): readonly Buffer[] }> {
  const sink = await TcpSink.openFor(t)
  const port = await findClosedPort()
  await openDoor(t, raw, { raw_port: port }, { printers: [printer('A', sink.uri)] })
  const printed = (): readonly Buffer[] =>
    sink.connections.flatMap(({ bytes, state }) =>
      bytes.length > 0 && state === 'ended' ? [Buffer.from(bytes)] : [],
    )
  return { port, printed }
}

const LABELS = [fedexLikeZpl, tsplLabel].map((label) => Buffer.from(label))
const texts = (labels: readonly Buffer[]): readonly string[] =>
  labels.map((label) => label.toString('latin1').trim())

t.test("CUPS's socket backend prints through here, byte for byte", { skip }, async (t) => {
  const { port, printed } = await openBeforePrinter(t)
  const daemon = await startCups(t, port)
  for (const [index, label] of LABELS.entries()) {
    const file = join(daemon.folder, 'label')
    writeFileSync(file, label)
    await run('lp', ['-h', daemon.socketPath, '-d', 'box', '-o', 'raw', file])
    await poll('the label at the printer', () => printed().length > index)
    await daemon.rest()
  }
  t.same(texts(printed()), texts(LABELS))
})

t.test(
  'nc prints through here, byte for byte, and is told when to end',
  { skip: noNc },
  async (t) => {
    const { port, printed } = await openBeforePrinter(t)
    for (const [index, label] of LABELS.entries()) {
      const nc = run('nc', ['-N', '127.0.0.1', String(port)])
      nc.child.stdin?.end(label)
      t.equal((await nc).stdout, '')
      await poll('the label at the printer', () => printed().length > index)
    }
    t.same(texts(printed()), texts(LABELS))
    const asking = run('nc', ['-N', '127.0.0.1', String(port)])
    asking.child.stdin?.end('~HI')
    t.match((await asking).stdout, /,V1\.0,8,8176KB/)
  },
)
