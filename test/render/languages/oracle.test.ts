import { createHash } from 'node:crypto'
import t from 'tap'
import type { PictureFormat } from '../../../src/render/detect.ts'
import { type LanguageName, languageNames } from '../../../src/render/languages/index.ts'
import type { Raster } from '../../../src/render/raster.ts'
import { renderPicture } from '../../../src/render/render.ts'
import type { Rendered, Target } from '../../../src/render/target.ts'
import { interpretEpl } from '../../interpreters/epl.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { interpretTspl } from '../../interpreters/tspl.ts'
import { renderZpl } from '../../interpreters/zpl.ts'
import { interpretZpl } from '../../interpreters/zpl-graphics.ts'
import { CARRIER_SYMBOLS, carrierLabel, letterPage, sidewaysLabel } from '../../labels/carrier.ts'
import { fromPng, toGif, toJpeg, toPng } from '../../labels/files.ts'
import { fromRaster, type Gray, toRaster, turn } from '../../labels/gray.ts'

// A picture goes in at one end, as a file; out of the other come dots, drawn by printers that know nothing of us, and a
// scanner reads them.

const FILES: Readonly<Record<PictureFormat, (gray: Gray) => Uint8Array>> = {
  png: toPng,
  jpeg: toJpeg,
  gif: toGif,
}
const FORMATS = ['png', 'jpeg', 'gif'] as const
const TURNS = [0, 90, 180, 270] as const

function target(language: LanguageName, more: Partial<Target> = {}): Target {
  return {
    language,
    dpi: 203,
    labelWidth: 4,
    labelHeight: 6,
    pictureDpi: undefined,
    startingPointX: 0,
    startingPointY: 0,
    rotate: 'auto',
    darkness: undefined,
    speed: undefined,
    z64: false,
    ...more,
  }
}

/** What the printer of the target's language puts on paper. */
async function print(job: Uint8Array, { language, dpi, labelWidth, labelHeight }: Target) {
  const stock = { width: Math.round(labelWidth * dpi), height: Math.round(labelHeight * dpi), dpi }
  const printed = {
    zpl: () => interpretZpl(job, stock),
    epl: () => interpretEpl(job, stock),
    tspl: () => interpretTspl(job, dpi),
  }[language ?? 'zpl']()
  const [label, ...more] = printed
  if (label === undefined || more.length > 0) throw new Error(`${printed.length} labels came out`)
  if (language === 'zpl') {
    const drawn = await renderZpl(job, stock)
    if (!isSame(drawn, label.raster)) throw new Error('the two ZPL readers drew different dots')
  }
  return label.raster
}

function isSame(a: Raster, b: Raster): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.bits, b.bits) === 0
}

/** Dots that differ between two rasters of one size. */
function countDifferent(a: Raster, b: Raster): number {
  let count = 0
  for (const [index, byte] of a.bits.entries()) {
    for (let rest = byte ^ (b.bits[index] ?? 0); rest !== 0; rest &= rest - 1) count++
  }
  return count
}

/** The black of a raster without the white around it. */
function inkOf(raster: Raster): Raster {
  const { width, height, luma } = fromRaster(raster)
  const rows = Array.from({ length: height }, (_, y) => luma.subarray(y * width, (y + 1) * width))
  const inked = rows.filter((row) => row.includes(0))
  const left = Math.min(...inked.map((row) => row.indexOf(0)))
  const right = Math.max(...inked.map((row) => row.lastIndexOf(0))) + 1
  const top = rows.findIndex((row) => row.includes(0))
  const bottom = rows.findLastIndex((row) => row.includes(0)) + 1
  const cut = rows.slice(top, bottom).map((row) => row.subarray(left, right))
  const ink = { width: right - left, height: bottom - top, luma: Buffer.concat(cut) }
  return toRaster(ink)
}

/** Equal rasters are read once: the scanner takes longest of all. */
const readings = new Map<string, Record<string, string>>()

async function read(raster: Raster): Promise<Record<string, string>> {
  const key = createHash('sha256').update(raster.bits).digest('hex')
  const known = readings.get(key) ?? (await readSymbols(raster))
  readings.set(key, known)
  return known
}

