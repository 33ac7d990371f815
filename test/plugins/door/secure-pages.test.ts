import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, createSign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { type Server, startServer } from '../../e2e/server.ts'
import { LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { findClosedPort, listen } from '../../listen.ts'
import { until } from '../../until.ts'
import { CHROMIUM, openChromiumAt, skipReason } from '../../web/chromium.ts'
import { loadQz } from '../qz/client.ts'

t.setTimeout(600_000)

const require = createRequire(import.meta.url)
const noOpenssl = existsSync('/usr/bin/openssl')
  ? false
  : 'openssl is missing: apt-get install openssl'
const SHOP = 'shop.example'
const PDF = makePdf([{ ...LABEL, content: 'BT /F1 24 Tf 40 300 Td (Hello) Tj ET' }])

/** An RSA key and a certificate of its own, as a site makes them for QZ Tray. */
function makeSite(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'site.key'), join(folder, 'site.crt')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${SHOP}`,
      '-addext',
      `subjectAltName=DNS:${SHOP}`,
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  )
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

/** Computes Chromium's name for a key that it is to trust. */
function pinOf(certificate: string): string {
  const key = createPublicKey(certificate).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** The unmodified wrapper of npm for a page, but for its one line. */
async function bundleWrapper(port: number): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      resolveDir: import.meta.dirname,
      contents: `const constants = require('zebra-browser-print-wrapper/lib/constants')
constants.API_URL = 'https://printserver.local:${port}/'
window.Wrapper = require('zebra-browser-print-wrapper').default`,
    },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** The shop: a page with both clients. */
async function serveShop(
  t: Test,
  pair: { key: string; cert: string },
  wrapper: string,
): Promise<string> {
  const files: Readonly<Record<string, string>> = {
    '/qz-tray.js': readFileSync(require.resolve('qz-tray'), 'utf8'),
    '/wrapper.js': wrapper,
  }
  const page =
    '<!doctype html><script src="/qz-tray.js"></script><script src="/wrapper.js"></script>'
  const server = createServer(pair, (request, response) => {
    const script = files[request.url ?? '']
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? page)
  })
  return `https://${SHOP}:${await listen(t, server)}`
}

/** A file at an address of the own network. */
async function serveFile(t: Test, content: Buffer): Promise<number> {
  const server = createPlainServer((_, response) => response.end(content))
  return await listen(t, server)
}

interface Job {
  readonly id: string
  readonly format: string
  readonly state: string
}

async function listJobs(server: Server): Promise<readonly Job[]> {
  return ((await (await server.get('/jobs')).json()) as Job[]).toReversed()
}

/** Connects with qz-tray.js as its documentation says. */
const CONNECT = (port: number, certificate: string) => `(async () => {
  qz.security.setCertificatePromise((resolve) => resolve(${JSON.stringify(certificate)}))
  qz.security.setSignatureAlgorithm('SHA512')
  qz.security.setSignaturePromise((text) => (resolve, reject) => sign(text).then(resolve, reject))
  await qz.websocket.connect({ host: 'printserver.local', port: { secure: [${port}], insecure: [1] } })
  return await qz.printers.find()
})()`

