import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import { browserPrint } from '../../../src/plugins/browser-print/index.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { findClosedPort } from '../../listen.ts'
import { makeLabel } from '../../load/label.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'

/** The parts of zebra-browser-print-wrapper that the tests use. */
interface BrowserPrintClient {
  getAvailablePrinters(): Promise<readonly Device[]>
  getDefaultPrinter(): Promise<Device>
  setPrinter(device: Device): void
  checkPrinterStatus(): Promise<{ isReadyToPrint: boolean; errors: string }>
  print(text: string): Promise<void>
}

interface Device {
  readonly name: string
  readonly uid: string
}

const require = createRequire(import.meta.url)

/** The unmodified client of npm, which knows one address; told another by its own constant. */
function loadBrowserPrint(port: number): BrowserPrintClient {
  const constants = require('zebra-browser-print-wrapper/lib/constants') as { API_URL: string }
  constants.API_URL = `http://127.0.0.1:${port}/`
  const { default: Wrapper } = require('zebra-browser-print-wrapper') as {
    default: new () => BrowserPrintClient
  }
  return new Wrapper()
}

const SHOP = 'https://shop.example'
const LABEL = makeLabel('one', 60)

async function open(t: Test, settings = {}): Promise<{ bench: DoorBench; port: number }> {
  const port = await findClosedPort()
  const keys = { browser_print: true, browser_print_port: port, ...settings }
  return { bench: await openDoor(t, browserPrint, keys), port }
}

t.test('the wrapper finds printers, asks how they are, and prints', async (t) => {
  const { bench, port } = await open(t)
  const client = loadBrowserPrint(port)
  const devices = await client.getAvailablePrinters()
  t.same(
    devices.map(({ uid }) => uid),
    ['A', 'B'],
  )
  const usual = await client.getDefaultPrinter()
  t.equal(usual.uid, 'A')
  client.setPrinter(devices[1] ?? usual)
  t.same(await client.checkPrinterStatus(), { isReadyToPrint: true, errors: '' })
  bench.bench.printers.report('B', {
    state: 'stopped',
    reasons: ['media-empty'],
    message: quoteEnglish('B is out of labels.'),
    hint: NOTHING,
  })
  t.same(await client.checkPrinterStatus(), { isReadyToPrint: false, errors: 'Paper out' })
  await client.print(LABEL)
  const [job] = jobs(bench)
  t.match(job, { printer: 'B', format: 'zpl', source: 'browser-print' })
  t.equal(Buffer.from(bench.bench.spool.history.label(job?.id ?? '') ?? []).toString(), LABEL)
  t.same(bench.bench.faults, [])
})

t.test('its calls have the shapes of Browser Print', async (t) => {
  const { port } = await open(t)
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  t.match(await (await get('/default?type=printer')).json(), {
    uid: 'A',
    name: 'A',
    deviceType: 'printer',
    version: 5,
  })
  t.match(await (await get('/default')).text(), /^device:\n\tname: A\n\tdeviceType: printer\n/)
  t.match(await (await get('/config')).json(), { application: { api_level: 5 } })
  t.equal((await get('/write')).status, 405)
  const unknown = await get('/convert')
  t.match(await unknown.text(), /does not do "\/convert"/)
  t.equal(unknown.status, 404)
})

t.test('a file comes in a form beside its device', async (t) => {
  const { bench, port } = await open(t)
  const form = new FormData()
  form.append('json', JSON.stringify({ device: { uid: 'B' } }))
  form.append('blob', new Blob([LABEL]))
  const send = (body: FormData | string, headers = {}) =>
    fetch(`http://127.0.0.1:${port}/write`, { method: 'POST', body, headers })
  t.equal((await send(form)).status, 200)
  t.match(jobs(bench), [{ printer: 'B', format: 'zpl' }])
  const broken = { 'content-type': 'multipart/form-data; boundary=x' }
  t.equal((await send('--x\r\nnonsense', broken)).status, 400)
  t.equal(jobs(bench).length, 1)
})