/** Sends a file through the whole renderer to a printer of each language. */
async function printEverywhere(
  file: Uint8Array,
  format: PictureFormat,
  more: Partial<Target>,
  check: (raster: Raster, language: LanguageName, rendered: Rendered) => void | Promise<void>,
): Promise<void> {
  for (const language of languageNames) {
    const to = target(language, more)
    const rendered = renderPicture(file, format, to)
    const raster = await print(rendered.bytes, to)
    await check(raster, language, rendered)
  }
}

for (const [dpi, size] of [
  [203, { width: 812, height: 1218 }],
  [300, { width: 1200, height: 1800 }],
] as const) {
  t.test(`a label of the size of the stock at ${dpi} dpi is printed dot for dot`, async (t) => {
    const label = carrierLabel(size)
    const meant = toRaster(label)
    for (const format of FORMATS) {
      await printEverywhere(FILES[format](label), format, { dpi }, async (raster, language) => {
        // JPEG may move a dot at an edge; PNG and GIF may not.
        const allowed = format === 'jpeg' ? 100 : 0
        t.ok(countDifferent(raster, meant) <= allowed, `${format} in ${language}`)
        t.same(await read(raster), CARRIER_SYMBOLS, `${format} in ${language} scans`)
      })
    }
  })
}

t.test('a label on its side or its head comes upright when the printer is told how', async (t) => {
  const label = carrierLabel()
  const meant = toRaster(label)
  for (const rotate of TURNS) {
    const lying = turn(
      label,
      { 0: 0, 90: 270, 180: 180, 270: 90 }[rotate] as (typeof TURNS)[number],
    )
    await printEverywhere(toPng(lying), 'png', { rotate }, async (raster, language) => {
      t.ok(isSame(raster, meant), `turned by ${rotate} in ${language}`)
      t.same(await read(raster), CARRIER_SYMBOLS)
    })
  }
})

t.test('a label on its side comes upright by itself, on lying stock it stays', async (t) => {
  const label = carrierLabel()
  const lying = turn(label, 270)
  await printEverywhere(toGif(lying), 'gif', {}, (raster, language) => {
    t.ok(isSame(raster, toRaster(label)), language)
  })
  const stock = { labelWidth: 6, labelHeight: 4 }
  await printEverywhere(toPng(lying), 'png', stock, async (raster, language) => {
    t.ok(isSame(raster, toRaster(lying)), language)
    t.same(await read(raster), CARRIER_SYMBOLS)
  })
})

t.test('the 1400x800 GIF with a blank tail is printed dot for dot, upright', async (t) => {
  const meant = inkOf(toRaster(carrierLabel({ width: 800, height: 1200 })))
  await printEverywhere(toGif(sidewaysLabel()), 'gif', {}, async (raster, language) => {
    t.ok(isSame(inkOf(raster), meant), language)
    t.same(await read(raster), CARRIER_SYMBOLS)
  })
})

t.test('the label on a letter page is found and printed dot for dot', async (t) => {
  const meant = inkOf(toRaster(carrierLabel()))
  await printEverywhere(toPng(letterPage()), 'png', {}, async (raster, language) => {
    t.ok(isSame(inkOf(raster), meant), language)
    t.same(await read(raster), CARRIER_SYMBOLS)
  })
})

t.test(
  'a label of 300 dpi scans after it was made smaller for 203 dpi, in every format',
  async (t) => {
    const label = carrierLabel({ width: 1200, height: 1800 })
    for (const format of FORMATS) {
      await printEverywhere(FILES[format](label), format, {}, async (raster, language) => {
        t.same(await read(raster), CARRIER_SYMBOLS, `${format} in ${language}`)
      })
    }
  },
)

t.test('the picture of a label shows what is printed', async (t) => {
  const file = toPng(carrierLabel())
  await printEverywhere(file, 'png', { startingPointX: 12 }, (raster, language, { preview }) => {
    t.ok(isSame(toRaster(fromPng(preview ?? new Uint8Array())), raster), language)
  })
})

t.test('a label of 203 dpi scans after it was made larger for 300 dpi', async (t) => {
  await printEverywhere(toPng(carrierLabel()), 'png', { dpi: 300 }, async (raster, language) => {
    t.same(await read(raster), CARRIER_SYMBOLS, language)
  })
})

t.test('Z64 carries the same dots', async (t) => {
  const to = target('zpl', { z64: true })
  const label = carrierLabel()
  const raster = await print(renderPicture(toPng(label), 'png', to).bytes, to)
  t.ok(isSame(raster, toRaster(label)))
})