t.test(
  'https pages print through the encrypted ports, in Chromium',
  { skip: skipReason || noOpenssl },
  async (t) => {
    const folder = t.testdir({ state: {} })
    const site = makeSite(folder)
    const [https, qz, browserPrint] = [
      await findClosedPort(),
      await findClosedPort(),
      await findClosedPort(),
    ]
    const server = await startServer(t, {
      folder,
      config: {
        host: '127.0.0.1',
        use_ssl: true,
        secure_port: String(https),
        printer: 'A',
        printers: [{ name: 'A', uri: 'file:a', language: 'zpl' }],
        qz_tray: true,
        qz_port: qz,
        qz_certificate: site.cert,
        fetch_hosts: ['127.0.0.1'],
        browser_print: true,
        browser_print_port: browserPrint - 1,
      },
    })
    const own = readFileSync(join(folder, 'state', 'tls', 'server.pem'), 'utf8')
    const leaf = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(own)?.[0] ?? ''
    const plain = await serveFile(t, PDF)
    const shop = await serveShop(t, site, await bundleWrapper(browserPrint))
    const browser = await openChromiumAt(
      CHROMIUM,
      '--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.local 127.0.0.1',
      `--ignore-certificate-errors-spki-list=${pinOf(leaf)},${pinOf(site.cert)}`,
    )
    t.teardown(() => browser.close())
    const page = await browser.newPage()
    let signed = 0
    await page.exposeFunction('sign', (text: string) => {
      signed += 1
      return createSign('SHA512').update(text).sign(site.key, 'base64')
    })
    await page.goto(shop)

    await t.test('qz-tray.js over wss, each call signed by the site', async (t) => {
      t.same(await page.evaluate(CONNECT(qz, site.cert)), ['A'])
      t.equal(await page.evaluate('qz.websocket.getConnectionInfo().socket'), 'wss')
      const pdf = PDF.toString('base64')
      await page.evaluate(`qz.print(qz.configs.create('A'), ['^XA^FDsigned^FS^XZ'])`)
      await page.evaluate(
        `qz.print(qz.configs.create('A'), [{ type: 'pixel', format: 'pdf', flavor: 'base64', data: '${pdf}' }])`,
      )
      const jobs = await until('both to be printed', async () => {
        const all = await listJobs(server)
        return all.length === 2 && all.every(({ state }) => state === 'completed') ? all : undefined
      })
      t.same(
        jobs.map(({ format }) => format),
        ['zpl', 'pdf'],
      )
      t.ok(signed >= 3)
      const file = { type: 'pixel', format: 'pdf', data: `http://127.0.0.1:${plain}/label.pdf` }
      await page.evaluate(`qz.print(qz.configs.create('A'), [${JSON.stringify(file)}])`)
      t.equal((await listJobs(server)).length, 3)
      await page.evaluate('qz.websocket.disconnect()')
    })

    await t.test('... and without a signature nothing prints', async (t) => {
      const stranger = await browser.newPage()
      await stranger.exposeFunction('sign', () => 'AAAA')
      await stranger.goto(shop)
      await t.rejects(stranger.evaluate(CONNECT(qz, '')), /may not print here/)
      await stranger.close()
      t.equal((await listJobs(server)).length, 3)
    })

    await t.test('Browser Print over https, for a site that the settings name', async (t) => {
      const list = 'new Wrapper().getAvailablePrinters()'
      await t.rejects(page.evaluate(list), /Failed to fetch|Error/)
      const saved = (await (await server.get('/config')).json()) as object
      const put = await fetch(`${server.address.replace('127.0.0.1', 'localhost')}/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...saved, allowed_origins: [shop] }),
      })
      t.equal(put.status, 200)
      const printed = await page.evaluate(`(async () => {
        const client = new Wrapper()
        const [first] = await client.getAvailablePrinters()
        client.setPrinter(first)
        await client.print('^XA^FDbrowser print^FS^XZ')
        return [first.uid, await client.checkPrinterStatus()]
      })()`)
      t.same(printed, ['A', { isReadyToPrint: true, errors: '' }])
      t.equal((await listJobs(server)).length, 4)
    })

    await t.test('a program that trusts the box connects, and no other', async (t) => {
      const authority = await (await server.get('/ca.crt')).text()
      const at = {
        host: 'localhost',
        usingSurf: false,
        keepAlive: 0,
        port: { secure: [qz], insecure: [] },
      }
      const client = loadQz(undefined, authority)
      await client.websocket.connect(at)
      await client.print(client.configs.create('A'), ['^XA^FDprogram^FS^XZ'])
      await client.websocket.disconnect()
      await t.rejects(loadQz().websocket.connect(at), /Unable to establish/)
      t.equal((await listJobs(server)).length, 5)
    })
  },
)
