import t from 'tap'
import { interpretEpl } from './epl.ts'
import { interpretTspl } from './tspl.ts'
import { decodeGraphic, interpretZpl } from './zpl-graphics.ts'

const stock = { width: 24, height: 20 }

/** Rows of a raster as `#` and `.`. */
function show(raster: { width: number; height: number; bits: Uint8Array }): string[] {
  const stride = Math.ceil(raster.width / 8)
  return Array.from({ length: raster.height }, (_, y) => {
    const row = raster.bits.subarray(y * stride, (y + 1) * stride)
    const dots = [...row].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    return dots.slice(0, raster.width).replaceAll('0', '.').replaceAll('1', '#')
  })
}

t.test('the pretended EPL printer draws the sample label of the GW documentation', (t) => {
  // A box of 16x16 at 100,100: 00 00, fourteen times 7F FE, 00 00, with 0 = black.
  const sides = Array.from({ length: 14 }, () => [0x7f, 0xfe]).flat()
  const job = Buffer.concat([
    Buffer.from('4e0d0a', 'hex'),
    Buffer.from('GW100,100,2,16,'),
    Buffer.from([0, 0, ...sides, 0, 0]),
    Buffer.from('500d0a0d0a'.replace('50', '5031'), 'hex'),
  ])
  const [label] = interpretEpl(job, { width: 116, height: 116 })
  if (label === undefined) throw new Error('no label came out')
  const rows = show(label.raster).map((row) => row.slice(100))
  t.same(rows.slice(100), [
    '################',
    ...Array.from({ length: 14 }, () => '#..............#'),
    '################',
  ])
  t.notOk(rows.slice(0, 100).join('').includes('#'))
  t.notOk(show(label.raster).some((row) => row.slice(0, 100).includes('#')))
  t.end()
})

t.test('the pretended EPL printer takes any byte as data, and a line feed before it', (t) => {
  const data = Buffer.from('GW0,0,3,1\n\n"N', 'latin1')
  const job = Buffer.concat([Buffer.from('N\nq24\n'), data, Buffer.from('\nP2\n')])
  const [label] = interpretEpl(job, stock)
  t.equal(
    show(label?.raster ?? { width: 0, height: 0, bits: new Uint8Array() })[0],
    '####.#.###.###.##.##...#',
  )
  t.same([label?.copies, label?.settings], [2, { q: '24' }])
  t.end()
})

t.test('the pretended EPL printer refuses what a real one may drop', (t) => {
  const run = (text: string) => () => interpretEpl(Buffer.from(text, 'latin1'), stock)
  t.throws(run('q16\nGW0,0,3,1,abc\nP1\n'), /beyond the label/)
  t.throws(run('GW0,0,3,9,abc'), /announced/)
  t.throws(run('D16\n'), /no such command/)
  t.throws(run('^XA\n'), /no such command/)
  t.throws(run('GW0,19,1,2,  \nP1\n'), /off paper/)
  t.end()
})

t.test('the pretended EPL printer clears its buffer for N and q, and q undoes R', (t) => {
  const ink = 'LO0,0,8,1\n'
  const after = (text: string) =>
    interpretEpl(Buffer.from(text), stock).map((label) => show(label.raster)[0])
  t.same(after(`${ink}P1\n${ink}N\nP1\n${ink}q24\nP1\n`), [
    '########................',
    '........................',
    '........................',
  ])
  t.same(after(`R8,0\n${ink}P1\nq24\n${ink}P1\n`), [
    '........########........',
    '########................',
  ])
  t.end()
})

t.test('the pretended TSPL printer draws bitmaps with 0 = black', (t) => {
  const head = 'SIZE 3.003 mm,2.502 mm\r\nDIRECTION 0,0\r\nCLS\r\nBITMAP 8,1,1,2,0,'
  const job = Buffer.concat([Buffer.from(head), Buffer.from([0x0d, 0x7e])])
  const [label] = interpretTspl(Buffer.concat([job, Buffer.from('\r\nPRINT 1,1\r\n')]), 203)
  if (label === undefined) throw new Error('no label came out')
  t.same(show(label.raster).slice(0, 4), [
    '........................',
    '........####..#.........',
    '........#......#........',
    '........................',
  ])
  t.same([label.raster.width, label.raster.height], [24, 20])
  t.end()
})

t.test('the pretended TSPL printer refuses what drops a job on the clones', (t) => {
  const run = (text: string) => () => interpretTspl(Buffer.from(text), 203)
  t.throws(run('SIZE 3 mm,2 mm\r\nCLS\r\nEND\r\n'), /no such command/)
  t.throws(run('BITMAP 0,0,1,1,0,a\r\n'), /come first/)
  t.throws(run('DENSITY 16\r\n'), /no such command/)
  t.throws(run('DIRECTION 90\r\n'), /no such command/)
  t.throws(run('SIZE 3 mm,2 mm\r\nCLS\r\nBITMAP 0,0,1,1,0,aPRINT 1,1\r\n'), /no line end/)
  t.end()
})

const GOLDEN_ROWS = [
  'ffffffffffffffffffff',
  ...Array.from({ length: 3 }, () => '8000ffff0000ffff0001'),
  ...Array.from({ length: 3 }, () => 'ffff0000ffff0000ffff'),
  'ffffffffffffffffffff',
].join('')

t.test('the pretended ZPL printer reads the published samples of all codings', (t) => {
  const hex = (data: string) => Buffer.from(decodeGraphic(data, 10, 8)).toString('hex')
  t.equal(hex(GOLDEN_ROWS.toUpperCase()), GOLDEN_ROWS)
  t.equal(hex('gF8I0JFJ0JFI01::JFJ0JFJ0JF::gF'), GOLDEN_ROWS)
  t.equal(
    hex(
      ':B64://///////////4AA//8AAP//AAGAAP//AAD//wABgAD//wAA//8AAf//AAD//wAA/////wAA//8AAP////8AAP//AAD///////////////8=:e4b3',
    ),
    GOLDEN_ROWS,
  )
  t.equal(hex(':Z64:eNr7/x8GGhj+/2cAYUZsLCjNAFKJjQUDAOLDM1I=:8f39'), GOLDEN_ROWS)
  t.end()
})

t.test('the pretended ZPL printer refuses what printers read differently or drop', (t) => {
  const run =
    (data: string, width = 2, rows = 1) =>
    () =>
      decodeGraphic(data, width, rows)
  t.throws(run('!'), /no such command/)
  t.throws(run(':'), /./)
  t.throws(run('F,'), /odd number/)
  t.throws(run('KF'), /too long/)
  t.throws(run('FF'), /not whole/)
  t.throws(run(',,'), /rows/)
  t.throws(run(':Z64:eNr7/x8GGhj+/2cAYUZsLCjNAFKJjQUDAOLDM1I=:8f38'), /CRC/)
  const job = (text: string) => () => interpretZpl(Buffer.from(text), stock)
  t.throws(job('^XA^FO0,0^GFA,1,2,1,00^FS^XZ'), /of/)
  t.throws(job('^XA^FO0,0^GFA,100000,100000,100,00^FS^XZ'), /of/)
  t.throws(job('^XA^MNY^XZ'), /no such command/)
  t.end()
})
