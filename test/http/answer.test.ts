import t, { type Test } from 'tap'
import { quoteEnglish } from '../../src/words/say.ts'
import { BROKEN } from '../core/labels.ts'
import { LARGE_BYTES } from '../devices/tcp-sink.ts'
import {
  findOffUri,
  formBody,
  jsonBody,
  largeBody,
  openSink,
  type Rig,
  readAnswer,
  startRig,
  ZPL64,
} from './rig.ts'

t.setTimeout(300_000)

const NOW = { prefer: 'wait=0' }

/** A print server and a request that can be sent again and again: its key makes it print once. */
interface Asked {
  readonly rig: Rig
  ask(): Promise<Response>
}

/** Sends labels to a printer, and asks what became of them whenever the test wants to know. */
async function send(
  t: Test,
  uri: string,
  labels: readonly string[] = [ZPL64],
  settings: Parameters<typeof startRig>[1] = {},
): Promise<Asked> {
  const rig = startRig(t, { printers: { Desk: uri }, ...settings })
  const ask = (): Promise<Response> =>
    rig.call('/', jsonBody({ labels, printer: 'Desk', idempotency_key: 'one' }, NOW))
  await ask()
  return { rig, ask }
}

t.test('a picture that cannot be drawn is an Error with 200: nothing will change', async (t) => {
  const { call } = startRig(t)
  const res = await call('/', jsonBody({ label: BROKEN.toString('base64') }, { prefer: 'wait=60' }))
  t.equal(res.status, 200)
  t.match(await res.json(), {
    Status: 'Error',
    Message: /^The picture of this label is damaged/,
    code: 'PICTURE_BROKEN',
    hint: /fetch the label again/,
    jobs: [
      { state: 'aborted', message: /^The picture .* damaged/, detail: /PNG/, delivery: 'none' },
    ],
  })
})

t.test('a label that a person cancels is told to the program that waits for it', async (t) => {
  const rig = startRig(t, { printers: { Desk: await findOffUri() } })
  const waiting = rig.call('/', jsonBody({ label: ZPL64, printer: 'Desk' }, { prefer: 'wait=60' }))
  const { id } = await rig.untilJob((job) => job.state === 'pending')
  t.equal((await rig.call(`/jobs/${id}/cancel`, jsonBody({}))).status, 200)
  const res = await waiting
  t.equal(res.status, 200)
  t.match(await res.json(), {
    Status: 'Error',
    Message: 'The label was canceled.',
    code: 'JOB_CANCELED',
    hint: /./,
    jobs: [{ state: 'canceled' }],
  })
})

t.test('a label whose time is over is an Error with a code', async (t) => {
  let skippedMs = 0
  const uptimeMs = (): number => performance.now() + skippedMs
  const rig = startRig(t, { printers: { Desk: await findOffUri() }, bench: { uptimeMs } })
  const body = { label: ZPL64, printer: 'Desk', expire_after: 600 }
  const waiting = rig.call('/', jsonBody(body, { prefer: 'wait=60' }))
  await rig.untilJob((job) => job.code === 'PRINTER_OFFLINE')
  skippedMs = 601_000
  const res = await waiting
  t.equal(res.status, 200)
  t.match(await readAnswer(res), {
    Status: 'Error',
    Message: /in time/,
    code: 'JOB_EXPIRED',
    hint: /again/,
    jobs: [{ state: 'canceled' }],
  })
})

t.test('a label that is held is an Error with 202, and never 4xx', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const { rig, ask } = await send(t, sink.uri)
  await rig.untilJob((job) => job.state === 'pending-held')
  const res = await ask()
  t.equal(res.status, 202)
  t.match(await res.json(), {
    Status: 'Error',
    Message: /^The label was cut off/,
    code: 'PRINTER_LOST',
    hint: /It came out/,
    jobs: [{ state: 'pending-held', delivery: 'unknown', reasons: ['platen-interrupted'] }],
  })
})

t.test('a printer that takes no data stops its labels, the waiting ones too', async (t) => {
  const sink = await openSink(t, { stall: true })
  const rig = startRig(t, { printers: { Desk: sink.uri } })
  const ask = (): Promise<Response> =>
    rig.call('/', largeBody('Desk', { ...NOW, 'idempotency-key': 'one' }))
  await ask()
  // It may flow again for a while, until all buffers on the way are full.
  let res = await ask()
  while ((await readAnswer(res.clone())).code !== 'PRINTER_STOPPED') {
    await new Promise((resolve) => setTimeout(resolve, 500))
    res = await ask()
  }
  t.equal(res.status, 202)
  t.match(await res.json(), {
    Status: 'Error',
    Message: /^Desk takes no data/,
    code: 'PRINTER_STOPPED',
    hint: /^Check labels/,
    jobs: [{ state: 'processing-stopped', reasons: ['printer-stopped'], bytes: LARGE_BYTES }],
  })
  const behind = await rig.call('/', jsonBody({ label: ZPL64, printer: 'Desk' }, NOW))
  t.equal(behind.status, 202)
  t.match(await behind.json(), {
    Status: 'Error',
    Message: /^Desk takes no data/,
    code: 'PRINTER_STOPPED',
    jobs: [{ state: 'pending', message: '' }],
  })
})

