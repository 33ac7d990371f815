import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Device, FoundPrinter } from '../../src/printers/device.ts'
import { createFileDevice } from '../../src/printers/devices/file.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { AnsweringPrinter } from '../devices/answering-printer.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import {
  findOffUri,
  formBody,
  jsonBody,
  type Rig,
  type RigSettings,
  readAnswer,
  startRig,
  ZPL64,
} from './rig.ts'

t.setTimeout(300_000)

/** Sees what the test plugs in. */
function createBus(...found: readonly FoundPrinter[]): Device {
  return {
    scheme: 'usb',
    example: 'usb://A/B',
    about: 'For tests.',
    check: () => undefined,
    list: () => Promise.resolve(found),
    open: () => Promise.reject(new Error('not for this test')),
    watch: () => undefined,
  }
}

const VEVOR = { uri: 'usb://VEVOR/Y428BT?port=1-1', makeAndModel: 'VEVOR Y428BT' }
const OFFICE = { uri: 'usb://HP/4?port=1-2', makeAndModel: 'HP', deviceId: 'MFG:HP;MDL:4;CMD:PCL;' }

function start(
  t: Test,
  printers: Readonly<Record<string, string>> = {},
  more: Pick<RigSettings, 'doubtHost'> = {},
): Rig {
  const folder = t.testdir()
  const devices = [
    createBus(VEVOR, OFFICE),
    createSocketDevice({ confirmMs: 100 }),
    createFileDevice(folder),
  ]
  return startRig(t, { printers, bench: { folder, devices }, ...more })
}

async function list(rig: Rig): Promise<readonly Record<string, unknown>[]> {
  return (await (await rig.call('/printers')).json()) as Record<string, unknown>[]
}

const byName = async (rig: Rig, name: string) =>
  (await list(rig)).find((printer) => printer['name'] === name)

const put = (body: unknown): RequestInit => ({ ...jsonBody(body), method: 'PUT' })
const REMOVE = { method: 'DELETE' }

function readConfig(rig: Rig): { printer: string; printers: Record<string, unknown>[] } {
  return JSON.parse(readFileSync(join(rig.folder, 'config.json'), 'utf8'))
}

t.test('a search makes what is found known, and lists what waits for a person', async (t) => {
  const rig = start(t)
  const response = await rig.call('/printers/discover', { method: 'POST' })
  t.equal(response.status, 200)
  const answer = (await response.json()) as { found: unknown }
  t.same(answer.found, [
    {
      name: 'HP 4',
      uri: OFFICE.uri,
      make_and_model: 'HP 4',
      language: null,
      dpi: null,
      guess: false,
      other: true,
      hint: '',
      texts: { message: [], hint: [] },
    },
  ])
  t.same(await (await rig.call('/printers/found')).json(), answer)
  t.match(await byName(rig, 'VEVOR Y428BT'), {
    uri: VEVOR.uri,
    language: null,
    found: true,
    media: null,
    default: false,
    message: /What language does VEVOR Y428BT speak/,
  })
})

t.test('a person says once what language a printer speaks', async (t) => {
  const rig = start(t)
  await rig.call('/printers/discover', { method: 'POST' })
  const response = await rig.call('/printers/VEVOR%20Y428BT', put({ language: 'tspl' }))
  t.match(await response.json(), { Status: 'OK', printer: { language: 'tspl', message: '' } })
  t.match(readConfig(rig).printers.at(-1), {
    name: 'VEVOR Y428BT',
    uri: VEVOR.uri,
    language: 'tspl',
  })
  const wrong = await rig.call('/printers/VEVOR%20Y428BT', put({ language: 'pcl', dpi: 7 }))
  t.equal(wrong.status, 400)
  t.match(await wrong.json(), {
    code: 'CONFIG_INVALID',
    Message: /printers\[2\]\.language.*printers\[2\]\.dpi/s,
  })
  await rig.call('/printers/VEVOR%20Y428BT', put({ language: null }))
  t.match(await byName(rig, 'VEVOR Y428BT'), { language: null })
})

