import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { pwg, urf } from '../../../src/labels/codecs/index.ts'
import { PWG, readRasterHeader, URF } from '../../../src/labels/codecs/pwg/header.ts'

async function decode(decoder: typeof pwg | typeof urf, file: Uint8Array): Promise<Buffer> {
  const rows: Buffer[] = []
  await decoder.decode(file, 1, (row) => rows.push(Buffer.from(row)))
  return Buffer.concat(rows)
}

t.test('what Ghostscript makes of a page is its own picture, dot for dot', async (t) => {
  const program =
    '/Helvetica findfont 24 scalefont setfont 20 300 moveto (Jane Doe, 1Z 999) show ' +
    '0 1 40 { 6 mul 20 add 40 2 200 rectfill } for 0.5 setgray 150 250 60 60 rectfill showpage showpage'
  const draw = (device: string, ...more: readonly string[]): Buffer =>
    execFileSync(
      'gs',
      [
        '-q',
        '-dBATCH',
        '-dNOPAUSE',
        '-r203',
        '-g812x1218',
        `-sDEVICE=${device}`,
        ...more,
        '-sOutputFile=-',
        '-',
      ],
      { input: program, maxBuffer: 2 ** 24 },
    )
  const gray = ['-dcupsColorSpace=18', '-dcupsBitsPerColor=8']
  const wanted = draw('pgmraw').subarray(0, 812 * 1218 + 100)
  const plane = wanted.subarray(wanted.indexOf('255\n') + 4).subarray(0, 812 * 1218)
  for (const [decoder, device, kind] of [
    [pwg, 'pwgraster', PWG],
    [urf, 'urf', URF],
  ] as const) {
    const file = draw(device, ...gray)
    const pages = decoder.pages(file, 50)
    t.equal(pages.length, 2, device)
    const first = pages[0]?.file() ?? file
    t.match(readRasterHeader(kind, first), { width: 812, height: 1218, dpi: 203 })
    t.ok((await decode(decoder, first)).equals(plane), `${device}: the same dots`)
  }
})
