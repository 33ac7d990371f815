import t from 'tap'
import { zpl } from '../../../src/labels/languages/zpl/index.ts'
import { plain } from '../../conformance/language.ts'
import { renderZpl } from '../../interpreters/zpl.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'
import { toRaster } from '../../label-makers/gray.ts'

t.setTimeout(300_000)

const text = (job: Uint8Array) => Buffer.from(job).toString('latin1')

t.test('a job begins with everything that an earlier label may have left behind', (t) => {
  const raster = { width: 16, height: 2, bits: Uint8Array.of(0, 0, 0x18, 0) }
  t.equal(
    text(zpl.encode(raster, plain(raster, { widthDots: 812, heightDots: 1218 }))),
    '^XA^CI28^LH0,0^LS0^PON^LRN^PMN^FWN^MCY^PW812^LL1218\n^FO0,1^GFA,2,2,2,18,^FS\n^XZ\n',
  )
  t.end()
})

t.test('darkness is scaled to 00..30 and comes before the format, speed is inside', (t) => {
  const raster = { width: 8, height: 1, bits: Uint8Array.of(1) }
  const job = (darkness: number, speed: number) =>
    text(zpl.encode(raster, plain(raster, { darkness, speed })))
  t.match(job(50, 4), /^~SD15\n\^XA[^\n]*\^PR4\n/)
  t.match(job(0, 0.2), /^~SD00\n\^XA[^\n]*\^PR1\n/)
  t.match(job(100, 99), /^~SD30\n\^XA[^\n]*\^PR14\n/)
  t.end()
})

t.test('no ^GF counts more than 62,118 bytes, and blank rows between them are not sent', (t) => {
  for (const [width, height] of [
    [812, 1218],
    [1200, 1800],
    [2400, 3600],
  ] as const) {
    const raster = toRaster(carrierLabel({ width, height }))
    const job = text(zpl.encode(raster, plain(raster)))
    const counts = [...job.matchAll(/\^GFA,(\d+),(\d+),(\d+),/g)]
    t.ok(counts.length >= 2, `${width}x${height} has bands`)
    t.ok(counts.every(([, sent, total]) => sent === total && Number(total) <= 62_118))
    t.ok(counts.every(([, , total, stride]) => Number(total) % Number(stride) === 0))
  }
  const apart = { width: 8, height: 700, bits: new Uint8Array(700) }
  apart.bits[3] = apart.bits[699] = 1
  t.match(text(zpl.encode({ ...apart, width: 8 }, plain(apart))), /\^FO0,3\^GFA,697,697,1,01/)
  const tall = { width: 1200, height: 1000, bits: new Uint8Array(150_000) }
  tall.bits[0] = tall.bits[149_999] = 1
  t.same(text(zpl.encode(tall, plain(tall))).match(/\^FO0,\d+\^GFA,\d+/g), [
    '^FO0,0^GFA,150',
    '^FO0,999^GFA,150',
  ])
  t.end()
})

t.test('a row wider than a band is still sent, one row a band', (t) => {
  const raster = { width: 500_000, height: 2, bits: new Uint8Array(125_000).fill(1) }
  t.same(text(zpl.encode(raster, plain(raster))).match(/\^GFA,\d+/g), ['^GFA,62500', '^GFA,62500'])
  t.end()
})

t.test('an independent renderer draws what was meant, in both codings', async (t) => {
  for (const [dpi, size] of [
    [203, { width: 812, height: 1218 }],
    [300, { width: 1200, height: 1800 }],
  ] as const) {
    const raster = toRaster(carrierLabel(size))
    for (const z64 of [false, true]) {
      const drawn = await renderZpl(zpl.encode(raster, plain(raster, { dpi, z64 })), {
        ...size,
        dpi,
      })
      t.equal(Buffer.compare(drawn.bits, raster.bits), 0, `${dpi} dpi, z64 ${z64}`)
    }
  }
})