t.test('a printer is added by its address, under its own name or a free one', async (t) => {
  const rig = start(t)
  const added = await rig.call('/printers', jsonBody({ uri: 'socket://10.0.0.7', language: 'epl' }))
  t.equal(added.status, 201)
  t.match(await added.json(), { printer: { name: 'Printer', language: 'epl', found: false } })
  t.match(await byName(rig, 'Printer'), { dpi: 203 })
  await rig.call('/printers', jsonBody({ uri: 'socket://10.0.0.8' }))
  await rig.call('/printers/discover', { method: 'POST' })
  await rig.call('/printers', jsonBody({ uri: OFFICE.uri, label_height: 3 }))
  t.same(
    (await list(rig)).map(({ name }) => name),
    ['Bench 1', 'Bench 2', 'Printer', 'Printer 2', 'HP 4', 'VEVOR Y428BT'],
  )
  for (const [body, code] of [
    [{}, 'FIELD_INVALID'],
    [{ uri: 7 }, 'FIELD_INVALID'],
    [{ uri: 'socket://10.0.0.7' }, 'FIELD_INVALID'],
    [{ uri: 'gopher://x', name: 'X' }, 'CONFIG_INVALID'],
    [{ uri: 'socket://10.0.0.9', name: '..' }, 'CONFIG_INVALID'],
    [{ uri: 'file:tls' }, 'CONFIG_INVALID'],
    [[], 'BODY_BROKEN'],
  ] as const) {
    const response = await rig.call('/printers', jsonBody(body))
    t.equal((await readAnswer(response)).code, code, JSON.stringify(body))
    t.equal(response.status, 400)
  }
})

t.test('a printer of the network keeps what was seen of it when it is added', async (t) => {
  const folder = t.testdir()
  const uri = 'socket://10.0.0.9:9100'
  const network = createBus({ uri, makeAndModel: 'ZTC ZD421-300dpi ZPL' })
  const devices = [{ ...network, scheme: 'socket', guesses: true as const }]
  const rig = startRig(t, { bench: { folder, devices } })
  const search = await rig.call('/printers/discover', { method: 'POST' })
  t.match(await search.json(), {
    found: [{ name: 'ZD421', language: 'zpl', dpi: 300, guess: true }],
  })
  const added = await rig.call('/printers', jsonBody({ uri, name: 'Lager' }))
  t.match(await added.json(), { printer: { name: 'Lager', language: 'zpl', dpi: 300 } })
  t.same(readConfig(rig).printers.at(-1), { name: 'Lager', uri, language: 'zpl', dpi: 300 })
})

t.test('a printer on a slow line says how long a picture takes', async (t) => {
  const rig = start(t)
  const entry = { uri: 'serial:/dev/ttyS77?baud=9600', name: 'Old', label_width: 4 }
  const added = await rig.call('/printers', jsonBody({ ...entry, label_height: 3 }))
  // 102 bytes a row, 609 rows, ten bits a byte.
  const printer = { label_width: 4, label_height: 3, picture_seconds: 65 }
  t.match(await added.json(), { printer })
  t.match(await byName(rig, 'Bench 1'), { label_width: null, picture_seconds: null })
})

t.test('a network printer is asked when it is added, and while somebody looks', async (t) => {
  const device = await AnsweringPrinter.open('zpl')
  t.teardown(() => device.close())
  const folder = t.testdir()
  const devices = [createSocketDevice({ confirmMs: 100 }), createFileDevice(folder)]
  const asks = { answerMs: 60_000 }
  const rig = startRig(t, { bench: { folder, devices, asks, timing: { attendMs: 0 } } })
  const entry = { name: 'Net', uri: device.uri, language: 'zpl' }
  const added = await readAnswer(await rig.call('/printers', jsonBody(entry)))
  t.match(added, { printer: { state: 'idle', state_reasons: ['platen-not-asked'] } })
  await rig.bench.untilPrinter('Net', ({ reasons }) => reasons.includes('none'))
  device.condition.paused = true
  await list(rig)
  await rig.bench.untilPrinter('Net', ({ reasons }) => reasons.includes('paused'))
  device.condition.paused = false
  const isBack = rig.bench.untilPrinter('Net', ({ reasons }) => reasons.includes('none'))
  const page = new AbortController()
  t.teardown(() => page.abort())
  await rig.call('/events', { signal: page.signal })
  await isBack
})

