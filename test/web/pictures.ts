// Draws the pictures of README.md and docs/ again (make pictures): look at each before you commit it.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { carrierLabel } from '../label-makers/carrier.ts'
import { toPng } from '../label-makers/files.ts'
import { fedexLikeZpl, upsLikeZpl } from '../label-makers/raw.ts'
import { BeanstalkdDaemon, noBeanstalkd } from '../plugins/source/beanstalkd-daemon.ts'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const DOCS = join(import.meta.dirname, '../../docs')
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

/** Pictures by their paths in docs/, with their views and the elements that must be there. */
const PICTURES = [
  ['page.png', DESK, '', '.history .thumb img >> nth=1'],
  ['pictures/labels-phone.png', PHONE, '', '.group .thumb img'],
  ['pictures/printers.png', DESK, '#printers', '#view-printers .card >> nth=2'],
  ['pictures/printers-phone.png', PHONE, '#printers', '#view-printers .card >> nth=2'],
  ['pictures/sources.png', DESK, '#sources', '#view-sources .state.tone-good'],
  ['pictures/settings.png', DESK, '#settings', '.settings-form'],
] as const

/** A bench that packs, one whose printer is off, and a queue. */
function configOf(endpoint: string): object {
  const printer = { language: 'zpl', dpi: 203, label_width: 4, label_height: 6 }
  return {
    printer: 'Bench 1',
    printers: [
      { ...printer, name: 'Bench 1', uri: 'file:bench-1' },
      { ...printer, name: 'Bench 2', uri: 'socket://192.0.2.50:9100' }, // RFC 5737: nobody's
      { ...printer, name: 'Returns', uri: 'file:returns' },
    ],
    queues: [{ type: 'beanstalkd', endpoint, tube: 'labels' }],
  }
}

async function fill(url: string): Promise<void> {
  const post = async (label: Uint8Array, printer: string): Promise<void> => {
    const body = JSON.stringify({ label: Buffer.from(label).toString('base64'), printer })
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=5' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const named = (label: Uint8Array, name: string): Uint8Array =>
    Buffer.from(Buffer.from(label).toString().replaceAll('ANA RIVERA', name))
  await post(toPng(carrierLabel()), 'Returns')
  await post(named(fedexLikeZpl, 'TOMAS NOVAK'), 'Bench 1')
  await post(named(upsLikeZpl, 'MARIE DUPONT'), 'Bench 1')
  await fetch(`${url}/printers/${encodeURIComponent('Bench 1')}/test`, { method: 'POST' })
  await post(named(fedexLikeZpl, 'JONAS BERG'), 'Bench 1')
  await post(upsLikeZpl, 'Bench 1')
  for (const name of ['ANA TORRES', 'KEN ADAMS', 'LUCY CHEN']) {
    await post(named(upsLikeZpl, name), 'Bench 2')
  }
}

/** Counts what is still missing in the window: pictures of labels, and images on their way. */
const MISSING = `[...document.querySelectorAll('[data-draw], img')].filter((place) =>
  place.checkVisibility() && place.getBoundingClientRect().top < innerHeight && !place.complete).length`

async function untilStill(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready')
  await page.waitForFunction(`${MISSING} === 0`)
}

t.test('the pictures of the docs', { skip: skipReason || noBeanstalkd }, async (t) => {
  const daemon = await BeanstalkdDaemon.start(t)
  const { rig, browser } = await openBench(t, configOf(`127.0.0.1:${daemon.port}`))
  await fill(rig.url)
  for (const [name, viewport, hash, there] of PICTURES) {
    await using tab = await openTab(browser, `${rig.url}/${hash}`, {
      bypassCSP: true, // for waitForFunction
      viewport,
      reducedMotion: 'reduce',
      colorScheme: 'light',
      isMobile: viewport === PHONE,
      hasTouch: viewport === PHONE,
    })
    await tab.page.locator(there).first().waitFor()
    if (hash === '') await tab.page.locator('.group', { hasText: 'Bench 2' }).waitFor()
    await untilStill(tab.page)
    await tab.page.screenshot({ path: join(DOCS, name) })
    t.same(tab.complaints, [], name)
  }
})
