import { X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Test } from 'tap'
import { hasEnded, type Job } from '../../../src/core/job.ts'
import { listen } from '../../../src/http/listen.ts'
import type { PeerAnswer, PeerCall } from '../../../src/plugins/peers/client.ts'
import { Handovers } from '../../../src/plugins/peers/handover.ts'
import { type FoundPlace, Peers } from '../../../src/plugins/peers/peers.ts'
import { PeerStore, pinOf } from '../../../src/plugins/peers/store.ts'
import { keepFile } from '../../../src/settings/write.ts'
import type { BackOff } from '../../../src/system/wait.ts'
import { Bench, printer } from '../../core/bench.ts'
import { zplLabel } from '../../core/labels.ts'
import { type Rig, type RigSettings, startRig } from '../../http/rig.ts'
import { CERTIFICATE_ENTRY, giveCertificates } from '../../http/tls/kept.ts'

/** A print server in this process, with real HTTPS. */
export interface Box extends Rig {
  readonly name: string
  readonly peers: Peers
  /** Host and port of HTTPS. */
  readonly place: string
}

/** The settings of a box. */
export interface BoxSettings extends RigSettings {
  readonly search?: () => readonly FoundPlace[]
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  readonly backOff?: BackOff
  readonly listMs?: number
}

/** Its printers are virtual ones, "Bench 1" and "Bench 2"; what is taken waits when `prints` is false. */
export async function openBox(t: Test, name: string, settings: BoxSettings = {}): Promise<Box> {
  const folder = makeFolder(t, name)
  let securePort = ''
  let pin = ''
  const made = Promise.withResolvers<Peers>()
  const peerSelf = () => ({ name, securePort, pin })
  const rig = startRig(t, {
    ...settings,
    bench: { ...settings.bench, folder },
    peers: { open: () => made.promise, self: peerSelf },
  })
  const tlsFolder = join(folder, 'tls')
  await giveCertificates(tlsFolder, name)
  const listening = await listen(
    {
      app: rig.app,
      config: { host: '127.0.0.1', port: '0', use_ssl: true, secure_port: '0' },
      ownNames: () => [],
      furtherNames: () => [],
      tlsFolder,
      certificateEntry: CERTIFICATE_ENTRY,
      onCertificates: () => undefined,
      onFault: (error) => rig.bench.faults.push(error),
      onUnloaded: (error) => rig.bench.faults.push(error),
    },
    rig.stopping.signal,
  )
  t.teardown(() => listening.close(0))
  securePort = listening.securePort
  pin = pinOf(new X509Certificate(listening.certificates()?.cert ?? ''))
  const { spool, printers, scheduler } = rig.bench
  const peers = new Peers({
    spool,
    printers,
    self: peerSelf,
    signal: rig.stopping.signal,
    file: keepFile(join(folder, 'peers.json')),
    wake: (printer) => scheduler.wake(printer),
    fault: (error) => rig.bench.faults.push(error),
    search: () => Promise.resolve(settings.search?.() ?? []),
    backOff: settings.backOff ?? { firstMs: 10, mostMs: 40 },
    ...(settings.clock && { now: settings.clock }),
    ...(settings.listMs && { listMs: settings.listMs }),
  })
  made.resolve(peers)
  return { ...rig, name, peers, place: `127.0.0.1:${securePort}` }
}

const used = new WeakSet<Test>()

/** A folder of its own below that of the test. */
export function makeFolder(t: Test, name: string): string {
  // A second call of testdir() would empty it.
  if (!used.has(t)) t.testdir()
  used.add(t)
  const folder = join(t.testdirName, name)
  mkdirSync(folder)
  return folder
}

/** The owner shows a code at `b` and types it at `a`, with the address that leads there; gives the identity of `b`. */
export async function pair(a: Box, b: Box, place = b.place): Promise<string> {
  const { code } = b.peers.pairing.show()
  return (await a.peers.pair(place, code)).id
}

/** A label that waits at a box that does not print. */
export function waiting(box: Box, mark: string, bytes = 0): string {
  const label = zplLabel(mark, bytes)
  const { jobs } = box.bench.intake.takeAlone({ labels: [label], options: {}, source: 'http' })
  return jobs[0]?.id ?? ''
}

/** Resolves when the job is no longer on its way. */
export async function arrived(box: Box, id: string): Promise<Job> {
  return await box.bench.untilJob(id, (job) => hasEnded(job) || job.state === 'pending')
}

/** Two other boxes that answer when the test says so. */
export function openScripted(t: Test, folder = makeFolder(t, `scripted-${Math.random()}`)) {
  const bench = new Bench(t, { folder, printers: [printer('A', 'file:a')] })
  const store = new PeerStore(keepFile(join(folder, 'peers.json')))
  for (const id of ['b', 'c'])
    store.put({ id, name: id, address: '', pin: '', key: '', theirs: '', paired: '' })
  const calls: {
    readonly to: string
    readonly path: string
    readonly answer: (said: PeerAnswer) => void
  }[] = []
  const call = ({ id }: { readonly id: string }, { path }: PeerCall) =>
    new Promise<PeerAnswer>((answer) => calls.push({ to: id, path, answer }))
  const woken: string[] = []
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const handovers = new Handovers({
    spool: bench.spool,
    store,
    client: { call },
    signal: stopping.signal,
    wake: (name) => woken.push(name),
    fault: (error) => bench.faults.push(error),
    backOff: { firstMs: 1, mostMs: 2 },
  })
  /** The next question to this box; who still waits for one when the test ends waits forever. */
  const asked = async (box: string) => {
    for (;;) {
      if (stopping.signal.aborted) await new Promise(() => {})
      const at = calls.findIndex(({ to }) => to === box)
      const [found] = at < 0 ? [] : calls.splice(at, 1)
      if (found !== undefined) return found
      await turn()
    }
  }
  return { bench, handovers, asked, calls, woken, stopping }
}
