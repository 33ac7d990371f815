import t from 'tap'
import { epl } from '../../../src/labels/languages/epl/index.ts'
import { plain } from '../../conformance/language.ts'

const text = (job: Uint8Array) => Buffer.from(job).toString('latin1')

t.test(
  'a job flushes half a command, clears the buffer and centers the stock in whole bytes',
  (t) => {
    const raster = { width: 20, height: 2, bits: Uint8Array.of(0, 0, 0, 0, 0x7e, 0x80) }
    t.equal(
      text(epl.encode(raster, plain(raster, { widthDots: 812, heightDots: 1218 }))),
      '\nN\nq816\nGW8,1,2,1,\x81\x7f\nP1\n',
    )
    t.end()
  },
)

t.test('the sample of the documentation is drawn with the same bytes', (t) => {
  const bits = new Uint8Array(232 * 29)
  const rows = [0xffff, ...Array.from({ length: 14 }, () => 0x8001), 0xffff]
  for (const [y, row] of rows.entries()) bits.set([row >> 8, row & 255], (y + 100) * 29 + 13)
  const job = epl.encode(
    { width: 232, height: 232, bits },
    plain({ width: 232, height: 232, bits }),
  )
  const data = Buffer.from(`0000${'7ffe'.repeat(14)}0000`, 'hex').toString('latin1')
  t.equal(text(job), `\nN\nq232\nGW104,100,2,16,${data}\nP1\n`)
  t.end()
})

t.test('darkness is scaled to 0..15 and speed to a whole step, both before the picture', (t) => {
  const raster = { width: 8, height: 1, bits: Uint8Array.of(1) }
  const job = (darkness: number, speed: number) =>
    text(epl.encode(raster, plain(raster, { darkness, speed })))
  t.match(job(50, 2.5), /^\nN\nq8\nD8\nS3\nGW/)
  t.match(job(0, 0.2), /D0\nS1\n/)
  t.match(job(100, 12), /D15\nS6\n/)
  t.end()
})

t.test('blank rows and the white beside short rows are not sent', (t) => {
  const bits = new Uint8Array(100 * 300)
  for (let y = 10; y < 60; y++) bits.fill(0xff, y * 100, y * 100 + 100)
  for (let y = 200; y < 260; y++) bits.fill(0xff, y * 100 + 40, y * 100 + 50)
  const raster = { width: 800, height: 300, bits }
  const job = epl.encode(raster, plain(raster))
  t.same(text(job).match(/GW[\d,]+/g), ['GW0,10,100,50,', 'GW320,200,10,60,'])
  t.ok(job.length < 100 * 50 + 10 * 60 + 80)
  t.end()
})
