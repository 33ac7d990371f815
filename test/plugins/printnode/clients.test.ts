import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { Keys } from '../../../src/http/access/keys.ts'
import { type Server, startServer } from '../../e2e/server.ts'
import { drawText, makePdf, LABEL as PAGE } from '../../labels/codecs/pdf/make-pdf.ts'
import { makeLabel, markOf } from '../../load/label.ts'
import { until } from '../../until.ts'

// Programs that were written for PrintNode, as they are, before a running server.

const run = promisify(execFile)
const noCurl = existsSync('/usr/bin/curl') ? false : 'curl is not installed (Debian package curl)'

type Row = Readonly<Record<string, unknown>>

/** printnode-client 1.0.3 of npm. */
interface Client {
  base_url: string
  whoami(): Promise<Row>
  fetchComputers(): Promise<readonly Row[]>
  fetchPrinters(): Promise<readonly Row[]>
  fetchPrinter(id: number): Promise<readonly Row[]>
  fetchPrintersForComputer(id: number): Promise<readonly Row[]>
  fetchPrintJobs(): Promise<readonly Row[]>
  fetchPrintJob(id: number): Promise<readonly Row[]>
  fetchPrintJobsForPrinter(id: number): Promise<readonly Row[]>
  fetchScalesForComputer(id: number): Promise<unknown>
  createPrintJob(job: object): Promise<number>
  createPrintJobFromPdf(job: object): Promise<number>
}

async function start(t: Test): Promise<{ server: Server; key: string; folder: string }> {
  const folder = t.testdir()
  mkdirSync(`${folder}/state`, { recursive: true })
  const { key } = new Keys(`${folder}/state`).add('shop')
  const printers = ['A', 'B'].map((name) => ({ name, uri: `file:${name}`, language: 'zpl' }))
  const config = { host: '127.0.0.1', printer: 'A', printers, printnode: true }
  const server = await startServer(t, { folder, config })
  await until('the door', async () => {
    const answer = await server.get('/printnode/whoami')
    return answer.status === 401 ? true : undefined
  })
  return { server, key, folder }
}

async function printed(server: Server, seq: number): Promise<string> {
  return await until('the label to be printed', async () => {
    const jobs = (await (await server.get('/jobs')).json()) as readonly Row[]
    const job = jobs.find(({ id }) => String(id).endsWith(`-${seq}`))
    if (job?.['state'] !== 'completed') return undefined
    const { lines } = (await (await server.get(`/jobs/${job['id']}/label`)).json()) as {
      lines: string[]
    }
    return markOf(lines.join('\n')) || String(job['format'])
  })
}

// On a busy machine.
t.setTimeout(240_000)

t.test('the client of npm: only its address is another one', async (t) => {
  const { server, key, folder } = await start(t)
  const PrintNodeClient = createRequire(import.meta.url)('printnode-client')
  const client: Client = new PrintNodeClient({ api_key: key })
  t.equal(client.base_url, `https://${key}:@api.printnode.com/`)
  client.base_url = `${server.address.replace('//', `//${key}:@`)}/printnode/`

  t.match(await client.whoami(), { state: 'active' })
  t.match(await client.fetchComputers(), [{ id: 1, state: 'connected' }])
  const printers = await client.fetchPrinters()
  const id = Number(printers.find(({ name }) => name === 'B')?.['id'])
  t.match(await client.fetchPrinter(id), [{ id, name: 'B' }])
  t.equal((await client.fetchPrintersForComputer(1)).length, 2)

  const content = Buffer.from(makeLabel('npm', 100)).toString('base64')
  const job = { title: 'Order 7', printerId: id, contentType: 'raw_base64', content }
  const first = await client.createPrintJob(job)
  t.equal(await printed(server, first), 'npm')
  const filename = `${folder}/label.pdf`
  writeFileSync(filename, makePdf([{ ...PAGE, content: drawText('hello', 40, 200, 40) }]))
  const second = await client.createPrintJobFromPdf({ title: 'PDF', printer: id, filename })
  t.equal(await printed(server, second), 'pdf')
  t.match(await client.fetchPrintJob(first), [
    { id: first, title: 'Order 7', source: 'PrintNode-NodeJS Client', state: 'done' },
  ])
  t.match(await client.fetchPrintJobs(), [{ id: second }, { id: first }])
  t.equal((await client.fetchPrintJobsForPrinter(id)).length, 2)

  await t.rejects(client.createPrintJob({ ...job, printerId: 7 }), /No printer has the id 7/)
  await t.rejects(client.fetchScalesForComputer(1), /404 .*does not do/)
  const stranger: Client = new PrintNodeClient({ api_key: 'wrong' })
  stranger.base_url = client.base_url.replace(key, 'wrong')
  await t.rejects(stranger.whoami(), /401 - API key not found/)
  t.equal(await server.stop(), 0)
})

t.test('curl, as the documentation of PrintNode writes it', { skip: noCurl }, async (t) => {
  const { server, key } = await start(t)
  const api = `${server.address}/printnode`
  const curl = async (...args: readonly string[]): Promise<never> =>
    JSON.parse((await run('curl', ['-s', '-u', `${key}:`, ...args])).stdout) as never
  t.match(await curl(`${api}/whoami`), { state: 'active' })
  const [{ id = 0 } = {}] = (await curl(`${api}/printers?limit=1&dir=asc`)) as readonly Row[]
  const content = Buffer.from(makeLabel('curl', 100)).toString('base64')
  // Without a Content-Type of its own curl says that this is a form.
  const json = JSON.stringify({
    printerId: id,
    title: 'My Test PrintJob',
    contentType: 'raw_base64',
    content,
    source: 'api documentation!',
  })
  const first: number = await curl('-d', json, `${api}/printjobs`)
  t.equal(await printed(server, first), 'curl')
  const form = { printerId: String(id), title: 'Form', contentType: 'raw_base64', content }
  const fields = Object.entries(form).flatMap(([name, value]) => [
    '--data-urlencode',
    `${name}=${value}`,
  ])
  const once = ['-H', 'X-Idempotency-Key: 1fb7fbb2']
  const second: number = await curl(...once, ...fields, `${api}/printjobs`)
  t.equal(await curl(...once, ...fields, `${api}/printjobs`), second, 'printed once')
  await printed(server, second)
  t.match(await curl(`${api}/printjobs/${first}-${second}`), [{ id: second }, { id: first }])
  t.match(await curl(`${api}/printjobs/states/${first}`), [[{ state: 'new' }]])
  t.same(await curl('-X', 'DELETE', `${api}/printjobs/${first},${second}`), [], 'both have ended')
  t.equal(await server.stop(), 0)
})
