import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Splitter } from '../../../src/plugins/raw/split.ts'
import type { Piece } from '../../../src/plugins/raw/stream.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'
import { toPng } from '../../label-makers/files.ts'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../../label-makers/raw.ts'
import { makeRandom, tries } from '../../random.ts'

const GOLDEN = join(import.meta.dirname, '../../golden/labels')

/** All pieces of a stream that comes in chunks of these sizes. */
function split(
  stream: Uint8Array | string,
  size: () => number,
  isWhole = true,
): readonly (Piece & { text: string })[] {
  const bytes = Buffer.from(stream as string, 'latin1')
  const splitter = new Splitter()
  const found: Piece[] = []
  const drain = (): void => {
    for (let piece = splitter.next(); piece !== undefined; piece = splitter.next())
      found.push(piece)
  }
  for (let at = 0; at < bytes.length; ) {
    const next = at + size()
    splitter.push(bytes.subarray(at, next))
    drain()
    at = next
  }
  splitter.end(isWhole)
  drain()
  return found.map((piece) => ({ ...piece, text: textOf(piece) }))
}

function textOf(piece: Piece): string {
  if (piece.kind === 'question') return piece.question.name
  return 'bytes' in piece ? Buffer.from(piece.bytes).toString('latin1') : ''
}

const whole = (stream: Uint8Array | string) => split(stream, () => 1_000_000)
const kinds = (stream: Uint8Array | string) =>
  whole(stream).map(({ kind, text }) => [kind, text] as const)

const raw = [
  upsLikeZpl,
  fedexLikeZpl,
  eplLabel,
  tsplLabel,
  ...readdirSync(GOLDEN)
    .filter((file) => /\.(zpl|epl|tspl)$/.test(file))
    .map((file) => readFileSync(join(GOLDEN, file))),
].map((label) => Buffer.from(label))

t.test('labels of all languages are found in streams of any pieces', (t) => {
  const random = makeRandom(9100)
  for (let round = 0; round < 20; round++) {
    const labels = Array.from({ length: 6 }, () => raw[Math.floor(random() * raw.length)] as Buffer)
    const most = [1, 7, 100, 5_000, 1_000_000][round % 5] as number
    const pieces = split(Buffer.concat(labels), () => 1 + Math.floor(random() * most))
    t.same(
      pieces.map(({ kind, text }) => [kind, text.trim()]),
      labels.map((label) => ['label', label.toString('latin1').trim()]),
      `pieces of up to ${most} bytes`,
    )
  }
  t.end()
})

t.test('graphics are data, whatever they look like', (t) => {
  const ends = '^XZ\nP1\nPRINT 1\n'
  const zpl = `^XA^FO0,0^GFB,${ends.length},${ends.length},1,${ends}^FS^XZ`
  const epl = `N\nGW0,0,${ends.length},1,${ends}\nP1\n`
  const tspl = `SIZE 4,6\nCLS\nBITMAP 0,0,${ends.length},1,0,${ends}\nPRINT 1\n`
  for (const label of [zpl, epl, tspl]) {
    for (const size of [1, 3, 1_000]) {
      const pieces = split(label + label, () => size)
      t.same(
        pieces.map(({ kind, text }) => [kind, text]),
        [
          ['label', label],
          ['label', label],
        ],
      )
    }
  }
  t.end()
})

t.test('packed dots of TSPL are data up to the line that prints', (t) => {
  const dots =
    'x\x9c\n^A\xe9\n~HS\n\x1b!?\nP1\n\nPA\nES"\nGW0,0,9,99,\nFS"A"\n! U1 getvar "a"\nPRINT\n'
  const label = `SIZE 4,6\nCLS\nBITMAP 0,0,99,99,3,${dots}\nPRINT 1,1\n`
  const plain = 'SIZE 4,6\nCLS\nBITMAP 0,0,99,99,3,abc\nBITMAP 0,0,3,2,0,\nP1\n^\nPRINT 1\n'
  const others = ['N\nA1,1,0,1,1,1,N,"a"\nP1\n', '^XA^FDa^FS^XZ']
  for (const size of [1, 3, 1_000]) {
    const pieces = split([label, label, plain, ...others].join(''), () => size)
    t.same(
      pieces.map(({ kind, text }) => [kind, text]),
      [label, label, plain, ...others].map((text) => ['label', text]),
    )
  }
  t.end()
})

