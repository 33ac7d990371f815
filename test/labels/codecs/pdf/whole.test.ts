import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, deflateSync } from 'node:zlib'
import t from 'tap'
import { explainLabelFault } from '../../../../src/core/label-faults.ts'
import { LabelFault } from '../../../../src/labels/fault.ts'
import { listLabels, type PdfLabel } from '../../../../src/labels/pages/look.ts'

import { makeRandom, tries } from '../../../random.ts'
import { makeTarget } from '../../make-target.ts'
import { paperOf, pdfium } from './draw.ts'
import { flate, LETTERS, PACKED, type Part, packLabel, writePdf } from './make-packed.ts'

const PAPER = paperOf(makeTarget())
const BOTH = { pages: undefined, area: undefined }
const AS_TEXT = 'This PDF was read as text on its way, which damaged it.'
const DAMAGED = 'Page 1 of this PDF is damaged: a part of it cannot be drawn.'
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
t.comment(`SEED=${seed}`)
const random = makeRandom(seed)
const below = (most: number): number => Math.floor(random() * most)

/** Returns the outcome of a PDF of one page: its dots, or why they do not print silently. */
function outcome(pdf: Uint8Array): {
  dots: Buffer | undefined
  said: string
  labels: readonly PdfLabel[]
} {
  try {
    pdfium.open(pdf)
    const labels = listLabels(pdfium, BOTH, PAPER)
    const said = labels.map(({ doubt }) => doubt?.kind ?? '').join('')
    return { dots: Buffer.from(pdfium.draw(1, 100).luma), said, labels }
  } catch (error) {
    if (!(error instanceof LabelFault)) throw error
    return { dots: undefined, said: explainLabelFault(error).message, labels: [] }
  }
}

function caseOf(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'cases', name))
}

/** The same objects, the data of one of them changed. */
function change(
  parts: readonly Part[],
  number: number,
  how: (data: Buffer) => Buffer,
): readonly Part[] {
  return parts.map((part, n) =>
    n + 1 === number && typeof part !== 'string' ? { ...part, data: how(part.data) } : part,
  )
}

t.test('labels that programs have damaged are refused by what happened to them', (t) => {
  for (const name of ['utf8-mangled', 'utf8-mangled-image', 'latin1-as-utf8', 'crlfmangled']) {
    t.equal(outcome(caseOf(`${name}.pdf`)).said, AS_TEXT, name)
  }
  for (const name of ['dct-cut', 'flate-cut', 'g4-cut']) {
    t.equal(outcome(caseOf(`${name}.pdf`)).said, DAMAGED, name)
  }
  t.same(outcome(caseOf('whole-g4.pdf')).said, '')
  t.end()
})

const latin1 = (bytes: Buffer): string => bytes.toString('latin1')
const AS_TEXTS: Readonly<Record<string, (pdf: Buffer) => Buffer>> = {
  'UTF-8': (pdf) => Buffer.from(pdf.toString('utf8'), 'utf8'),
  'Latin-1, written as UTF-8': (pdf) => Buffer.from(latin1(pdf), 'utf8'),
  'Windows-1252, written as UTF-8': (pdf) =>
    Buffer.from(new TextDecoder('windows-1252').decode(pdf), 'utf8'),
  ASCII: (pdf) => Buffer.from(latin1(pdf).replaceAll(/[\x80-\xff]/g, '?'), 'latin1'),
  'ASCII of seven bits': (pdf) => Buffer.from(pdf.map((byte) => byte & 0x7f)),
  'ends of lines as on Windows': (pdf) =>
    Buffer.from(latin1(pdf).replaceAll('\n', '\r\n'), 'latin1'),
  'ends of lines as on Windows, from any': (pdf) =>
    Buffer.from(latin1(pdf).replaceAll(/\r\n|\r|\n/g, '\r\n'), 'latin1'),
  'ends of lines as on Unix': (pdf) =>
    Buffer.from(latin1(pdf).replaceAll(/\r\n|\r/g, '\n'), 'latin1'),
}

t.test('what was read as text never prints as if it were whole', (t) => {
  for (const [what, { parts }] of Object.entries(PACKED)) {
    const whole = writePdf(parts)
    const { dots, said } = outcome(whole)
    t.equal(said, '', `${what}: whole`)
    for (const [how, read] of Object.entries(AS_TEXTS)) {
      const pdf = read(whole)
      const found = outcome(pdf)
      const isSame = found.dots !== undefined && dots?.equals(found.dots) === true
      if (isSame) continue
      t.not(found.said, '', `${what}, read as ${how}`)
      if (!how.startsWith('ends')) t.match(found.said, /read as text|damaged/, `${what}, ${how}`)
    }
  }
  t.equal(
    outcome(AS_TEXTS['UTF-8']?.(writePdf(packLabel(flate(LETTERS)))) ?? Buffer.of()).said,
    AS_TEXT,
  )
  t.end()
})

t.test('data that end early never print as if they were whole', (t) => {
  for (const [what, { parts, number }] of Object.entries(PACKED)) {
    const { dots } = outcome(writePdf(parts))
    for (let n = 0; n < tries(40); n++) {
      const share = random()
      const cut = change(parts, number, (data) => data.subarray(0, Math.floor(data.length * share)))
      const pdf = writePdf(cut, { lengthOff: n % 2 === 0 ? 0 : below(900) })
      const found = outcome(pdf)
      const isSame = found.dots !== undefined && dots?.equals(found.dots) === true
      t.ok(
        isSame || found.said !== '',
        `${what}, ${Math.round(share * 100)} % of it (SEED=${seed})`,
      )
    }
  }
  t.end()
})

/** Files whose changed bytes show, because they have a checksum. Others may become another whole picture. */
const SUMMED = Object.entries(PACKED).filter(([, { parts, number }]) => {
  const part = parts[number - 1] as Part & object
  return part.dict.includes('Flate')
})