t.test('without a whole device nothing prints on another bench', async (t) => {
  const { bench, port } = await open(t)
  const write = async (body: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/write`, { method: 'POST', body })).status
  t.equal(await write(JSON.stringify({ device: {}, data: LABEL })), 400)
  t.equal(await write(JSON.stringify({ data: LABEL })), 400)
  t.equal(await write(JSON.stringify({ device: { uid: 'Nobody' }, data: LABEL })), 404)
  t.equal(await write(JSON.stringify({ device: { uid: 'A' } })), 400)
  t.equal(await write('{'), 400)
  t.same(jobs(bench), [])
})

t.test('a short label behind a question is a label', async (t) => {
  const { bench, port } = await open(t)
  const call = async (path: string, data?: string): Promise<string> => {
    const body = JSON.stringify({ device: { uid: 'A' }, data })
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
    t.equal(answer.status, 200)
    return await answer.text()
  }
  const label = '^XA^FO50,50^ADN,36,20^FDHello^FS^XZ'
  const asked = ['~HS', '~HI\r\n', '~HQES', '! U1 getvar "odometer.total_label_count"\r\n']
  for (const question of asked) {
    await call('/write', `${question}${label}`)
    t.equal(jobs(bench).length, 1 + asked.indexOf(question), question)
    await call('/write', question)
    t.equal(jobs(bench).length, 1 + asked.indexOf(question), 'a question alone prints nothing')
    t.not(await call('/read'), '')
  }
  await call('/write', '~HS\r\n~HI')
  t.equal(jobs(bench).length, asked.length, 'two questions print nothing')
})

t.test('a request of millions of values is refused before anything is built of it', async (t) => {
  const { bench, port } = await open(t)
  const device = { uid: 'A' }
  const write = async (body: string | FormData): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/write`, { method: 'POST', body })
    t.equal(answer.status, 400)
    return await answer.text()
  }
  const whole = JSON.stringify({ device, data: LABEL }).slice(0, -1)
  t.match(await write(`${whole},"more":${'['.repeat(8_000_000)}`), /nested deeper than 32/)
  const many = `${whole},"more":[${'{},'.repeat(2_000_000)}{}]}`
  t.match(await write(many), /more than 20000 values/)
  const form = new FormData()
  form.append('json', many)
  form.append('blob', new Blob([LABEL]))
  t.match(await write(form), /more than 20000 values/)
  t.same(jobs(bench), [])
})

t.test('text of a program is UTF-8, with or without its mark', async (t) => {
  const { bench, port } = await open(t)
  const write = async (body: Uint8Array<ArrayBuffer>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/write`, { method: 'POST', body })).status
  const label = '^XA^CI28^FO50,50^ADN,36,20^FDK\u00f6ln^FS^XZ'
  const json = JSON.stringify({ device: { uid: 'A' }, data: label })
  t.equal(await write(Buffer.from(`\ufeff${json}`)), 200)
  t.equal(await write(Buffer.from(json, 'latin1')), 400, 'its letters are lost')
  const all = jobs(bench).map(({ id }) => bench.bench.spool.history.label(id) ?? [])
  t.same(
    all.map((bytes) => Buffer.from(bytes).toString()),
    [label],
  )
})

t.test('a page prints only where the settings name its site', async (t) => {
  const { bench, port } = await open(t, { allowed_origins: [SHOP] })
  const send = (headers: Record<string, string>, method = 'POST'): Promise<Response> => {
    const body = method === 'POST' ? JSON.stringify({ device: { uid: 'A' }, data: LABEL }) : null
    return fetch(`http://127.0.0.1:${port}/write`, { method, headers, body })
  }
  const fine = await send({ Origin: SHOP })
  t.equal(fine.status, 200)
  t.equal(fine.headers.get('access-control-allow-origin'), SHOP)
  t.equal((await send({ Origin: SHOP }, 'OPTIONS')).status, 204)
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${port}`]) {
    const refused = await send({ Origin: origin })
    t.equal(refused.status, 403, origin)
    t.equal(refused.headers.get('access-control-allow-origin'), null)
    t.equal((await send({ Origin: origin }, 'OPTIONS')).status, 403, origin)
  }
  t.equal(jobs(bench).length, 1)
})

t.test('two doors that want one port are a fault of the settings', async (t) => {
  await t.rejects(open(t, { raw_port: 9100, browser_print_port: 9100 }), /browser_print_port.*9100/)
  await t.rejects(open(t, { raw_port: 9101, browser_print_port: 9100 }), /9101, as raw_port does/)
})