t.test('a printer gets another name, and the default follows', async (t) => {
  const rig = start(t)
  const renamed = await rig.call('/printers/Bench%201', put({ name: 'Packing' }))
  t.match(await renamed.json(), { printer: { name: 'Packing', default: true } })
  t.equal(readConfig(rig).printer, 'Packing')
  const taken = await rig.call('/printers/Packing', put({ name: 'Bench 2' }))
  t.match(await readAnswer(taken), { code: 'CONFIG_INVALID', Message: /is the name of/ })
  t.equal((await rig.call('/printers/Nobody', put({}))).status, 404)
})

t.test('queues and rules follow a printer to its new name', async (t) => {
  const rig = start(t)
  const config = (await (await rig.call('/config')).json()) as { printers: object[] }
  const [first, second] = config.printers
  const printers = [
    first,
    { ...second, backup: 'Bench 1' },
    { name: 'C', uri: 'file:c', backup: 'Bench 1', backup_box: 'packing-2' },
  ]
  const broker = await findOffUri()
  const mqtt = { type: 'mqtt', url: broker.replace('socket:', 'mqtt:'), topic: 'labels' }
  const queues = [
    { ...mqtt, username: 'a', password: 'geheim', printer: 'Bench 1' },
    { ...mqtt, topic: 'others', printer: 'Bench 2' },
  ]
  const saved = await rig.call('/config', put({ ...config, printers, queues }))
  t.equal(saved.status, 200, await saved.text())
  t.equal((await rig.call('/printers/Bench%201', put({ name: 'Packing' }))).status, 200)
  const after = readConfig(rig)
  t.match(after.printers, [{ name: 'Packing' }, { backup: 'Packing' }, { backup: 'Bench 1' }])
  t.match(after, {
    queues: [{ printer: 'Packing', password: 'geheim' }, { printer: 'Bench 2' }],
  })
  await rig.call('/printers', jsonBody({ name: 'Bench 1', uri: 'file:elsewhere' }))
  t.match(await (await rig.call('/sources')).json(), [{ printer: 'Packing' }, {}])
})

t.test('a printer is removed for good, but not while labels wait for it', async (t) => {
  const rig = start(t, { Off: await findOffUri() })
  const fields = formBody(['label', ZPL64], ['printer', 'Off'])
  const sent = await rig.call('/', { ...fields, headers: { prefer: 'wait=0' } })
  const [job] = (await readAnswer(sent)).jobs
  const refused = await rig.call('/printers/Off', REMOVE)
  t.equal(refused.status, 409)
  t.match(await readAnswer(refused), {
    code: 'PRINTER_IN_USE',
    Message: '1 label waits for Off. It cannot be removed now.',
  })
  t.equal((await rig.call('/printers/Off', put({ name: 'On' }))).status, 409)
  await rig.call(`/jobs/${job?.id}/cancel`, { method: 'POST' })
  t.equal((await rig.call('/printers/Off', REMOVE)).status, 200)
  t.equal(await byName(rig, 'Off'), undefined)
  await rig.call('/printers/Bench%201', REMOVE)
  t.equal(readConfig(rig).printer, 'your-printer-name', 'it was the default')
  await rig.call('/printers/discover', { method: 'POST' })
  await rig.call('/printers/VEVOR%20Y428BT', REMOVE)
  await rig.call('/printers/discover', { method: 'POST' })
  t.same(
    (await list(rig)).map(({ name }) => name),
    ['Bench 2'],
  )
  const found = await (await rig.call('/printers/found')).json()
  t.match(found, { found: [{ uri: VEVOR.uri }, { uri: OFFICE.uri }] })
})

