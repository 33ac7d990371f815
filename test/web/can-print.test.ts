import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Certificates, ensureCertificates } from '../../src/http/tls/certificates.ts'
import { makeWordsFile } from '../../src/http/words-files.ts'
import { findEntry } from '../../src/system/process.ts'
import { type Server, startServer } from '../e2e/server.ts'
import { findClosedPort, listen } from '../listen.ts'
import { LIMIT_MS } from './bench.ts'
import { CHROMIUM, openChromiumAt, openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const SCRIPT = join(import.meta.dirname, '../../web/can-print.js')

/** The script's report, as far as the tests read it. */
interface Report {
  readonly verdict: string
  readonly checks: readonly { id: string; result: string; sentence: string; cure: string }[]
}

/** An authority of its own, and a certificate for these names. */
async function makePair(folder: string, names: readonly string[]): Promise<Certificates> {
  const certificateEntry = findEntry('http/tls/certificate')
  const settings = { folder, names, certificateEntry, now: Date.now }
  return await ensureCertificates(settings, new AbortController().signal)
}

/** Computes Chromium's name for a key that it is to trust. */
function pinOf(certificate: string): string {
  const [, leaf = certificate] =
    /(-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----)/.exec(certificate) ?? []
  const key = createPublicKey(leaf).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** A page that includes its own copy of the script, and takes reports. */
async function serveShop(
  t: Test,
  pair?: Certificates,
): Promise<{ port: number; reports: Report[] }> {
  const reports: Report[] = []
  const script = await readFile(SCRIPT)
  const german = await makeWordsFile('can-print-de.js')
  const server =
    pair === undefined ? createServer() : createTlsServer({ key: pair.key, cert: pair.cert })
  server.on('request', (request, response) => {
    if (request.url === '/can-print.js') {
      response.setHeader('content-type', 'text/javascript').end(script)
    } else if (request.url === '/can-print-de.js') {
      response.setHeader('content-type', 'text/javascript').end(german)
    } else if (request.url === '/report') {
      let text = ''
      request
        .on('data', (chunk) => (text += chunk))
        .on('end', () => {
          reports.push(JSON.parse(text) as Report)
          response.end()
        })
    } else {
      response.setHeader('content-type', 'text/html')
      response.end(
        '<!doctype html><title>Shop</title><div id="here"></div><script src="/can-print.js"></script>',
      )
    }
  })
  return { port: await listen(t, server), reports }
}

async function ask(
  context: BrowserContext,
  url: string,
  options: object,
): Promise<{ page: Page; report: Report }> {
  const page = await context.newPage()
  await page.goto(url)
  const into = "document.querySelector('#here')"
  const report = await page.evaluate<Report>(
    `platenCanPrint.check({ ...${JSON.stringify(options)}, into: ${into} })`,
  )
  return { page, report }
}

/** The results in the order of the report; failures with their cure. */
function brief({ verdict, checks }: Report): Readonly<Record<string, string>> {
  const each = checks.map(({ id, result, cure }) => [
    id,
    result === 'fail' ? `fail: ${cure}` : result,
  ])
  return { verdict, ...Object.fromEntries(each) }
}

/** The person at the browser pressed Allow. */
async function grant(browser: Browser, context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage()
  const ofPage = await context.newCDPSession(page)
  const { targetInfo } = await ofPage.send('Target.getTargetInfo')
  const { browserContextId } = targetInfo
  const session = await browser.newBrowserCDPSession()
  for (const name of ['local-network', 'loopback-network', 'local-network-access']) {
    const asked = { permission: { name }, setting: 'granted', origin } as const
    await session.send('Browser.setPermission', {
      ...asked,
      ...(browserContextId !== undefined && { browserContextId }),
    })
  }
  await page.close()
}

/** The folder of policies is the computer's: the browser gets one of its own. */
const skipPolicy =
  skipReason ||
  (spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/etc/chromium']).status !== 0 &&
    'folders of the test alone are mounted as root (unshare)')

/** A Chromium on a computer with `policy.json` of the folder installed. */
async function openManaged(folder: string, args: readonly string[]): Promise<Browser> {
  const wrapper = join(folder, 'chromium')
  const script = `#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs none /etc/chromium && mkdir -p /etc/chromium/policies/managed &&
cp "${folder}/policy.json" /etc/chromium/policies/managed/ && exec ${CHROMIUM} "$@"' sh "$@"
`
  writeFileSync(wrapper, script, { mode: 0o755 })
  return await openChromiumAt(wrapper, ...args)
}

async function listJobs(server: Server): Promise<readonly { title: string; format: string }[]> {
  return (await (await server.get('/jobs')).json()) as { title: string; format: string }[]
}

async function saveOrigins(server: Server, allowed_origins: readonly string[]): Promise<void> {
  const config = (await (await server.get('/config')).json()) as object
  const saved = await fetch(`${server.address.replace('127.0.0.1', 'localhost')}/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...config, allowed_origins }),
  })
  if (!saved.ok) throw new Error(await saved.text())
}

t.test('the script that shops copy is small', (t) => {
  t.ok(statSync(SCRIPT).size < 16_000)
  t.end()
})

t.test('can this browser print, in Chromium', { skip: skipReason }, async (t) => {
  const folder = t.testdir({ state: {}, shop: {}, other: {} })
  const [http, https] = [await findClosedPort(), await findClosedPort()]
  const server = await startServer(t, {
    folder,
    config: {
      host: '127.0.0.1',
      port: String(http),
      use_ssl: true,
      secure_port: String(https),
      printer: 'A',
      printers: [{ name: 'A', uri: 'file:a', language: 'zpl' }],
    },
  })
  const pair = await makePair(join(folder, 'shop'), ['shop.example'])
  const other = await makePair(join(folder, 'other'), ['box.local'])
  const [shop, plainShop, stranger] = [
    await serveShop(t, pair),
    await serveShop(t),
    await serveShop(t, other),
  ]
  const own = await readFile(join(folder, 'state', 'tls', 'server.pem'), 'utf8')
  const space = (port: number, name: string) => `127.0.0.1:${port}=${name}`
  const resolver =
    '--host-resolver-rules=MAP nobody.local ~NOTFOUND, MAP *.example 127.0.0.1, MAP *.local 127.0.0.1'
  const spaces = `--ip-address-space-overrides=${[
    space(shop.port, 'public'),
    space(plainShop.port, 'public'),
    ...[http, https, stranger.port].map((port) => space(port, 'local')),
  ].join(',')}`
  const pins = [own, pair.cert].map(pinOf).join(',')
  const browser = await openChromiumAt(
    CHROMIUM,
    resolver,
    `--ignore-certificate-errors-spki-list=${pins}`,
    spaces,
  )
  t.teardown(() => browser.close())
  const site = `https://shop.example:${shop.port}`
  const box = {
    box: `https://printserver.local:${https}`,
    plain: `http://printserver.local:${http}`,
  }
  const granted = await browser.newContext()
  await grant(browser, granted, site)
  const look = async (context: BrowserContext, url: string, options: object) => {
    const { report, page } = await ask(context, url, options)
    await page.close()
    return brief(report)
  }
  const fine = {
    verdict: 'pass',
    permission: 'pass',
    name: 'pass',
    certificate: 'pass',
    fetch: 'pass',
  }
  const skipped = { name: 'skip', certificate: 'skip', fetch: 'skip', form: 'ask' }

  await t.test('the page of the box', async (t) => {
    await using tab = await openTab(browser, `${server.address}/can-print`)
    const { page } = tab
    await page.locator('[data-check=fetch][data-result=pass]').waitFor()
    await page.getByRole('button', { name: 'Try a form' }).click()
    await page.locator('[data-check=form][data-result=pass]').waitFor()
    await page.getByRole('button', { name: 'Print a test label' }).click()
    await page.getByText('The test label was taken').waitFor()
    t.match(await listJobs(server), [{ title: 'Can this browser print?', format: 'png' }])
    await page.getByLabel('Address of the page that prints').fill(`${site}/cart`)
    const chrome = page.locator('[data-policy=chrome]')
    t.match(JSON.parse(String(await chrome.textContent())), {
      LocalNetworkAllowedForUrls: [site],
      LoopbackNetworkAllowedForUrls: [site],
      CACertificates: [/^MII[\w+/=]+$/],
    })
    const firefox = String(await page.locator('[data-policy=firefox]').textContent())
    t.match(JSON.parse(firefox), {
      policies: { LocalNetworkAccess: { SkipDomains: ['shop.example', '127.0.0.1'] } },
    })
    t.equal(await page.getByRole('link', { name: /^Download/ }).count(), 3)
    t.same(tab.complaints, [])
  })

  await t.test('an https page of a shop that the browser lets', async (t) => {
    const { page, report } = await ask(granted, site, { ...box, report: '/report' })
    t.same(brief(report), { ...fine, form: 'ask' })
    await page.getByRole('button', { name: 'Try a form' }).click()
    await page.locator('[data-check=form][data-result=pass]').waitFor()
    await page.getByRole('button', { name: 'Print a test label' }).click()
    await page.getByText('The test label was taken').waitFor()
    t.equal((await listJobs(server)).length, 2)
    await page.close()
    t.same(shop.reports.map(brief), [
      { ...fine, form: 'ask' },
      { ...fine, form: 'pass' },
    ])
  })

  await t.test(
    '... and one whose browser has the policy of the page installed',
    { skip: skipPolicy },
    async (t) => {
      const page = await granted.newPage()
      await page.goto(`${server.address}/can-print`)
      await page.getByLabel('Address of the page that prints').fill(site)
      const policy = page.locator('[data-policy=chrome]')
      await policy.filter({ hasText: 'CACertificates' }).waitFor()
      writeFileSync(join(folder, 'policy.json'), String(await policy.textContent()))
      await page.close()
      // Nothing else trusts the box here.
      const args = [resolver, `--ignore-certificate-errors-spki-list=${pinOf(pair.cert)}`, spaces]
      const managed = await openManaged(folder, args)
      t.teardown(() => managed.close())
      const context = await managed.newContext()
      t.same(await look(context, site, box), { ...fine, form: 'ask' })
    },
  )

  await t.test('... and one that it does not let prints by a form', async (t) => {
    const context = await browser.newContext()
    const { page, report } = await ask(context, site, box)
    const cure = /^fail: Press the sign beside the address, Site settings/
    t.match(brief(report), { verdict: 'fail', permission: cure, ...skipped })
    await page.getByRole('button', { name: 'Try a form' }).click()
    await page.locator('[data-check=form][data-result=pass]').waitFor()
    await context.close()
  })

  await t.test("it speaks the browser's language where the shop has its words", async (t) => {
    for (const [locale, head] of [
      ['de-AT', 'Kann dieser Browser drucken?'],
      ['fr-FR', 'Can this browser print?'],
    ] as const) {
      const context = await browser.newContext({ locale })
      const { page } = await ask(context, site, { ...box, languages: 'de' })
      t.ok((await page.locator('#here').textContent())?.startsWith(head), locale)
      await context.close()
    }
  })

  await t.test('what is wrong is told with its cure', async (t) => {
    const plain = `http://shop.example:${plainShop.port}`
    t.match(await look(granted, plain, box), {
      verdict: 'fail',
      permission: `fail: Open this page by https: ${plain.replace('http', 'https')}.`,
      ...skipped,
    })
    const byNumber = `https://127.0.0.1:${https}`
    const lost = { box: `https://nobody.local:${https}`, plain: `http://nobody.local:${http}` }
    t.match(await look(granted, site, { ...lost, address: byNumber }), {
      verdict: 'fail',
      permission: 'pass',
      name: `fail: Use ${byNumber} in its place, or put`,
    })
    t.match(await look(granted, site, lost), {
      verdict: 'fail',
      name: `fail: Open https://nobody.local:${https} in a new tab.`,
    })
    const strange = { box: `https://printserver.local:${stranger.port}`, plain: box.plain }
    t.match(await look(granted, site, strange), {
      verdict: 'fail',
      name: 'pass',
      certificate: `fail: Open ${box.plain}/trust on this computer`,
    })
    await saveOrigins(server, ['https://other.example'])
    const cure = `fail: Add ${site} to Allowed sites in the settings of the print server.`
    t.same(await look(granted, site, box), { ...fine, verdict: 'fail', fetch: cure, form: cure })
    await saveOrigins(server, [site])
    t.same(await look(granted, site, box), { ...fine, form: 'ask' })
  })
})
