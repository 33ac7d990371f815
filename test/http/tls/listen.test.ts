import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listen } from '../../../src/http/listen.ts'
import { CERTIFICATE_ENTRY as certificateEntry, giveCertificates } from './kept.ts'

/** Both ports, with the certificates of a box that had another name; `damage` does something to their folder. */
async function start(t: Test, damage: (folder: string) => void) {
  const tlsFolder = join(t.testdir(), 'tls')
  const kept = await giveCertificates(tlsFolder, 'box')
  damage(tlsFolder)
  const faults: unknown[] = []
  const stop = new AbortController()
  const listening = await listen(
    {
      app: { fetch: () => new Response('hello') },
      config: { host: '127.0.0.1', port: '0', use_ssl: true, secure_port: '0' },
      ownNames: () => ['bench-9.local'],
      furtherNames: () => [],
      tlsFolder,
      certificateEntry,
      onCertificates: () => {},
      onFault: (error) => faults.push(error),
      onUnloaded: (error) => faults.push(error),
    },
    stop.signal,
  )
  t.teardown(async () => {
    await listening.close(100)
    stop.abort()
  })
  return { listening, kept, faults }
}

t.test('with certificates that cannot be read labels print without HTTPS', async (t) => {
  const { listening, faults } = await start(t, (folder) => {
    rmSync(join(folder, 'server.pem'))
    mkdirSync(join(folder, 'server.pem')) // as a bad block of the card
  })
  t.match(faults, [{ code: 'STATE_UNWRITABLE', message: /Cannot read .*server\.pem/ }])
  t.match(listening, { securePort: '' })
  t.equal(listening.certificates(), undefined)
  const socket = connect(Number(listening.port), '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
})

t.test('where a new certificate finds no room the old one stays', async (t) => {
  const { listening, kept, faults } = await start(t, (folder) =>
    mkdirSync(join(folder, `.server.pem.${process.pid}.tmp`)),
  )
  t.match(faults, [{ code: 'STATE_UNWRITABLE' }])
  t.equal(listening.certificates()?.cert, kept.cert)
  t.ok(Number(listening.securePort) > 0)
})
