import t from 'tap'
import { tspl } from '../../../src/labels/languages/tspl/index.ts'
import { plain } from '../../conformance/language.ts'

const text = (job: Uint8Array) => Buffer.from(job).toString('latin1')

t.test('a job sets size, direction and origin, clears, and draws one inverted bitmap', (t) => {
  const raster = { width: 20, height: 2, bits: Uint8Array.of(0, 0, 0, 0, 0x7e, 0x80) }
  t.equal(
    text(tspl.encode(raster, plain(raster, { widthDots: 812, heightDots: 1218 }))),
    'SIZE 101.6 mm,152.4 mm\r\nDIRECTION 0,0\r\nREFERENCE 0,0\r\nCLS\r\nBITMAP 8,1,2,1,0,\x81\x7f\r\nPRINT 1,1\r\n',
  )
  t.end()
})

t.test('the size is in millimetres at every resolution', (t) => {
  const raster = { width: 8, height: 1, bits: Uint8Array.of(1) }
  const size = (widthDots: number, heightDots: number, dpi: number) =>
    text(tspl.encode(raster, plain(raster, { widthDots, heightDots, dpi }))).split('\r\n')[0]
  t.equal(size(1200, 1800, 300), 'SIZE 101.6 mm,152.4 mm')
  t.equal(size(457, 254, 203), 'SIZE 57.2 mm,31.8 mm')
  t.equal(size(2400, 3600, 600), 'SIZE 101.6 mm,152.4 mm')
  t.end()
})

t.test('darkness is scaled to 0..15 and speed to whole inches', (t) => {
  const raster = { width: 8, height: 1, bits: Uint8Array.of(1) }
  const job = (darkness: number, speed: number) =>
    text(tspl.encode(raster, plain(raster, { darkness, speed })))
  t.match(job(50, 4), /\r\nDENSITY 8\r\nSPEED 4\r\nCLS\r\n/)
  t.match(job(100, 0.4), /\r\nDENSITY 15\r\nSPEED 1\r\n/)
  t.end()
})
