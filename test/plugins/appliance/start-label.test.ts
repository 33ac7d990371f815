import { chmodSync, chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runToEnd, type Server, startServer } from '../../e2e/server.ts'

t.setTimeout(300_000)

const PRINTERS = [
  { name: 'Bench', uri: 'serial:/dev/ttyS91', language: 'zpl' },
  { name: 'Hall', uri: 'socket://127.0.0.1:9', language: 'zpl' },
]
const QUICK = { prefer: 'wait=0' }

function start(t: Test, env: Readonly<Record<string, string>>): Promise<Server> {
  return startServer(t, { folder: t.testdir(), config: { printers: PRINTERS }, env })
}

async function order(server: Server, printer: string, headers = {}) {
  const response = await server.post(
    `/printers/${printer}/start-label`,
    {},
    { ...QUICK, ...headers },
  )
  const answer = (await response.json()) as Record<string, unknown>
  return { ...answer, jobs: answer['jobs'] as { readonly id: string }[], status: response.status }
}

const session = async (server: Server) => (await server.get('/session')).json()

t.test('the SD image prints its start label again', async (t) => {
  const server = await start(t, { PLATEN_APPLIANCE: '1' })
  const pin = readFileSync(join(t.testdirName, 'state/pin'), 'utf8').trim()
  t.match(await session(server), { startLabel: true, admin: false, loginNeeded: true })

  await t.test('for anybody, on a printer that hangs on the box', async (t) => {
    const answer = await order(server, 'Bench')
    t.match(answer, {
      status: 202,
      jobs: [{ format: 'start', printer: 'Bench', has_preview: false }],
    })
    const [job] = answer.jobs
    const label = await (await server.get(`/jobs/${job?.id}/label`)).json()
    t.match(label, { lines: [] }, 'the page shows nothing of it')
    await server.post(`/jobs/${job?.id}/cancel`)
    const again = await server.post(`/jobs/${job?.id}/reprint`, { printer: 'Hall' })
    t.equal(again.status, 400, 'nor does it come out elsewhere')
    t.match(await again.json(), { code: 'FIELD_INVALID', Message: /shows the PIN/ })
  })

  await t.test('for the admin alone on a printer that may stand anywhere', async (t) => {
    t.match(await order(server, 'Hall'), { status: 401, code: 'LOGIN_NEEDED' })
    const authorization = `Basic ${Buffer.from(`admin:${pin}`).toString('base64')}`
    t.match(await order(server, 'Hall', { authorization }), { status: 202 })
  })

  await t.test('not on an unknown printer', async (t) => {
    t.match(await order(server, 'Nobody'), { status: 404, code: 'PRINTER_UNKNOWN' })
  })
})

t.test('a Debian package on a laptop has no start label, and is started again too', async (t) => {
  const server = await start(t, { PLATEN_SUPERVISED: '1' })
  t.match(await session(server), { startLabel: false })
  t.match(await order(server, 'Bench'), { status: 404, code: 'ROUTE_UNKNOWN' })
  const answer = await server.get('/shutdown')
  t.match(await answer.json(), { Status: 'OK', Message: /restarts/ })
})

const NOBODY = 65_534

t.test('an SD image that cannot keep its PIN does not run without a password', async (t) => {
  const folder = t.testdir({ 'config.json': '{"port":"0"}', state: {} })
  const isRoot = process.getuid?.() === 0
  // Nothing can be written beside config.json.
  if (isRoot) chownSync(join(folder, 'state'), NOBODY, NOBODY)
  else chmodSync(folder, 0o555)
  t.teardown(() => chmodSync(folder, 0o755))
  const env = { PLATEN_APPLIANCE: '1' }
  const ended = await runToEnd({ folder, env, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) })
  t.equal(ended.code, 73)
  t.match(ended.err, /config\.json cannot be written/)
})
