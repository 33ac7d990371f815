import type { Page } from 'playwright-core'
import t from 'tap'
import { type Job, listActions } from '../../src/core/job.ts'
import { inEnglish, NOTHING, type Sentences, say } from '../../src/words/say.ts'
import { LIMIT_MS, openBench, print, SOURCE, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'
import { LONG_NAME } from './server.ts'

t.setTimeout(LIMIT_MS)

t.test('the look of the page, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(
    t,
    {
      queues: [{ type: 'beanstalkd', endpoint: '127.0.0.1:9', tube: 'labels' }],
    },
    {},
    SOURCE,
  )

  await t.test('a phone shows all of it without scrolling sideways', async (t) => {
    await using tab = await openTab(browser, rig.url, { viewport: { width: 360, height: 740 } })
    const { page } = tab
    const overhang = 'document.documentElement.scrollWidth - innerWidth'
    await print(page, 'Switched off', ZPL, 'Waiting for the printer')
    await print(page, LONG_NAME, ZPL, 'Sent to the printer')
    t.equal(await page.evaluate(overhang), 0)
    const small = `[...document.querySelectorAll('main button')].filter((button) =>
      button.checkVisibility() && button.getBoundingClientRect().height < 44).length`
    t.equal(await page.evaluate(small), 0, 'every button is as high as a thumb')
    for (const view of ['printers', 'sources', 'settings']) {
      await visit(page, view)
      t.equal(await page.evaluate(overhang), 0, view)
      t.equal(await page.evaluate(small), 0, `${view}: every button is as high as a thumb`)
    }
  })

  await t.test('a label in the large fits windows of 320 px, and zoomed ones', async (t) => {
    await using tab = await openTab(browser, rig.url, { viewport: { width: 320, height: 640 } })
    const { page } = tab
    const label = ZPL.toString('base64')
    const body = JSON.stringify({ label, title: 'x'.repeat(150), printer: 'Bench 1' })
    const headers = { 'Content-Type': 'application/json' }
    await fetch(rig.url, { method: 'POST', headers, body })
    await page.locator('.job', { hasText: 'xxxx' }).locator('.thumb').click()
    await page.locator('#label-dialog .drawn-label img').waitFor()
    for (const [width, height] of [
      [320, 640],
      [320, 256],
      [640, 400],
    ] as const) {
      await page.setViewportSize({ width, height })
      t.same(
        await page.evaluate(LARGE_LABEL),
        { overhang: 0, bend: 0, isInSight: true },
        `${width}`,
      )
    }
  })

  await t.test('it is dark where the system is, and its text keeps its contrast', async (t) => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await using tab = await openTab(browser, rig.url, { colorScheme, reducedMotion: 'reduce' })
      const { page } = tab
      for (const view of ['labels', 'printers', 'sources', 'settings']) {
        await visit(page, view)
        const worst = await page.evaluate<number>(WORST_CONTRAST)
        t.ok(worst >= 4.5, `${colorScheme}, ${view}: the worst contrast is ${worst.toFixed(2)}`)
      }
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      const brightness = Number(/\d+/.exec(ground)?.[0])
      t.equal(brightness < 64, colorScheme === 'dark')
    }
  })

  await t.test('no state is told in the words of programmers', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const words = await tab.page.evaluate<string[]>(ALL_WORDS)
    t.equal(words.length, 28)
    for (const word of words) t.notMatch(word, /pending|processing|aborted|completed|undefined/i)
  })

  await t.test('each label offers what can be done with it', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const offers = (
      state: string,
      reasons: string | string[] = [],
      has_label = true,
      message: Sentences = NOTHING,
      more: object = {},
    ) => {
      const job = { printer: 'Bench 1', state, reasons, has_label, ...more }
      const known = { ...job, message, hint: NOTHING, hasLabel: has_label } as unknown as Job
      return tab.page.evaluate(
        offersOf({ ...job, message: inEnglish(message), actions: listActions(known) }),
      )
    }
    t.same(await offers('pending'), ['cancel'])
    t.same(await offers('processing-stopped'), ['cancel'])
    t.same(await offers('pending-held', 'platen-interrupted'), ['printed', 'again', 'cancel'])
    // Under on_interrupt: reprint, behind a printer that waits for a person's word on this label.
    const cut = ['printer-stopped', 'platen-interrupted']
    t.same(await offers('pending', cut), ['printed', 'again', 'cancel'])
    t.same(await offers('pending', 'platen-interrupted'), ['cancel'], 'it prints again by itself')
    t.same(await offers('pending-held', 'platen-crashed-twice'), ['release', 'cancel'])
    t.same(await offers('completed'), ['reprint', 'elsewhere'])
    t.same(await offers('pending-held', 'platen-duplicate'), ['release', 'cancel'])
    t.same(await offers('aborted', '', false), [])
    const stopped = 'printer-stopped'
    t.same(await offers('pending', stopped), ['elsewhere', 'cancel'], 'another one may print it')
    const lost = { printer: 'Nope' }
    t.same(await offers('pending-held', [], true, NOTHING, lost), ['elsewhere', 'cancel'])
    t.same(await offers('completed', [], true, NOTHING, lost), ['elsewhere'])
    const junk = { format: 'unknown' }
    t.same(await offers('pending-held', 'document-format-error', true, NOTHING, junk), ['cancel'])
    t.same(await offers('canceled', [], true, NOTHING, junk), [])
    t.same(await offers('completed', [], true, WRONG_ROLL), ['reprint', 'elsewhere', 'calibrate'])
  })
})