t.test('a paused printer is paused under its new name before that is saved', async (t) => {
  const rig = start(t)
  await rig.call('/printers/Bench%201/pause', { method: 'POST' })
  const told: boolean[] = []
  rig.bench.printers.onChange(({ name, isPaused }) => {
    if (name === 'Packing') told.push(isPaused && rig.bench.spool.pauses.list().includes(name))
  })
  const refused = await rig.call('/printers/Bench%201', put({ name: 'Packing', dpi: 'much' }))
  t.equal(refused.status, 400)
  t.same(rig.bench.spool.pauses.list(), ['Bench 1'])
  t.equal((await rig.call('/printers/Bench%201', put({ name: 'Packing' }))).status, 200)
  t.same(told, [true])
  t.same(rig.bench.spool.pauses.list(), ['Packing'])
})

t.test('no printer takes the name of a found one for which labels wait', async (t) => {
  const rig = start(t)
  await rig.call('/printers/discover', { method: 'POST' })
  const fields = formBody(['label', ZPL64], ['printer', 'VEVOR Y428BT'])
  await rig.call('/', { ...fields, headers: { prefer: 'wait=0' } })
  const entry = { uri: 'file:elsewhere', name: 'VEVOR Y428BT' }
  const config = (await (await rig.call('/config')).json()) as object
  const list = (uri: string) => put({ ...config, printers: [{ ...entry, uri }] })
  for (const answer of [
    await rig.call('/printers', jsonBody(entry)),
    await rig.call('/printers/Bench%202', put({ name: entry.name })),
    await rig.call('/config', list(entry.uri)),
  ]) {
    t.match(await readAnswer(answer), {
      code: 'PRINTER_IN_USE',
      Message: '1 label waits for VEVOR Y428BT. It cannot be renamed now.',
    })
  }
  t.match(await byName(rig, entry.name), { uri: VEVOR.uri, found: true })
  t.equal(rig.jobs()[0]?.state, 'pending', 'it has not come out at another bench')
  t.equal((await rig.call('/config', list(VEVOR.uri))).status, 200, 'an entry of its own')
  t.equal((await rig.call('/config', put(config))).status, 200)
  await rig.call('/jobs/cancel', jsonBody({ printer: entry.name }))
  t.equal((await rig.call('/printers', jsonBody(entry))).status, 201)
  t.match(await byName(rig, 'VEVOR Y428BT 2'), { uri: VEVOR.uri })
})

t.test('a label that comes while a host is looked up keeps the name of its printer', async (t) => {
  const [asked, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()]
  const doubtHost = () => {
    asked.resolve()
    return looked.promise
  }
  const rig = start(t, {}, { doubtHost })
  await rig.call('/printers/discover', { method: 'POST' })
  const config = (await (await rig.call('/config')).json()) as object
  const printers = [{ uri: 'file:elsewhere', name: 'VEVOR Y428BT' }]
  const saving = rig.call('/config', put({ ...config, printers, host: 'bench.example' }))
  await asked.promise
  const fields = formBody(['label', ZPL64], ['printer', 'VEVOR Y428BT'])
  await rig.call('/', { ...fields, headers: { prefer: 'wait=0' } })
  looked.resolve(undefined)
  t.match(await readAnswer(await saving), { code: 'PRINTER_IN_USE' })
  t.match(await byName(rig, 'VEVOR Y428BT'), { uri: VEVOR.uri, found: true })
  t.equal(rig.jobs()[0]?.state, 'pending', 'it has not come out at another bench')
})

t.test('a printer is calibrated in its own language', async (t) => {
  const device = await AnsweringPrinter.open('zpl')
  t.teardown(() => device.close())
  const rig = start(t, { Zebra: device.uri, Off: await findOffUri() })
  const response = await rig.call('/printers/Zebra/calibrate', { method: 'POST' })
  t.match(await response.json(), { Status: 'OK', Message: /Calibrating Zebra/ })
  await device.until(({ calibrations }) => calibrations === 1)
  const off = await rig.call('/printers/Off/calibrate', { method: 'POST' })
  t.equal(off.status, 503)
  t.match(await readAnswer(off), { code: 'PRINTER_OFFLINE' })
  await rig.call('/printers/Zebra', put({ language: null }))
  const unknown = await rig.call('/printers/Zebra/calibrate', { method: 'POST' })
  t.match(await readAnswer(unknown), { code: 'PRINTER_LANGUAGE' })
})

