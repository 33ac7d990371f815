import { join } from 'node:path'
import t from 'tap'
import { type Certificates, keepFresh } from '../../../src/http/tls/certificates.ts'
import { ask, startHttps } from './https-rig.ts'
import { CERTIFICATE_ENTRY as certificateEntry, giveCertificates } from './kept.ts'

const HOUR_MS = 3_600_000

async function start(dir: string) {
  const folder = join(dir, 'tls')
  return { folder, certificates: await giveCertificates(folder, 'box', ['bench-3.local']) }
}

/** A timer that the test turns by hand. */
function createTimer() {
  let pending: { ms: number; run: () => void } | undefined
  const after = (ms: number, run: () => void) => {
    pending = { ms, run }
    return () => {
      pending = undefined
    }
  }
  return { after, ring: () => pending?.run(), waits: () => pending?.ms }
}

t.test(
  'a running server gets a new certificate when the names change, without a restart',
  async (t) => {
    const { folder, certificates } = await start(t.testdir())
    const { server, port, close } = await startHttps(certificates)
    t.teardown(close)
    let names = ['bench-3.local']
    const timer = createTimer()
    const fresh = Promise.withResolvers<Certificates>()
    await using watch = keepFresh({
      server,
      certificates,
      folder,
      certificateEntry,
      names: () => names,
      now: Date.now,
      after: timer.after,
      onFresh: fresh.resolve,
      onFailure: fresh.reject,
    })
    const before = await ask(port, certificates.authority, 'bench-3.local')
    await watch.check()
    t.equal(watch.certificates, certificates, 'nothing changed, nothing made')
    t.equal(timer.waits(), HOUR_MS)
    names = ['bench-4.local']
    timer.ring()
    const made = await fresh.promise
    const after = await ask(port, certificates.authority, 'bench-4.local')
    t.not(after.serial, before.serial)
    t.equal(watch.certificates, made)
  },
)

t.test('names that change while a certificate is made are in the next one at once', async (t) => {
  const { folder, certificates } = await start(t.testdir())
  let names = ['bench-3.local']
  await using watch = keepFresh({
    server: { setSecureContext: () => undefined },
    certificates,
    folder,
    certificateEntry,
    names: () => names,
    now: Date.now,
    onFailure: (error) => t.error(error),
  })
  names = ['bench-4.local']
  const first = watch.check()
  names = ['bench-4.local', 'bench-5.local']
  await Promise.all([first, watch.check()])
  t.ok(watch.certificates.names.includes('bench-5.local'))
})

t.test('a failure is told, the old certificate stays, and the next check comes', async (t) => {
  const { folder, certificates } = await start(t.testdir())
  const timer = createTimer()
  const failures: unknown[] = []
  await using watch = keepFresh({
    server: { setSecureContext: () => t.fail('nothing to swap') },
    certificates,
    folder,
    certificateEntry: new URL('absent.ts', certificateEntry),
    names: () => ['bench-5.local'],
    now: Date.now,
    after: timer.after,
    onFailure: (error) => failures.push(error),
  })
  await Promise.all([watch.check(), watch.check()])
  t.match(failures, [{ code: 'INTERNAL' }])
  t.equal(watch.certificates, certificates)
  t.equal(timer.waits(), HOUR_MS)
})

t.test('while the clock is not set it looks every minute, and it ends when told', async (t) => {
  const { folder, certificates } = await start(t.testdir())
  const timer = createTimer()
  const watch = keepFresh({
    server: { setSecureContext: () => t.fail('the watch has ended') },
    certificates,
    folder,
    certificateEntry,
    names: () => ['bench-6.local'],
    now: () => 0,
    after: timer.after,
    onFailure: () => t.fail('an end is not a failure'),
  })
  t.equal(timer.waits(), 60_000)
  const checked = watch.check()
  await watch[Symbol.asyncDispose]()
  await checked
  t.equal(timer.waits(), undefined)
})

t.test('its own timer keeps no process alive', async (t) => {
  const { folder, certificates } = await start(t.testdir())
  const settings = { folder, certificateEntry, names: () => [], now: Date.now }
  const server = { setSecureContext: () => {} }
  await using watch = keepFresh({ ...settings, server, certificates })
  t.notOk(process.getActiveResourcesInfo().includes('Timeout'))
  t.equal(watch.certificates, certificates)
})
