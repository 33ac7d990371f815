import fc from 'fast-check'
import t from 'tap'
import { rowBytes } from '../../../src/labels/languages/raster.ts'
import { crc16, packRunLengths, packZ64 } from '../../../src/labels/languages/zpl/encode.ts'
import { crcBitByBit, decodeGraphic } from '../../interpreters/zpl-graphics.ts'
import { rasters } from '../../label-makers/random.ts'

const GOLDEN = Buffer.from(
  [
    'ffffffffffffffffffff',
    ...Array.from({ length: 3 }, () => '8000ffff0000ffff0001'),
    ...Array.from({ length: 3 }, () => 'ffff0000ffff0000ffff'),
    'ffffffffffffffffffff',
  ].join(''),
  'hex',
)

const runLengths = (hex: string, stride: number) =>
  Buffer.from(packRunLengths(Buffer.from(hex, 'hex'), stride)).toString('latin1')

t.test('the published sample is packed as published, without the disputed "!"', (t) => {
  t.equal(
    Buffer.from(packRunLengths(GOLDEN, 10)).toString('latin1'),
    'gF8I0JFJ0JFI01::JFJ0JFJ0JF::gF',
  )
  // The bytes of a deflate differ between processors, so what they mean is compared.
  const z64 = Buffer.from(packZ64(GOLDEN)).toString('latin1')
  t.match(z64, /^:Z64:[A-Za-z0-9+/]+={0,2}:[0-9a-f]{4}$/)
  t.equal(Buffer.compare(decodeGraphic(z64, 10, 8), GOLDEN), 0)
  t.end()
})

t.test('counts stand only before runs of three and more', (t) => {
  t.equal(runLengths('112223', 3), '11I23')
  t.equal(runLengths('1122', 2), '1122')
  t.equal(runLengths('1'.repeat(20), 10), 'g1')
  t.equal(runLengths('1'.repeat(642), 321), 'zrH1')
  t.equal(runLengths('1'.repeat(400), 200), 'z1')
  t.equal(runLengths('1'.repeat(822), 411), 'zzgH1')
  t.end()
})

t.test('a comma stands for an even number of zeros, and a row of zeros', (t) => {
  t.equal(runLengths('1000', 2), '10,')
  t.equal(runLengths('1100', 2), '11,')
  t.equal(runLengths('0010', 2), '0010')
  t.equal(runLengths('00001100', 4), 'J011,')
  t.equal(runLengths('0000', 2), ',')
  t.end()
})

t.test('a row like the one above is a colon, but never the first', (t) => {
  t.equal(runLengths('0000', 1), ',:')
  t.equal(runLengths('a1a1a2', 1), 'A1:A2')
  t.end()
})

t.test('any raster survives both codings', (t) => {
  fc.assert(
    fc.property(rasters({ width: 4000, height: 30 }), ({ width, height, bits }) => {
      const stride = rowBytes(width)
      for (const packed of [packRunLengths(bits, stride), packZ64(bits)]) {
        const data = Buffer.from(packed).toString('latin1')
        if (Buffer.compare(decodeGraphic(data, stride, height), bits) !== 0) return false
      }
      return true
    }),
  )
  t.end()
})

t.test('noise, which no coding shrinks, still fits', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 640 }), (noise) => {
      const bits = noise.subarray(0, noise.length - (noise.length % 8))
      const data = Buffer.from(packRunLengths(bits, 8)).toString('latin1')
      return Buffer.compare(decodeGraphic(data, 8, bits.length / 8), bits) === 0
    }),
  )
  t.end()
})

t.test('the CRC is CRC-16/XMODEM', (t) => {
  t.equal(crc16(Buffer.from('123456789')), 0x31c3)
  t.equal(crc16(new Uint8Array()), 0)
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary-ascii' }),
      (text) => crc16(Buffer.from(text)) === crcBitByBit(text),
    ),
  )
  t.end()
})
