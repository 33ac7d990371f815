import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAccess } from '../../src/http/access/access.ts'
import { createUpdateRoutes } from '../../src/http/info.ts'
import { toFailure } from '../../src/http/server-faults.ts'
import { createUpdates } from '../../src/system/updates.ts'
import { startServer } from '../e2e/server.ts'

t.test('an installation that cannot update itself says so', async (t) => {
  const server = await startServer(t, { folder: t.testdir(), config: {} })
  const seen = await (await server.get('/update')).json()
  t.match(seen, { possible: false, why_not: /not installed as a Debian package/ })
  t.match(seen, { last: { result: 'none' } })
  const response = await server.post('/update')
  t.equal(response.status, 409)
  t.match(await response.json(), { code: 'UPDATE_NONE', hint: /operate\.md/ })
})

t.test('the wish is left where systemd waits for it', async (t) => {
  const folder = t.testdir({ run: {}, sources: { 'platen-stable.sources': '' } })
  const [runtimeFolder, sourcesFolder] = [join(folder, 'run'), join(folder, 'sources')]
  const updates = createUpdates({ stateFolder: folder, runtimeFolder, sourcesFolder })
  const access = createAccess({ config: () => ({ host: 'localhost' }), ownNames: () => [] })
  const app = createUpdateRoutes({ access, updates, version: '1.0.0' })
  app.onError((error, c) => c.json({ code: toFailure(error).code }, 503))
  const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  const call = (method: string) => app.request('http://localhost/update', { method }, env)
  t.match(await (await call('GET')).json(), { version: '1.0.0', possible: true, why_not: '' })
  const answer = await call('POST')
  t.equal(answer.status, 202)
  t.match(await answer.json(), { Status: 'OK', Message: /looks for a newer version/ })
  t.ok(existsSync(join(runtimeFolder, 'update-request')))
  const lost = { ...updates, request: () => rmSync(join(folder, 'not there')) }
  const broken = createUpdateRoutes({ access, updates: lost, version: '1.0.0' })
  broken.onError((error, c) => c.json({ code: toFailure(error).code }, 503))
  const refused = await broken.request('http://localhost/update', { method: 'POST' }, env)
  t.match(await refused.json(), { code: 'STATE_UNWRITABLE' })
})