t.test('a program and a form that are kept in the printer end no label', (t) => {
  const program =
    'DOWNLOAD "A.BAS"\nCLS\nPRINT 1\nEOP\nSIZE 4,6\nCLS\nTEXT 1,1,"1",0,1,1,"a"\nPRINT 1\n'
  t.same(kinds(program), [['label', program]])
  t.same(
    kinds('FS"A"\nA1,1,0,1,1,1,N,"P1"\nP1\n').map(([kind]) => kind),
    ['broken'],
  )
  t.end()
})

t.test('a document takes the whole connection', (t) => {
  const png = toPng(carrierLabel())
  for (const document of [png, Buffer.from('%PDF-1.4\n^XA^XZ\nP1\n')]) {
    t.same(
      split(document, () => 500).map(({ kind }) => kind),
      ['label'],
    )
  }
  t.end()
})

t.test('what has no end is broken, and never a label', (t) => {
  t.same(kinds('^XA^FDone^FS^XZ^XA^FDtwo'), [
    ['label', '^XA^FDone^FS^XZ'],
    ['broken', '^XA^FDtwo'],
  ])
  t.same(kinds('N\nA1,1,0,1,1,1,N,"a"\n'), [['broken', 'N\nA1,1,0,1,1,1,N,"a"\n']])
  t.same(
    kinds('SIZE 4,6\nCLS\nTEXT 1,1,"1",0,1,1,"a"\n').map(([kind]) => kind),
    ['broken'],
  )
  t.same(
    kinds('^XA^GFB,9,9,1,abc').map(([kind]) => kind),
    ['broken'],
  )
  for (const cut of ['^', '~', '^X'])
    t.same(kinds(`^XA^XZ${cut}`)[1], ['broken', cut], 'a command of which the end is missing')
  t.same(
    split('^XA^XZ~SD20', () => 99, false).map(({ kind }) => kind),
    ['label', 'broken'],
    'a connection that was cut',
  )
  t.same(
    kinds('N\nA1,1,0,1,1,1,N,"a"\nP1'),
    [['label', 'N\nA1,1,0,1,1,1,N,"a"\nP1']],
    'an end is enough',
  )
  t.end()
})

t.test('what follows the last label and draws nothing is left out', (t) => {
  t.same(
    kinds('N\nA1,1,0,1,1,1,N,"a"\nP1\nN\n').map(([kind]) => kind),
    ['label', 'rest'],
  )
  t.same(
    kinds('^XA^XZ\r\n\0\r\n').map(([kind]) => kind),
    ['label'],
  )
  t.end()
})

t.test('questions are answered where they stand, and are no part of a label', (t) => {
  const asked = ['~HS', '~HI', '~HQES', '\n^ee\n', '\x1b!?', '! U1 getvar "device.host_status"\r\n']
  const names = ['~HS', '~HI', '~HQES', '^ee', 'ESC ! ?', 'getvar']
  for (const size of [1, 2, 99]) {
    t.same(
      split(asked.join('\r\n'), () => size).map(({ text }) => text),
      names,
    )
  }
  t.same(
    kinds('^XA^XZ~HS^XA^FDx^FS^XZ~hi').map(([, text]) => text),
    ['^XA^XZ', '~HS', '^XA^FDx^FS^XZ', '~HI'],
  )
  t.same(
    kinds('~HM~HS').map(([, text]) => text),
    ['~HS'],
    'others make no job',
  )
  const splitter = new Splitter()
  splitter.push(Buffer.from('~HS'))
  t.match(splitter.next(), { kind: 'question' }, 'nothing more is waited for')
  t.end()
})

