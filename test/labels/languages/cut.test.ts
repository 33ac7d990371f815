import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { detectFormat, type LabelFormat } from '../../../src/labels/detect/detect.ts'
import { scanLabel } from '../../../src/labels/languages/index.ts'
import * as rawLabels from '../../label-makers/raw.ts'

const GOLDEN = new URL('../../golden/labels/', import.meta.url)

function cutOf(label: string | Uint8Array, format: LabelFormat = 'zpl'): string | undefined {
  const bytes = typeof label === 'string' ? Buffer.from(label, 'latin1') : label
  return scanLabel(bytes, format).cut?.command
}

/** A label that ends inside its data, and the same one whole. */
const ZPL: readonly (readonly [cut: string, command: string, whole: string])[] = [
  ['^XA^GFB,999999,999999,1,xx^FS^XZ', '^GF', '^XA^GFB,2,2,1,xx^FS^XZ'],
  ['^XA^GFC,99,99,1,xx^FS^XZ', '^GF', '^XA^GFC,2,2,1,xx^FS^XZ'],
  ['^XA^GFA,4,4,2,FFFF', '^GF', '^XA^GFA,4,4,2,FFFF\r\nFFFF\r\n'],
  ['^XA^GFA,4,4,2,FFFFF', '^GF', '^XA^GFA,4,4,2,FFFF^FS^XZ'],
  ['^XA^GFA,4,4,2,FFFFFFF', '^GF', '^XA^GFA,4,4,2,FFFFFFFF'],
  ['^XA^GFA,6,6,2,,:', '^GF', '^XA^GFA,6,6,2,,::'],
  ['^XA^GFA,44,44,22,gGF', '^GF', '^XA^GFA,44,44,22,hJF,'],
  ['^XA^GFA,80,80,10,:Z64:eNr7/x8GGhj+', '^GF', '^XA^GFA,80,80,10,:Z64:eNr7/x8GGhj+:8f39\r\n'],
  ['~DGR:X.GRF,80,10,:Z64:eNr7', '~DG', '~DGR:X.GRF,80,10,:Z64:eNr7/x8GGhj+:8f39\0'],
  ['~DGR:X.GRF,80,10,:B64:eNr7', '~DG', '\x02~DGR:X.GRF,80,10,:B64:eNr7/x8GGhj+:8f39\x03\r\n'],
  ['^XA^GFA,80,80,10,:B64:', '^GF', '^XA^GFA,80,80,10,:B64:^FS^XZ'],
  ['^CC+ +XA+GFB,9,9,1,^XZ', '^GF', '^CC+ +XA+GFB,3,3,1,^XZ+XZ'],
  ['^CD;^XA^GFB;9;9;1;xx^FS^XZ', '^GF', '^CD;^XA^GFB;2;2;1;xx^FS^XZ'],
  ['^XA^CT+^XZ+DYR:X,B,G,9,,xx', '~DY', '^XA^CT+^XZ+DYR:X,B,G,2,,xx'],
  ['~DYR:X,B,G,99999,,xx', '~DY', '~DYR:X,B,G,2,,xx'],
  ['~DYR:X,P,P,99999,,\x89PNG', '~DY', '~DYR:X,P,P,4,,\x89PNG'],
  ['~DYR:X,A,G,4,2,FFFF', '~DY', '~DYR:X,A,G,4,2,FF,FF,'],
  ['~dyr:x,a,g,4,,FFFF', '~DY', '~dyr:x,a,g,2,,FFFF'],
  ['~DGR:X.GRF,4,2,FF', '~DG', '~DGR:X.GRF,4,2,FF,FF00'],
  ['^XA^XZ~DGR:X.GRF,99,9,00', '~DG', '~DGR:X.GRF,99,9,00^XA^XGR:X.GRF^FS^XZ'],
  ['~DUR:F.FNT,9,0000', '~DU', '~DUR:F.FNT,2,0000'],
  ['~DTR:F.FNT,9,0000', '~DT', '~DTR:F.FNT,2,0000'],
  ['~DSR:F.FNT,9,0000', '~DS', '~DSR:F.FNT,2,0000'],
  ['~DER:T.DAT,9,0000', '~DE', '~DER:T.DAT,2,0000'],
  [
    '~DBR:F.FNT,N,5,4,0,2,2,x,#0041.1.1.0.0.2.FF',
    '~DB',
    '~DBR:F.FNT,N,5,4,0,2,1,x,#0041.1.1.0.0.2.FF',
  ],
]
const EPL: readonly (readonly [string, string, string])[] = [
  ['N\nGW0,0,99,99,xx\nP1\n', 'GW', 'N\nGW0,0,1,2,xx\nP1\n'],
  ['N\nGW 0 , 0 , 99 ,99,xx\nP1\n', 'GW', 'N\nGW 0 , 0 , 1 , 2,xx\nP1\n'],
  ['N\nGW0,0,99,99 ,xx\nP1\n', 'GW', 'N\nGW0,0,1,2 ,xx\nP1\n'],
  ['N\nGW0,0,9999999,9999999,xx\nP1\n', 'GW', 'N\nGW0,0,0,9999999,xx\nP1\n'],
  ['N\nGM"N"99\nxx\nP1\n', 'GM', 'N\nGM"N"2\nxx\nP1\n'],
  ['N\nFS"F"\nA1,1,0,1,1,1,N,"x"\nP1\n', 'FS', 'N\nFS"F"\nA1,1,0,1,1,1,N,"x"\nFE\nP1\n'],
  ['N\r\nGW0,0,1,1\nxP1\r\n^XA^GFB,9,9,1,x', '^GF', 'N\r\nGW0,0,1,1\nxP1\r\n^XA^XZ'],
]
const TSPL: readonly (readonly [string, string, string])[] = [
  ['BITMAP 0,0,99,99,0,xx\r\nPRINT 1', 'BITMAP', 'BITMAP 0,0,1,2,0,xx\r\nPRINT 1'],
  ['BITMAP 0,0,9999999,99,1,x\r\nPRINT 1', 'BITMAP', 'BITMAP 0,0,99,99,3,packed\r\nPRINT 1'],
  [
    'BITMAP 0,0,99,99,3,x\r\nBITMAP 0,0,9,9,0,x\r\nPRINT 1',
    'BITMAP',
    'BITMAP 0,0,99,99,3,x\r\nDOWNLOAD "A.BAS"\r\nCLS\r\nEOP\r\nPRINT 1',
  ],
  ['DOWNLOAD F,"A.PCX",99,x\r\nPRINT 1', 'DOWNLOAD', 'DOWNLOAD F,"A.PCX",1,x\r\nPRINT 1'],
  ['DOWNLOAD "A.BAS"\r\nCLS\r\nPRINT 1', 'DOWNLOAD', 'DOWNLOAD "A.BAS"\r\nCLS\r\nEOP\r\nPRINT 1'],
]

