import { execFile } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { raw } from '../../../src/doors/raw/index.ts'
import { jobs } from '../../conformance/door.ts'
import { poll } from '../../conformance/source.ts'
import { CupsDaemon, skipCups } from '../../devices/cups-daemon.ts'
import { fedexLikeZpl, tsplLabel } from '../../labels/raw.ts'
import { freePort, openDoor } from '../door-bench.ts'

const run = promisify(execFile)
const BACKEND = '/usr/lib/cups/backend/socket'
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

t.test("CUPS's socket backend prints here, byte for byte", { skip }, async (t) => {
  const port = await freePort()
  const door = await openDoor(t, raw, { raw_port: port })
  const daemon = await startCups(t, port)
  const labels = [fedexLikeZpl, tsplLabel].map((label) => Buffer.from(label))
  for (const [index, label] of labels.entries()) {
    const file = join(daemon.folder, 'label')
    writeFileSync(file, label)
    await run('lp', ['-h', daemon.socketPath, '-d', 'box', '-o', 'raw', file])
    await poll('the label to come', () => jobs(door).length > index)
    await daemon.rest()
  }
  t.same(
    jobs(door).map(({ id }) =>
      Buffer.from(door.bench.spool.history.label(id) ?? [])
        .toString('latin1')
        .trim(),
    ),
    labels.map((label) => label.toString('latin1').trim()),
  )
})