t.test('other protocols are known', (t) => {
  t.same(kinds('GET / HTTP/1.1\r\nHost: box\r\n\r\n').map(([kind]) => kind)[0], 'http')
  t.same(kinds('\x16\x03\x01\x02\x00').map(([kind]) => kind)[0], 'foreign')
  t.end()
})

t.test('settings and frames of drivers before a format belong to it', (t) => {
  for (const before of [
    '! U1 setvar "a" "b"\r\n',
    '\x10CT~~CD,~CC^~CT~',
    '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=ZPL\r\n',
    'Label for shelf 7 ',
  ]) {
    const label = `${before}^XA^FDa^FS^XZ`
    for (const size of [1, 5, 99]) {
      t.same(
        split(label, () => size).map(({ kind, text }) => [kind, text]),
        [['label', label]],
      )
    }
  }
  const moved = '~CC!!XA!FDone!FS!XZ!XA!FDtwo!FS!XZ'
  t.same(
    kinds(moved).map(([, text]) => text),
    ['~CC!!XA!FDone!FS!XZ', '!XA!FDtwo!FS!XZ'],
  )
  t.end()
})

t.test('a megabyte in small pieces costs no more than reading it a few times', (t) => {
  const hex = 'F0'.repeat(500_000)
  for (const label of [
    `^XA^GFA,500000,500000,100,${hex}^FS^XZ`,
    `N\nA1,1,0,1,1,1,N,"${hex}"\nP1\n`,
    `^XA${'^FDa b^FS'.repeat(100_000)}^XZ`,
  ]) {
    const begun = performance.now()
    t.same(
      split(label, () => 1_000).map(({ kind }) => kind),
      ['label'],
    )
    t.ok(performance.now() - begun < 5_000)
  }
  t.end()
})

t.test('a request of HTTP is never a label, whatever its method and its headers', (t) => {
  const label = '^XA^FDfree^FS^XZ'
  const long = 'A'.repeat(20_000)
  for (const head of [
    `${label} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    `${label}${long} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    `~HS${label} /${long}?a HTTP/1.1\r\n\r\n`,
    `PRINT / HTTP/1.1\r\n${label}: 1\r\n\r\n${label}`,
    `N http://a/ HTTP/1.0\r\n\r\nN\nA1,1,0,1,1,1,N,"a"\nP1\n`,
    `\x16\x03\x01${label}`,
  ]) {
    const kind = head.startsWith('\x16') ? 'foreign' : 'http'
    for (const size of [1, 16, 1_000, 100_000]) {
      const found = split(head, () => size).map((piece) => piece.kind)
      t.same(
        found.filter((one) => one !== 'question'),
        [kind],
        `${head.slice(0, 40)} by ${size}`,
      )
    }
  }
  t.same(kinds(`${label}${long}`)[0]?.[0], 'broken', 'given up in the middle: evidence')
  t.same(kinds(label), [['label', label]])
  t.same(kinds(`^XA^FX / HTTP^FS^FO9,9^XZ`)[0]?.[0], 'label')
  t.end()
})

t.test('10,000 streams of anything come to their end, and no byte comes out twice', (t) => {
  const random = makeRandom(9_102)
  const words = ['^XA', '^XZ', '~HS', '~HQ', '^GFB,9,9,1,', 'BITMAP 0,0,9,9,0,', 'GW0,0,9,9,']
  words.push(
    'P1\n',
    '\x1b!?',
    'FS"A"\n',
    'DOWNLOAD "A"\n',
    '^ee\n',
    '~CC!',
    '\r',
    '%PDF-',
    '^XA^FD',
  )
  const part = (): string =>
    random() < 0.7
      ? (words[Math.floor(random() * words.length)] as string)
      : Buffer.from(Array.from({ length: random() * 40 }, () => random() * 256)).toString('latin1')
  for (let round = 0; round < tries(10_000); round++) {
    const stream = Array.from({ length: 1 + random() * 9 }, part).join('')
    const pieces = split(stream, () => 1 + Math.floor(random() * 20), random() < 0.5)
    const bytes = pieces.reduce(
      (sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : 0),
      0,
    )
    if (bytes > stream.length) t.fail(JSON.stringify(stream))
  }
  t.end()
})
