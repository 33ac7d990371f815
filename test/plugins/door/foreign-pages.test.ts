import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContext, Frame } from 'playwright-core'
import t from 'tap'
import { Keys } from '../../../src/http/access/keys.ts'
import { PATIENT, type Server, startServer } from '../../e2e/server.ts'
import { findClosedPort, listen } from '../../listen.ts'
import { markOf } from '../../load/label.ts'
import { isLong } from '../../suite/long.ts'
import { until } from '../../until.ts'
import { openChromium, skipReason } from '../../web/chromium.ts'
import { makeRequest } from '../ipp/ask.ts'

t.setTimeout(600_000)

/** The doors that a page can try. */
const DOORS = [
  'POST /',
  'print dialog',
  'raw 9100',
  'QZ Tray',
  'Browser Print',
  'PrintNode',
] as const
type Door = (typeof DOORS)[number]

/** Origins of the page that tries. */
const PAGES = ['own', 'allowed', 'foreign', 'sandboxed', 'file', 'localhost', 'rebound'] as const
type From = (typeof PAGES)[number]

/** Results of printing with `allowed_origins: [the allowed site]`, by page and door; x = printed, . = refused. */
const NAMED: Readonly<Record<Door, string>> = {
  //               own allowed foreign sandboxed file localhost rebound
  'POST /': '       x     x      .        .       .      .        .',
  'print dialog': ' .     .      .        .       .      .        .',
  'raw 9100': '     .     .      .        .       .      .        .',
  'QZ Tray': '      .     x      .        .       .      .        .',
  'Browser Print': '.     x      .        .       .      .        .',
  PrintNode: '      x     .      .        .       .      .        .',
}
/** ... and with none: printing is open, the doors of browsers are closed. */
const OPEN: Readonly<Record<Door, string>> = {
  ...NAMED,
  'POST /': '       x     x      x        x       x      x        x',
  'QZ Tray': '      .     .      .        .       .      .        .',
  'Browser Print': '.     .      .        .       .      .        .',
}

/** Schemes by which pages and doors are reached: `https` with certificates that the browser trusts. */
const SCHEMES = ['http', 'https'] as const
type Scheme = (typeof SCHEMES)[number]

interface Ports {
  readonly http: number
  readonly raw: number
  readonly qz: number
  readonly browserPrint: number
}

/** The port of each door: a page under a rebound name is served there. */
function portOf(door: Door, ports: Ports): number {
  if (door === 'raw 9100') return ports.raw
  if (door === 'QZ Tray') return ports.qz
  return door === 'Browser Print' ? ports.browserPrint : ports.http
}

/** All that a page does to print one label, in every way that Chromium knows; each ends by itself. */
const TRY = `async (door, { scheme, host, port, label, ipp, key, printer }) => {
  const at = (path) => scheme + '://' + host + ':' + port + path
  const quiet = (promise) => promise.then(() => undefined, () => undefined)
  const end = (ms) => AbortSignal.timeout(ms)
  const send = (path, init) => quiet(fetch(at(path), { method: 'POST', signal: end(20000), ...init }))
  const base64 = btoa(label)
  const form = (path, fields, enctype) => new Promise((done) => {
    const name = 'f' + Math.random().toString(36).slice(2)
    const frame = Object.assign(document.createElement('iframe'), { name })
    document.body.append(frame)
    const form = Object.assign(document.createElement('form'), { method: 'POST', action: at(path), target: name })
    if (enctype) form.enctype = enctype
    for (const [name, value] of Object.entries(fields)) {
      form.append(Object.assign(document.createElement('textarea'), { name, value }))
    }
    document.body.append(form)
    frame.addEventListener('load', done)
    setTimeout(done, 3000)
    form.submit()
  })
  const socket = (address, messages) => new Promise((done) => {
    let socket
    try { socket = new WebSocket(address) } catch { return done() }
    socket.onopen = () => messages.forEach((one) => socket.send(one))
    socket.onmessage = socket.onerror = socket.onclose = done
    setTimeout(done, 20000)
  })
  const same = { mode: 'no-cors' }
  const json = { 'Content-Type': 'application/json' }
  switch (door) {
    case 'POST /':
      await form('/', { label: base64 })
      // The first that prints is enough.
      if (host !== location.hostname) break
      await send('/', { headers: json, body: JSON.stringify({ label: base64 }) })
      break
    case 'print dialog': {
      const body = Uint8Array.from(atob(ipp), (c) => c.charCodeAt(0))
      await send('/ipp/print', { headers: { 'Content-Type': 'application/ipp' }, body })
      await send('/ipp/print', { ...same, body: new Blob([body], { type: 'application/ipp' }) })
      await send('/ipp/print', { ...same, body: new Blob([body]) })
      await form('/ipp/print', { ['x' + label]: label }, 'text/plain')
      break
    }
    case 'raw 9100': {
      const line = label.trim()
      await send('/', { ...same, body: label })
      await send('/', { method: 'GET', body: undefined, headers: { Accept: line } })
      await form('/', { [line]: line }, 'text/plain')
      await form('/?' + line, { a: line }, 'multipart/form-data')
      // Methods and names of headers are tokens (RFC 9110, 5.6.2), and so are many commands.
      await send('/', { method: line, body: label })
      await send('/', { method: line + 'A'.repeat(100000) })
      await send('/', { method: line, signal: end(1) })
      await send('/', { method: 'PRINT', body: label })
      await send('/', { method: 'PRINT', headers: { [line]: '1' } })
      await send('/' + 'a'.repeat(500), { method: 'PRINT', headers: { [line]: line }, body: label })
      await socket('ws://' + host + ':' + port + '/?' + line, [label])
      await quiet(fetch('https://' + host + ':' + port + '/', { ...same, signal: end(5000) }))
      break
    }
    case 'QZ Tray': {
      const params = { printer: { name: printer }, data: [label] }
      const call = { call: 'print', uid: 'u', params, timestamp: Date.now() }
      await socket(at('').replace('http', 'ws'), [JSON.stringify({ certificate: null, uid: 'c' }), JSON.stringify(call)])
      await send('/', { ...same, body: JSON.stringify(call) })
      break
    }
    case 'Browser Print': {
      const body = JSON.stringify({ device: { uid: printer }, data: label })
      await send('/write', { ...same, body })
      await form('/write', { ['{"device":{"uid":"' + printer + '"},"data":' + JSON.stringify(label) + ',"x":"']: '"}' }, 'text/plain')
      break
    }
    case 'PrintNode': {
      const job = { printerId: 'ID', contentType: 'raw_base64', content: base64, title: 'x' }
      const body = JSON.stringify({ ...job, printerId: key.printer })
      await send('/printnode/printjobs', { headers: { ...json, Authorization: 'Basic ' + btoa(key.key + ':') }, body })
      await send('/printnode/printjobs', { ...same, body })
      await form('/printnode/printjobs', { ...job, printerId: key.printer, key: key.key })
    }
  }
}`

