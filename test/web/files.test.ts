import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { choosePrinter, LIMIT_MS, openBench, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

t.test('files that cannot be read, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const folder = join(t.testdirName, 'labels')
  mkdirSync(folder)
  const file = join(folder, 'order.zpl')
  writeFileSync(file, ZPL)

  /** The browser takes them from the disk itself; Playwright would hand over their bytes. */
  const openDropped = async (paths: readonly string[]) => {
    const tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    const hand = await page.context().newCDPSession(page)
    const { x = 0, y = 0 } = (await page.locator('#drop').boundingBox()) ?? {}
    const data = { items: [], files: [...paths], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await hand.send('Input.dispatchDragEvent', { type, x: x + 9, y: y + 9, data })
    }
    return tab
  }

  await t.test('a folder is told of, and the file beside it prints', async (t) => {
    await using tab = await openDropped([folder, file])
    const { page } = tab
    const refused = page.locator('.tray-item.refused')
    await refused.locator('.why', { hasText: 'This file cannot be read.' }).waitFor()
    await page.locator('#print:not([disabled])').click()
    await page.locator('.tray-item .state', { hasText: 'Sent to the printer' }).waitFor()
    t.equal(await refused.count(), 1)
    t.equal(await page.locator('#notice').textContent(), '')
  })

  await t.test('a file that was changed since it was chosen is told of', async (t) => {
    await using tab = await openDropped([file])
    const { page } = tab
    await page.locator('.tray-item img').waitFor()
    writeFileSync(file, Buffer.concat([ZPL, ZPL]))
    utimesSync(file, 0, 0)
    await page.locator('#print').click()
    await page.locator('.tray-item .why', { hasText: 'This file cannot be read.' }).waitFor()
    t.equal(await page.locator('#print').isDisabled(), true, 'it never will')
  })
})