t.test('finds where a label ends inside its data, and nothing in the same label whole', (t) => {
  for (const [cut, command, whole] of ZPL) {
    t.equal(cutOf(cut), command, cut)
    t.equal(cutOf(whole), undefined, whole)
  }
  for (const [cut, command, whole] of EPL) {
    t.equal(cutOf(cut, 'epl'), command, cut)
    t.equal(cutOf(whole, 'epl'), undefined, whole)
  }
  for (const [lines, command, whole] of TSPL) {
    t.equal(cutOf(`SIZE 4,6\r\nCLS\r\n${lines}\r\n`, 'tspl'), command, lines)
    t.equal(cutOf(`SIZE 4,6\r\nCLS\r\n${whole}\r\n`, 'tspl'), undefined, whole)
  }
  t.equal(cutOf('GFB,99,99,1,x', 'png'), undefined, 'a picture is drawn by ourselves')
  t.end()
})

t.test('finds no cut in ordinary labels, our own golden ones among them', (t) => {
  for (const [name, label] of Object.entries(rawLabels)) {
    if (label instanceof Uint8Array) t.equal(cutOf(label, detectFormat(label)), undefined, name)
  }
  for (const name of readdirSync(GOLDEN)) {
    const format = (['zpl', 'epl', 'tspl'] as const).find((each) => name.endsWith(`.${each}`))
    if (format === undefined) continue
    t.equal(cutOf(readFileSync(new URL(name, GOLDEN)), format), undefined, name)
  }
  t.end()
})

t.test('a binary picture that lacks any number of bytes is cut, whatever they are', (t) => {
  const data = fc.uint8Array({ minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(data, fc.nat(), (bytes, seed) => {
      const lacking = 1 + (seed % bytes.length)
      const part = bytes.subarray(0, bytes.length - lacking)
      const heads = {
        zpl: `^XA^GFB,${bytes.length},${bytes.length},1,`,
        epl: `N\nGW0,0,1,${bytes.length},`,
        tspl: `SIZE 4,6\nCLS\nBITMAP 0,0,1,${bytes.length},0,`,
      }
      return Object.entries(heads).every(([format, head]) => {
        const of = (data: Uint8Array) => Buffer.concat([Buffer.from(head), data])
        return (
          cutOf(of(part), format as LabelFormat) !== undefined &&
          cutOf(of(bytes), format as LabelFormat) === undefined
        )
      })
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test(
  'packed digits of ZPL are counted as its guide says (^GF, alternative data compression)',
  (t) => {
    const isCut = (bytes: number, row: number, data: string): boolean =>
      cutOf(`^XA^GFA,${bytes},${bytes},${row},${data}`) !== undefined
    const letters = (first: string, last: string): readonly string[] =>
      Array.from({ length: last.charCodeAt(0) - first.charCodeAt(0) + 1 }, (_, n) =>
        String.fromCharCode(first.charCodeAt(0) + n),
      )
    const runs = [
      ...letters('G', 'Y').map((letter, n) => [letter, n + 1] as const),
      ...letters('g', 'z').map((letter, n) => [letter, 20 * (n + 1)] as const),
      ['zY', 419] as const,
      ['zzz', 1_200] as const,
      ['gG', 21] as const,
    ]
    for (const [letter, run] of runs) {
      // Twice so many digits are so many bytes.
      const data = `${letter}F${letter}a`
      t.notOk(isCut(run, run, data), `${letter} is ${run}`)
      t.ok(isCut(run + 1, run + 1, data), `${letter} is no more than ${run}`)
    }
    for (const [data, bytes] of [
      ['FF', 1],
      ['F,', 4],
      ['FF!', 4],
      ['FFFFFFFF,', 8],
      ['!:', 8],
      ['F,::', 12],
      ['F.F-', 1],
    ] as const) {
      t.notOk(isCut(bytes, 4, data), `${data}: ${bytes} bytes in rows of 4`)
      t.ok(isCut(bytes + 1, 4, data), `${data}: no more`)
    }
    t.end()
  },
)
