import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Box, readDropped, whyNoImage } from './box.ts'

const IMAGE = process.env['IMAGE'] ?? ''
const BOOT_MS = Number(process.env['BOOT_S'] ?? 1800) * 1000
const DATA_MIB = 1540 // where the data partition begins
const skip = whyNoImage()

t.setTimeout(7_200_000)

t.test(
  'a box whose data are gone says so on the card and starts again, and waits for no keyboard',
  {
    skip,
    timeout: 7_000_000,
  },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-broken-'))
    const card = join(folder, 'card.img')
    execFileSync('cp', ['--sparse=always', IMAGE, card])
    writeSync(openSync(card, 'r+'), Buffer.alloc(2 ** 20), 0, 2 ** 20, DATA_MIB * 2 ** 20)
    truncateSync(card, 2 ** 31)
    const env = { APPEND: 'systemd.default_device_timeout_sec=30' } // instead of the box's five minutes
    const box = await Box.start(card, join(folder, 'console.log'), 'boot-virt', env)
    t.teardown(async () => {
      await box.cut()
      rmSync(folder, { recursive: true, force: true })
    })
    const end = Date.now() + BOOT_MS
    let status = ''
    while (!status.includes('did not start') && Date.now() < end) {
      await sleep(2000)
      status = look(card)
    }
    t.match(
      status,
      /^The print server did not start: .*the data partition of the card cannot be opened/,
    )
    t.match(status, 'write the image to a new card')
    await box.untilOff(BOOT_MS) // QEMU ends where a board would start again
  },
)

/** STATUS.TXT; '' in the moment in which the guest writes it. */
function look(card: string): string {
  try {
    return readDropped(card, 'STATUS.TXT')
  } catch {
    return ''
  }
}