t.test('sizes and names as people write them', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, {}, {}, SOURCE)
  await using tab = await openTab(browser, rig.url, { locale: 'de-DE' })
  const size = `import('/web/shell/units.js').then((m) => [m.fromInches(4), m.toInches('101,6'), m.fromInches(40)])`
  t.same(await tab.page.evaluate(size), ['101,6', 4, '1016'], 'with the comma of the language')
  const names = ['מדפסת', 'طابعة', 'Bench']
  for (const name of names) t.ok(await tab.page.evaluate(isInOrder(name)), name)
})

/** Tells whether the number behind a printer's name is visibly behind it, too. */
function isInOrder(printer: string): string {
  return `import('/web/shell/texts.js').then(({ t }) => {
    document.body.textContent = t('groupWaits', { printer: '${printer}', n: 3 })
    const text = document.body.firstChild
    const placeOf = (letter) => {
      const range = document.createRange()
      range.setStart(text, text.data.indexOf(letter))
      range.setEnd(text, text.data.indexOf(letter) + 1)
      return range.getBoundingClientRect().x
    }
    return placeOf('3') > placeOf('${printer[0]}')
  })`
}

/** Elements that are there once a view has drawn itself. */
const LOADED: Readonly<Record<string, string>> = {
  labels: '.job',
  printers: '#view-printers .card',
  sources: '#view-sources .card',
  shipping: '#view-shipping form',
  settings: '.settings-form',
}

/** Opens a view and all that is folded in it. */
async function visit(page: Page, view: string): Promise<void> {
  await page.locator(`#to-${view}`).click()
  await page
    .locator(LOADED[view] ?? 'main')
    .first()
    .waitFor()
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
}

/**
 * Measures how much wider than its window the dialog of a label is, how bent its picture is, and whether its last button can be pressed.
 */
const LARGE_LABEL = `(() => {
  const dialog = document.querySelector('#label-dialog')
  const { naturalWidth, naturalHeight, clientWidth, clientHeight } = dialog.querySelector('.drawn-label img')
  const button = [...dialog.querySelectorAll('.dialog-buttons button')].at(-1)
  button.scrollIntoView({ block: 'center' })
  const { x, y, width, height } = button.getBoundingClientRect()
  return {
    overhang: dialog.scrollWidth - dialog.clientWidth,
    bend: Math.round(10 * Math.log2((naturalWidth / naturalHeight) * (clientHeight / clientWidth))),
    isInSight: document.elementFromPoint(x + width / 2, y + height / 2) === button,
  }
})()`

/** Returns the actions for a label of this state. */
function offersOf(job: object): string {
  return `import('/web/labels/job-buttons.js').then((m) => m.actionsFor(${JSON.stringify(job)}, ['Bench 1', 'Bench 2']))`
}

/** The message of a job whose label was made for another roll. */
const WRONG_ROLL = say('otherRoll')

/** The words of every state with every delivery. */
const ALL_WORDS = `import('/web/labels/words.js').then(({ jobWords }) => {
  const states = ['pending', 'pending-held', 'processing', 'processing-stopped', 'canceled', 'aborted', 'completed']
  return states.flatMap((state) => ['none', 'sent', 'confirmed', 'unknown'].map((delivery) =>
    jobWords({ state, delivery, reasons: [], message: '', hint: '' }).words))
})`

/** The lowest contrast (WCAG 2.2, 1.4.3) of any text on the page with the ground behind it. */
const WORST_CONTRAST = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0)
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const ground = parse(getComputedStyle(at).backgroundColor)
      if ((ground[3] ?? 1) > 0) return ground
    }
    return [255, 255, 255]
  }
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
  const contrasts = [...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && hasText(element) && !element.matches('option, :disabled'))
    .map((element) => [light(parse(getComputedStyle(element).color)), light(groundOf(element))])
    .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05))
  return Math.min(...contrasts)
})()`