/** An empty page under any name, one with a frame without an origin at /sandbox. */
const servePage: RequestListener = (request, response) => {
  response.setHeader('content-type', 'text/html')
  const frame = '<iframe sandbox="allow-scripts allow-forms" srcdoc="<body></body>"></iframe>'
  response.end(`<!doctype html><body>${request.url === '/sandbox' ? frame : ''}</body>`)
}

/** The settings of a page. */
interface Ground {
  readonly scheme: Scheme
  readonly context: BrowserContext
  readonly pages: number
  readonly ports: Ports
  readonly folder: string
}

/** The frame that tries, and the name under which it finds the box. */
async function openPage(
  from: From,
  door: Door,
  { scheme, context, pages, ports, folder }: Ground,
): Promise<{ frame: Frame; host: string }> {
  const page = await context.newPage()
  const host = '127.0.0.1'
  const open = async (url: string): Promise<{ frame: Frame; host: string }> => {
    await page.goto(url)
    return { frame: page.mainFrame(), host }
  }
  switch (from) {
    case 'own':
      return await open(`${scheme}://127.0.0.1:${ports.http}/trust`)
    case 'allowed':
      return await open(`${scheme}://shop.example:${pages}/`)
    case 'foreign':
      return await open(`${scheme}://evil.example:${pages}/`)
    case 'localhost':
      return await open(`${scheme}://localhost:${pages}/`)
    case 'file':
      return await open(pathToFileURL(join(folder, 'page.html')).href)
    case 'sandboxed': {
      await page.goto(`${scheme}://shop.example:${pages}/sandbox`)
      const frame = page.frames().find((one) => one !== page.mainFrame())
      return { frame: frame ?? page.mainFrame(), host }
    }
    case 'rebound': {
      // Its page came from elsewhere, before the name was made to point here.
      const url = `${scheme}://evil.example:${portOf(door, ports)}/page`
      await page.route(url, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }),
      )
      await page.goto(url)
      return { frame: page.mainFrame(), host: 'evil.example' }
    }
  }
}

/** The marks of all that came out of the printer. */
function listPrinted(folder: string): readonly string[] {
  const out = join(folder, 'state', 'a')
  return readdirSync(out)
    .filter((name) => name.endsWith('.prn'))
    .map((name) => markOf(readFileSync(join(out, name), 'latin1')))
}

/** The doors of a scheme: those of port 9100 know no encryption. */
const doorsOf = (scheme: Scheme): readonly Door[] =>
  scheme === 'http' ? DOORS : DOORS.filter((door) => door !== 'raw 9100')

