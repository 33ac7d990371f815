import { Buffer } from 'node:buffer'
import t from 'tap'
import { unpackLabel } from '../../src/labels/detect/detect.ts'
import { drawText, LABEL, makePdf } from '../labels/codecs/pdf/make-pdf.ts'
import { readAnswer, startRig, ZPL, ZPL64 } from './rig.ts'

const PDF64 = makePdf([{ ...LABEL, content: drawText('one', 40, 200, 40) }]).toString('base64')
const MULTIPART = 'multipart/form-data; boundary=bnd123'

interface Shown {
  readonly name: string
  readonly type: string
  readonly body: string
  readonly head?: string
}

function partsOf(...parts: readonly Shown[]): string {
  const shown = parts.map(
    ({ name, type, body, head = '' }) =>
      `--bnd123\r\nContent-Disposition: form-data; name="${name}"${head}\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`,
  )
  return `${shown.join('')}--bnd123--\r\n`
}

const DATA = { name: 'labelMetadata', type: 'application/json', body: '{"trackingNumber":"94001"}' }
const RECEIPT = { name: 'receiptImage', type: 'application/pdf', body: PDF64 }
const zpl = (name: string, type: string, body: string, head = '') => ({ name, type, body, head })
/** Whole answers of which one part is the label. */
const ANSWERS: Readonly<Record<string, string>> = {
  'ZPL in base64, called labelImage': partsOf(DATA, zpl('labelImage', 'application/zpl', ZPL64)),
  'behind a receipt': partsOf(DATA, RECEIPT, zpl('labelImage', 'application/zpl', ZPL64)),
  'as it is': partsOf(DATA, zpl('labelImage', 'application/octet-stream', ZPL.toString('latin1'))),
  'with the name of a file': partsOf(
    zpl('labelImage', 'text/plain', ZPL64, '; filename="a.zpl"'),
    DATA,
  ),
  'called shippingLabel': partsOf(zpl('shippingLabel', 'application/pdf', ZPL64), DATA),
  'called label_data': partsOf(DATA, zpl('label_data', 'text/plain', ZPL64)),
}

t.test('of the whole answer of a carrier the label prints', async (t) => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    for (const [type, body] of [
      [MULTIPART, answer],
      ['application/octet-stream', answer],
      ['text/plain', answer.replaceAll('\r\n', '\n')],
      [
        'application/octet-stream',
        `HTTP/1.1 200 OK\r\nContent-Type: ${MULTIPART}\r\n\r\n${answer}`,
      ],
      ['application/octet-stream', Buffer.from(answer, 'latin1').toString('base64')],
    ] as const) {
      const { call, printed } = startRig(t)
      const res = await call('/', { method: 'POST', headers: { 'content-type': type }, body })
      t.equal(res.status, 200, `${name}, ${type}: ${await res.clone().text()}`)
      t.same(printed('bench-1'), [ZPL], `${name}, ${type}`)
    }
  }
})

t.test('an answer that is not clear is told to be one, with what to send instead', async (t) => {
  const twice = partsOf(
    zpl('labelOne', 'application/zpl', ZPL64),
    zpl('labelTwo', 'application/zpl', ZPL64),
  )
  for (const [type, body, said] of [
    [MULTIPART, partsOf(DATA, RECEIPT), /send only its part \\?"receiptImage/],
    [MULTIPART, twice, /labelOne.*labelTwo/],
    ['text/plain', twice, /Send only its part labelOne, labelTwo/],
    ['text/plain', partsOf(DATA), /whole answer of a carrier/],
    [
      'application/json',
      `{"shipment":{"pieces":[{"GraphicImage":"${ZPL64}"}]}}`,
      /part \\?"GraphicImage/,
    ],
    [
      'application/json',
      `{"labelResponse":{"documents":[{"content":"${PDF64.repeat(9)}"}]}}`,
      /whole answer/,
    ],
    ['application/json', '{"error":"no postage"}', /wanted label=/],
    ['text/plain', `{"a":[{"encodedLabel":"${PDF64}"}]}`, /Send only its part encodedLabel/],
    [
      'text/plain',
      '{"postage_label":{"label_url":"https://x.example/a.png"}}',
      /Download the file/,
    ],
    ['text/plain', '{"error":"no postage"}', /answer of a program, not a label/],
    [
      'text/plain',
      `<?xml version="1.0"?><a:R><a:labelImage>${PDF64}</a:labelImage></a:R>`,
      /part a:labelImage/,
    ],
    ['text/plain', '<html><head><title>Log in</title></head></html>', /web page/],
    ['text/plain', PDF64.slice(0, 90).concat('!'), /base64, and its text is damaged/],
  ] as const) {
    const { call, jobs } = startRig(t)
    const res = await call('/', { method: 'POST', headers: { 'content-type': type }, body })
    t.match(JSON.stringify(await readAnswer(res)), said, body.slice(0, 60))
    t.ok(res.status >= 400 && res.status < 500, `${res.status}`)
    t.same(jobs(), [])
  }
})

t.test('quotes around a label come off', (t) => {
  for (const text of [
    `"${ZPL64}"`,
    `b'${ZPL64}'`,
    ` "${ZPL64}"\n`,
    JSON.stringify(ZPL.toString('latin1')),
    `b"${ZPL64}"`,
    `"data:application/zpl;base64,${ZPL64}"`,
    `"${ZPL64.replaceAll('/', '\\/')}"`,
  ]) {
    const { label, format, packing } = unpackLabel(Buffer.from(text))
    t.ok(Buffer.from(label).equals(ZPL), text.slice(0, 40))
    t.match({ format, packing }, { format: 'zpl', packing: ['quotes'] })
  }
  t.end()
})

t.test('what is not base64 is told what it is', async (t) => {
  for (const [label, said] of [
    ['^XA^FDx^FS^XZ', /This is the label itself\. Encode the label file/],
    ['%PDF-1.7', /This is the label itself/],
    ['N\nq812\nP1\n', /This is the label itself/],
    ['SIZE 4,6\r\n', /This is the label itself/],
    [`"${ZPL64}"`, /without the quotes/],
    [`b'${ZPL64}'`, /Python/],
    [`{"label":"${ZPL64}"}`, /This is JSON/],
    ['<html>', /XML or a web page/],
    ['--bnd123\r\nContent-Disposition: form-data', /whole multipart message/],
    ['https://x.example/a.pdf', /Download the file/],
    ['data:text/plain,^XA', /behind the comma/],
    ['[object Object]', /made text of an object/],
  ] as const) {
    const { call } = startRig(t)
    const body = new URLSearchParams({ label }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const res = await call('/', { method: 'POST', headers, body })
    t.match(JSON.stringify(await readAnswer(res)), said, label)
    t.equal(res.status, 400)
  }
})