t.test('bytes that were changed in packed data never print as if they were whole', (t) => {
  for (const [what, { parts, number }] of SUMMED) {
    const { dots } = outcome(writePdf(parts))
    for (let n = 0; n < tries(40); n++) {
      const damaged = change(parts, number, (data) => {
        const bytes = Buffer.from(data)
        for (let m = 0; m <= n % 3; m++) bytes[below(bytes.length)] = below(256)
        if (n % 4 === 3)
          return Buffer.concat([bytes.subarray(0, 40), bytes.subarray(40 + below(30))])
        return bytes
      })
      const found = outcome(writePdf(damaged))
      const isSame = found.dots !== undefined && dots?.equals(found.dots) === true
      t.ok(isSame || found.said !== '', `${what} (SEED=${seed})`)
    }
  }
  t.end()
})

t.test('content that stops in the middle never prints as if it were whole', (t) => {
  const bytes = Buffer.from(`q\n${LETTERS}\nQ`)
  const { dots } = outcome(writePdf(packLabel({ dict: '', data: bytes })))
  for (let n = 0; n < tries(80); n++) {
    const data = bytes.subarray(0, below(bytes.length))
    const found = outcome(writePdf(packLabel({ dict: '', data }), { lengthOff: n % 2 ? 0 : 77 }))
    const isSame = found.dots !== undefined && dots?.equals(found.dots) === true
    t.ok(isSame || found.said !== '', `${data.length} of ${bytes.length} bytes`)
  }
  t.end()
})

t.test('what a page names and the file has not is missed', (t) => {
  const form = PACKED['a form in Flate']?.parts ?? []
  t.equal(outcome(writePdf(form.slice(0, -1))).said, DAMAGED, 'an object')
  const unnamed = form.map((part) =>
    typeof part === 'string' ? part.replace('/X 6', '/Y 6') : part,
  )
  t.equal(outcome(writePdf(unnamed)).said, DAMAGED, 'a name, and nothing else to see')
  const more = change(unnamed, 4, () => deflateSync('/X Do 9 9 99 99 re f'))
  t.equal(outcome(writePdf(more)).said, 'damage', 'a name, and something else to see')
  const font = packLabel(flate(LETTERS)).slice(0, -1)
  t.equal(outcome(writePdf(font)).said, DAMAGED, 'a font')
  const contents = packLabel(flate(LETTERS)).map((part) =>
    typeof part === 'string' ? part.replace('/Contents 4 0 R', '/Contents [4 0 R 77 0 R]') : part,
  )
  t.equal(outcome(writePdf(contents)).said, DAMAGED, 'a part of the content')
  const pages = packLabel(flate(LETTERS)).map((part) =>
    typeof part === 'string' ? part.replace('/Kids [3 0 R]', '/Kids [3 0 R 99 0 R]') : part,
  )
  t.match(outcome(writePdf(pages)).said, /one of its pages is missing/)
  const unknown = change(packLabel(flate(LETTERS)), 4, (data) => data).map((part) =>
    typeof part === 'string' ? part : { ...part, dict: '/Filter /BrotliDecode' },
  )
  t.match(outcome(writePdf(unknown)).said, /holds something that cannot be drawn here/)
  t.end()
})

t.test('files that are written carelessly print as before', (t) => {
  const content = deflateSync(LETTERS)
  const packed = { dict: '/Filter /FlateDecode', data: content }
  const { dots } = outcome(writePdf(packLabel(packed)))
  const raw = deflateRawSync(LETTERS)
  const withSum = (sum: Buffer): Part => ({
    dict: '/Filter /FlateDecode',
    data: Buffer.concat([content.subarray(0, 2), raw, sum]),
  })
  const careless: Readonly<Record<string, Buffer>> = {
    'lengths too small': writePdf(packLabel(packed), { lengthOff: -20 }),
    'lengths too large': writePdf(packLabel(packed), { lengthOff: 300 }),
    'no checksum': writePdf(packLabel(withSum(Buffer.of()))),
    'half a checksum': writePdf(packLabel(withSum(content.subarray(-4, -2)))),
    'zeros as a checksum': writePdf(packLabel(withSum(Buffer.alloc(4)))),
    'bytes behind the checksum': writePdf(
      packLabel({ ...packed, data: Buffer.concat([content, Buffer.from('\r\n\0\0junk')]) }),
    ),
    'a table that is off': writePdf(packLabel(packed), { placesOff: 7 }),
    'no table': Buffer.from(
      latin1(writePdf(packLabel(packed))).replace(/xref\n0[\s\S]*trailer/, 'trailer'),
      'latin1',
    ),
    'objects that do not end': writePdf(packLabel(packed), { endobj: '' }),
    'junk at the end': writePdf(packLabel(packed), { tail: `${'\0'.repeat(300)}<html>` }),
    'junk at the beginning': Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
      writePdf(packLabel(packed)),
    ]),
    'a Q too many': writePdf(packLabel(flate(`${LETTERS}\nQ`))),
    'a q too many': writePdf(packLabel(flate(`q\n${LETTERS}`))),
    'numbers of many signs': writePdf(packLabel(flate(`${LETTERS}\n1e-5 --3 .5 m n`))),
    'a damaged object that nobody uses': writePdf(
      packLabel(packed, '', [{ dict: '/Filter /FlateDecode', data: Buffer.from('xxxx') }]),
    ),
  }
  for (const [what, pdf] of Object.entries(careless)) {
    const found = outcome(pdf)
    t.equal(found.said, '', what)
    t.ok(found.dots !== undefined && dots?.equals(found.dots) === true, `${what}: the same dots`)
  }

  t.end()
})