t.test('says why the printer of waiting labels does not answer', async (t) => {
  const { rig, ask } = await send(t, await findOffUri(), [ZPL64, ZPL64])
  await rig.untilJob((job) => job.code === 'PRINTER_OFFLINE')
  const res = await ask()
  t.equal(res.status, 202)
  t.match(await res.json(), {
    Status: 'Error',
    Message: /^2 of 2 labels need a person\. This is about label 1\. Desk does not answer/,
    code: 'PRINTER_OFFLINE',
    hint: 'Switch the printer on and check its cable.',
    jobs: [{ state: 'pending' }, { state: 'pending' }],
  })
})

t.test('says which of several labels the sentence is about', async (t) => {
  const long = Buffer.from(`^XA^FX${' '.repeat(2_000)}^FS^XZ`).toString('base64')
  const sink = await openSink(t, { resetAfter: 1_000 })
  const { rig, ask } = await send(t, sink.uri, [ZPL64, long])
  await rig.untilJob((job) => job.state === 'pending-held')
  t.match(await (await ask()).json(), {
    Status: 'Error',
    Message: /^1 of 2 labels needs a person\. This is about label 2\. The label was cut off/,
    code: 'PRINTER_LOST',
    jobs: [{ state: 'completed' }, { state: 'pending-held' }],
  })
})

t.test('says that the printer of a waiting label was taken out of the settings', async (t) => {
  const { rig, ask } = await send(t, await findOffUri(), [ZPL64], { prints: false })
  t.match(await (await ask()).json(), { Status: 'OK' })
  const settings = (await (await rig.call('/config')).json()) as { printers: { name: string }[] }
  const printers = settings.printers.filter(({ name }) => name !== 'Desk')
  const put = { ...jsonBody({ ...settings, printers }), method: 'PUT' }
  t.equal((await rig.call('/config', put)).status, 200)
  const res = await ask()
  t.equal(res.status, 202)
  t.match(await res.json(), {
    Status: 'Error',
    Message: 'The printer is no longer in the settings. The label is kept.',
    code: 'PRINTER_UNKNOWN',
    hint: /Add the printer again/,
  })
  rig.bench.scheduler.start()
  await rig.untilJob((job) => job.code === 'PRINTER_UNKNOWN')
  t.match(await (await ask()).json(), { Message: /^Desk is no longer in the settings/ })
})

t.test('a browser gets a page that says the same and follows the jobs', async (t) => {
  const odd = `It's <b>Look</b> & see`
  const rig = startRig(t, { printers: { [odd]: await findOffUri() } })
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const res = await rig.call('/', { ...formBody(['label', ZPL64]), headers })
  t.equal(res.status, 200)
  t.match(res.headers.get('content-type'), 'text/html')
  const page = await res.text()
  t.match(page, /<h1[^>]*>Done<\/h1>/)
  t.match(
    page,
    new RegExp(`data-job="${rig.jobs()[0]?.id}" data-secret="[\\w-]{43}" data-ended="true"`),
  )
  t.same(page.match(/<script [^>]*>/g), ['<script type="module" src="/web/answer.js">'])
  const ask = async (): Promise<string> => {
    const fields = formBody(['label', ZPL64], ['printer', odd], ['idempotency_key', 'one'])
    return (await rig.call('/', { ...fields, headers: { ...headers, ...NOW } })).text()
  }
  t.match(await ask(), 'On its way')
  await rig.untilJob((job) => job.code === 'PRINTER_OFFLINE')
  const waits = await ask()
  t.match(waits, 'A label needs you')
  t.match(waits, 'It&#39;s &lt;b&gt;Look&lt;/b&gt; &amp; see does not answer')
  t.notMatch(waits, '<b>')
})

t.test(
  'a label that came while its printer was off is in no trouble once it is back',
  async (t) => {
    const { call, bench } = startRig(t, { prints: false })
    const stopped = {
      state: 'stopped',
      reasons: ['offline'],
      message: quoteEnglish('Off.'),
      hint: quoteEnglish('On.'),
    } as const
    const { name, status } = bench.printers.resolve(undefined)
    bench.printers.report(name, stopped)
    const ask = async (): Promise<unknown> => {
      const fields = formBody(['label', ZPL64], ['idempotency_key', 'one'])
      return (await call('/', { ...fields, headers: NOW })).json()
    }
    const jobs = [{ reasons: ['printer-stopped'] }]
    t.match(await ask(), { Status: 'Error', code: 'PRINTER_OFFLINE', Message: 'Off.', jobs })
    bench.printers.report(name, status)
    t.match(await ask(), { Status: 'OK', Message: '', jobs })
  },
)