t.test('only the admin changes printers; searching and calibrating are for the page', async (t) => {
  const rig = start(t)
  const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })
  const headers = { host: '127.0.0.1:8080' }
  for (const [method, path] of [
    ['POST', '/printers'],
    ['PUT', '/printers/Bench%201'],
    ['DELETE', '/printers/Bench%201'],
    ['POST', '/printers/discover'],
    ['GET', '/printers/found'],
    ['POST', '/printers/Bench%201/calibrate'],
  ] as const) {
    const afar = await rig.app.request(path, { method, headers }, from('10.0.0.66'))
    t.equal((await readAnswer(afar)).code, 'LOCAL_ONLY', `${method} ${path}`)
    const foreign = { ...headers, origin: 'https://evil.example' }
    const page = await rig.app.request(path, { method, headers: foreign }, from('127.0.0.1'))
    t.equal((await readAnswer(page)).code, 'ORIGIN_REFUSED', `${method} ${path}`)
  }
  t.equal((await list(rig)).length, 2, 'nothing changed')
})

t.test('an address is called before its printer is added', async (t) => {
  const sink = await TcpSink.openFor(t)
  const rig = start(t)
  const check = async (uri: unknown) => {
    const answer = await rig.call('/printers/check', jsonBody({ uri }))
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  t.match(await check(sink.uri), { status: 200, answers: true, Message: '' })
  const off = await findOffUri()
  t.match(await check(off), {
    status: 200,
    answers: false,
    Message: `Nothing answers at ${new URL(off).host}.`,
    hint: /It can be added all the same/,
  })
  t.match(await check('usb://VEVOR/Y428BT?port=1-9'), { answers: null })
  t.equal(rig.bench.printers.get('Printer'), undefined, 'nothing was saved')
  for (const [uri, words] of [
    ['socket://999.1.1.1', /^uri: .*999\.1\.1\.1.*four numbers from 0 to 255/],
    ['socket://10.0.0:9100', /four numbers/],
    ['file:bench-1', /already the printer "Bench 1"/],
    [7, /got a number/],
    ['nonsense', /is not a device URI/],
  ] as const) {
    t.match(await check(uri), { status: 400, code: 'FIELD_INVALID', detail: words })
    if (uri === 'file:bench-1') continue
    t.equal((await rig.call('/printers', jsonBody({ uri, name: 'X' }))).status, 400, String(uri))
  }
})

t.test('the answer names the default printer, and a change may move the address', async (t) => {
  const rig = start(t)
  const first = await (
    await rig.call('/printers', jsonBody({ name: 'New', uri: 'file:new' }))
  ).json()
  t.match(first, { default_printer: 'Bench 1' })
  await rig.call('/printers/New/pause', { method: 'POST' })
  const waiting = formBody(['label', ZPL64], ['printer', 'New'])
  await rig.call('/', { ...waiting, headers: { prefer: 'wait=0' } })
  const moved = await rig.call('/printers/New', put({ uri: 'file:newer', language: 'zpl' }))
  t.equal(moved.status, 200)
  t.match(await byName(rig, 'New'), { uri: 'file:newer', paused: true })
  await rig.call('/printers/New/resume', { method: 'POST' })
  await rig.untilJob(({ printer, state }) => printer === 'New' && state === 'completed')
  t.equal(
    readdirSync(join(rig.folder, 'newer')).some((name) => name.endsWith('.prn')),
    true,
  )
  const taken = await rig.call('/printers/New', put({ uri: 'file:bench-2' }))
  t.match(await taken.json(), {
    code: 'FIELD_INVALID',
    Message: 'The printer at this address is there already: Bench 2.',
  })
  t.match(
    readConfig(rig).printers.find(({ name }) => name === 'New'),
    { uri: 'file:newer' },
  )
})