/** Every page tries every door of its scheme; gives who printed through what, in the form of the tables. */
async function tryAll(
  browser: Browser,
  server: Server,
  round: string,
  ground: Omit<Ground, 'context'> & { readonly key: object },
): Promise<Readonly<Record<string, string>>> {
  const context = await browser.newContext()
  const doors = doorsOf(ground.scheme)
  const tries = doors.flatMap((door) => PAGES.map((from) => ({ door, from })))
  await Promise.all(
    PAGES.map(async (from) => {
      for (const [at, door] of doors.entries()) {
        const label = `^XA^FX${round}-${from}-${at}^FS^XZ\n`
        const { frame, host } = await openPage(from, door, { ...ground, context })
        const ipp = makeRequest({
          operation: 0x0002,
          path: '/ipp/print',
          document: Buffer.from(label),
        })
        const port = portOf(door, ground.ports)
        const about = {
          scheme: ground.scheme,
          host,
          port,
          label,
          printer: 'A',
          key: ground.key,
          ipp: ipp.toString('base64'),
        }
        await frame.evaluate(`(${TRY})(${JSON.stringify(door)}, ${JSON.stringify(about)})`)
        await frame.page().close()
      }
    }),
  )
  await context.close()
  // Behind all of theirs.
  const label = Buffer.from(`^XA^FX${round}^FS^XZ`).toString('base64')
  await server.post('/', { label }, PATIENT)
  await until('the last label', async () => listPrinted(ground.folder).includes(round) || undefined)
  const printed = listPrinted(ground.folder)
  const rows = doors.map((door, at) => {
    const row = tries
      .filter((one) => one.door === door)
      .map(({ from }) => (printed.includes(`${round}-${from}-${at}`) ? 'x' : '.'))
    return [door, row.join('')] as const
  })
  return Object.fromEntries(rows)
}

/** Computes Chromium's name for a key that it is to trust. */
function pinOf(pem: string): string {
  const [leaf = ''] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem) ?? []
  const key = new X509Certificate(leaf).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

const bare = (table: Readonly<Record<Door, string>>, scheme: Scheme) =>
  Object.fromEntries(doorsOf(scheme).map((door) => [door, table[door].replaceAll(' ', '')]))

t.test(
  'a page prints where the rule of the door lets it, in Chromium',
  { skip: skipReason },
  async (t) => {
    const folder = t.testdir({ state: {} })
    writeFileSync(join(folder, 'page.html'), '<!doctype html><body></body>')
    const securePages = createSecureServer(servePage)
    const pages = {
      http: await listen(t, createServer(servePage)),
      https: await listen(t, securePages),
    }
    const ports = {
      http: await findClosedPort(),
      raw: await findClosedPort(),
      qz: await findClosedPort(),
      browserPrint: await findClosedPort(),
    }
    const secure = {
      http: await findClosedPort(),
      raw: ports.raw,
      qz: ports.qz - 1,
      browserPrint: ports.browserPrint + 1,
    }
    const { key } = new Keys(join(folder, 'state')).add('shop')
    const config = {
      host: '127.0.0.1',
      port: String(ports.http),
      use_ssl: true,
      secure_port: String(secure.http),
      printer: 'A',
      printers: [{ name: 'A', uri: 'file:a', language: 'zpl' }],
      raw_port: ports.raw,
      qz_tray: true,
      qz_port: secure.qz,
      browser_print: true,
      browser_print_port: ports.browserPrint,
      printnode: true,
    }
    const sites = SCHEMES.map((scheme) => `${scheme}://shop.example:${pages[scheme]}`)
    const server = await startServer(t, { folder, config: { ...config, allowed_origins: sites } })
    for (const port of [...Object.values(ports), ...Object.values(secure)]) {
      await until(`port ${port}`, async () => {
        const socket = connect(port, '127.0.0.1')
        const isOpen = await once(socket, 'connect').then(
          () => true,
          () => undefined,
        )
        socket.destroy()
        return isOpen
      })
    }
    const list = await fetch(`${server.address}/printnode/printers`, {
      headers: { Authorization: `Basic ${btoa(`${key}:`)}` },
    })
    const [{ id } = { id: 0 }] = (await list.json()) as { id: number }[]
    const pem = readFileSync(join(folder, 'state', 'tls', 'server.pem'), 'utf8')
    securePages.setSecureContext({ key: pem, cert: pem })
    // It is the rules of the box that are tried, not those of the browser.
    const browser = await openChromium(
      '--host-resolver-rules=MAP *.example 127.0.0.1',
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets',
      `--ignore-certificate-errors-spki-list=${pinOf(pem)}`,
    )
    t.teardown(() => browser.close())
    const grounds = {
      http: { pages: pages.http, ports, folder, key: { key, printer: id } },
      https: { pages: pages.https, ports: secure, folder, key: { key, printer: id } },
    }
    const compare = async (
      about: string,
      table: Readonly<Record<Door, string>>,
      schemes: readonly Scheme[] = SCHEMES,
    ) => {
      await Promise.all(
        schemes.map(async (scheme) => {
          const round = `${about}-${scheme}`
          const found = await tryAll(browser, server, round, { scheme, ...grounds[scheme] })
          t.same(found, bare(table, scheme), round)
        }),
      )
    }
    await compare('named', NAMED)
    const saved = await (await server.get('/config')).json()
    const { allowed_origins: _, ...open } = saved as Record<string, unknown>
    const put = await fetch(`${server.address.replace('127.0.0.1', 'localhost')}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(open),
    })
    t.equal(put.status, 200)
    await compare('open', OPEN, isLong ? SCHEMES : ['http'])
  },
)
