import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Answers } from '../../../src/carriers/answers.ts'
import type { Carrier, CarrierFacts } from '../../../src/carriers/carrier.ts'
import { dhl } from '../../../src/carriers/dhl/index.ts'
import { easypost } from '../../../src/carriers/easypost/index.ts'
import { fedex } from '../../../src/carriers/fedex/index.ts'
import { fetchLabels } from '../../../src/carriers/fetch-labels.ts'
import { karrio } from '../../../src/carriers/karrio/index.ts'
import { shipengine } from '../../../src/carriers/shipengine/index.ts'
import { shippo } from '../../../src/carriers/shippo/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { SHIPPING_BOUNDS } from '../../../src/plugins/shipping/bounds.ts'
import { Outbound } from '../../../src/plugins/shipping/outbound.ts'
import { Parser } from '../../carriers/parser.ts'
import { type Reaction, startCarrier } from '../../carriers/stand-in.ts'
import { LETTER, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { spoken } from '../../words/spoken.ts'
import { type Answer, packagesOf } from './http/calls.ts'

const PNG = readFileSync(join(import.meta.dirname, '../../../docs/label.png'))
const INVOICE = makePdf([{ ...LETTER, content: '' }])
const INVOICE64 = INVOICE.toString('base64')
const FILES = 'https://easypost-files.s3.us-west-2.amazonaws.com/files'
const { params: ABROAD } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'cases/easypost-abroad.json'), 'utf8'),
)

interface Document {
  readonly name: string
  readonly format: string
  readonly content: string
  readonly url?: string
  readonly print?: { readonly job_id: string; readonly state: string; readonly message: string }
}

function documentsOf(answer: Answer): readonly Document[] {
  return (answer.data?.['documents'] ?? []) as readonly Document[]
}

/** An answer without what its jobs say, which is as they are now. */
function withoutJobs(answer: Answer): unknown {
  return JSON.parse(JSON.stringify(answer, (name, value) => (name === 'print' ? undefined : value)))
}

interface Manners {
  /** The answer of the carrier at the address of its papers. */
  readonly paper?: Reaction
  /** The addresses of the papers that it names. */
  readonly forms?: readonly string[]
  /** The answer to the purchase does not arrive. */
  readonly loses?: boolean
}

/** EasyPost on loopback, which sells a label abroad with its invoice. */
async function sellAbroad(t: Test, manners: Manners = {}) {
  const { paper = [200, INVOICE], forms = [`${FILES}/form/1.pdf`], loses = false } = manners
  let isBought = false
  const offer = {
    id: 'rate_1',
    carrier: 'USPS',
    service: 'PriorityMailInternational',
    rate: '30.00',
    currency: 'USD',
  }
  const rated = { id: 'shp_1', object: 'Shipment', mode: 'test', rates: [offer] }
  const bought = {
    ...rated,
    tracking_code: 'LX1',
    selected_rate: offer,
    postage_label: { id: 'pl_1', label_url: `${FILES}/label/1.png` },
    forms: forms.map((form_url) => ({ form_type: 'commercial_invoice', form_url })),
  }
  const sell = (): Reaction => {
    const isLost = loses && !isBought
    isBought = true
    return isLost ? 'lost' : [200, bought]
  }
  const files: Readonly<Record<string, Reaction>> = { label: [200, PNG], form: paper }
  const rig = await startCarrier(t, easypost, (method, url) => {
    const [, isFile, kind = ''] = /^\/(files)\/(\w+)/.exec(url) ?? []
    if (isFile !== undefined) return files[kind] ?? [404, {}]
    if (url.endsWith('/buy')) return sell()
    return [200, method === 'GET' && isBought ? bought : rated]
  })
  const buy = async (more: object = {}, id = 'a'): Promise<Answer> =>
    await rig.ask('SubmitShipment', { ...ABROAD, ...more }, id)
  return { ...rig, buy }
}

t.test('the invoice of a label abroad is in the answer, and the same again', async (t) => {
  const { buy, seen, call, key } = await sellAbroad(t)
  const answer = await buy()
  t.equal(answer.data?.errors, null)
  const wanted = [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }]
  t.same(documentsOf(answer), wanted)
  t.same(await buy(), answer)
  const kept = await call('/v1/shipments/shp_1', { headers: { 'x-api-key': key } })
  t.same(documentsOf((await kept.json()) as Answer), wanted)
  t.equal(seen.filter((one) => one.includes('/form/')).length, 1, 'fetched once')
})

t.test('the answer to a purchase is lost: its papers come all the same', async (t) => {
  const { buy, seen } = await sellAbroad(t, { loses: true })
  const answer = await buy()
  t.match(documentsOf(answer), [{ name: 'commercial_invoice', content: INVOICE64 }])
  t.same(await buy(), answer)
  t.equal(seen.filter((one) => one.endsWith('/buy')).length, 1)
})

t.test('papers print on the printer that is named for them, labels on theirs', async (t) => {
  const { buy, jobs, bench } = await sellAbroad(t)
  const answer = await buy({ print: { printer: 'Bench 1', documents: 'Bench 2' } })
  t.equal(answer.data?.errors, null)
  const [label] = packagesOf(answer)
  const [paper] = documentsOf(answer)
  const printers = new Map(jobs().map(({ id, printer }) => [id, printer]))
  t.equal(printers.get(label?.print?.job_id ?? ''), 'Bench 1')
  t.equal(printers.get(paper?.print?.job_id ?? ''), 'Bench 2')
  t.ok(INVOICE.equals(bench.spool.history.label(paper?.print?.job_id ?? '') ?? Buffer.alloc(0)))
  t.equal(jobs().find(({ id }) => id === paper?.print?.job_id)?.title, 'commercial invoice LX1')
  const again = await buy({ print: { printer: 'Bench 1', documents: 'Bench 2' } })
  t.same(withoutJobs(again), withoutJobs(answer))
  t.equal(documentsOf(again)[0]?.print?.job_id, paper?.print?.job_id)
  t.equal(jobs().length, 2, 'none prints twice')
})

t.test('papers of several copies; the label is one', async (t) => {
  const { buy, jobs } = await sellAbroad(t)
  await buy({ print: { printer: 'Bench 1', documents: { printer: 'Bench 2', copies: 3 } } })
  const benches = jobs().map(({ printer }) => printer)
  t.same(benches.toSorted(), ['Bench 1', 'Bench 2', 'Bench 2', 'Bench 2'])
})

t.test('without a printer of their own papers do not print, and the packer is told', async (t) => {
  const { buy, jobs } = await sellAbroad(t)
  const answer = await buy({ print: 'Bench 1' })
  t.match(answer.data?.errors, [
    {
      type: 'NOTE',
      description: /papers \(commercial_invoice\) were not printed.*print\.documents/,
    },
  ])
  t.equal(jobs().length, 1)
  t.notOk('print' in (documentsOf(answer)[0] ?? {}))
  t.same(withoutJobs(await buy({ print: 'Bench 1' })), withoutJobs(answer))
})

t.test('a printer for papers that is not here is refused before anything is bought', async (t) => {
  const { buy, seen, jobs } = await sellAbroad(t)
  const wrong = ['Office', { printer: 'Office' }, true, 7, ['Bench 1'], {}, { copies: 2 }]
  for (const documents of [...wrong, { printer: 'Bench 1', copies: 'many' }]) {
    const answer = await buy({ print: { printer: 'Bench 1', documents } }, 'b')
    t.equal(answer.meta.code, 400, JSON.stringify(documents))
  }
  t.same(seen, [])
  t.same(jobs(), [])
})

t.test('a paper that cannot be fetched leaves the label bought', async (t) => {
  const odd: readonly (readonly [string, Manners])[] = [
    ['not there', { paper: [404, {}] }],
    ['a page of words', { paper: [200, Buffer.from('<html>Try again later.</html>')] }],
    ['nothing', { paper: [200, Buffer.alloc(0)] }],
    ['cut off', { paper: 'lost' }],
    ['moved', { paper: [302, {}] }],
    ['of another host', { forms: ['https://elsewhere.example/form/1.pdf'] }],
    ['of the house', { forms: ['http://127.0.0.1/form/1.pdf'] }],
    ['no address', { forms: ['form'] }],
  ]
  for (const [name, manners] of odd) {
    const { buy, jobs, seen } = await sellAbroad(t, manners)
    const print = { printer: 'Bench 1', documents: 'Bench 2' }
    const answer = await buy({ print })
    t.match(
      answer.data?.errors,
      [{ type: 'WARNING', description: /^The label was bought, and the paper .*print it before/ }],
      name,
    )
    const [url] = manners.forms ?? [`${FILES}/form/1.pdf`]
    t.match(documentsOf(answer), [{ name: 'commercial_invoice', format: '', content: '', url }])
    t.match(
      spoken(documentsOf(answer)[0]?.print),
      { job_id: '', state: 'aborted', message: /url/ },
      name,
    )
    t.ok(packagesOf(answer)[0]?.label, name)
    t.equal(jobs().length, 1, name)
    t.same(withoutJobs(await buy({ print })), withoutJobs(answer), name)
    t.equal(seen.filter((one) => one.endsWith('/buy')).length, 1, name)
  }
})

t.test('the papers of a shipment are bounded, in number and together', async (t) => {
  const parts = {
    sender: new Outbound(),
    bounds: SHIPPING_BOUNDS,
    origins: {},
    hosts: [],
    endsAt: 0,
  }
  const fetchAll = async (documents: Answers['SubmitShipment']['documents']) => {
    const data = { charges: 1, currency: 'USD', tracking_number: '1', shipment_id: '1' }
    const found = { data: { ...data, packages: [], documents } }
    const result = await fetchLabels<'SubmitShipment'>(found, parts)
    if (!('data' in result)) throw new Error('no data')
    return { documents: result.data.documents ?? [], remarks: result.remarks ?? [] }
  }
  const paper = (bytes: number) => ({
    name: 'commercial_invoice',
    format: 'PDF',
    content: Buffer.alloc(bytes, '%PDF-').toString('base64'),
  })
  const many = Array.from({ length: SHIPPING_BOUNDS.papers + 3 }, () => paper(10))
  const some = await fetchAll(many)
  t.equal(some.documents.length, SHIPPING_BOUNDS.papers)
  t.equal(some.remarks.length, 3)
  const large = await fetchAll([paper(10), paper(SHIPPING_BOUNDS.paperBytes), paper(10)])
  t.same(
    large.documents.map(({ content }) => content !== ''),
    [true, false, true],
  )
  t.match(large.remarks, [{ type: 'WARNING', description: /paper commercial_invoice/ }])
})

t.test(
  'an answer that the disk has damaged still has its papers, apart from its labels',
  async (t) => {
    const { buy, bench } = await sellAbroad(t)
    await buy()
    bench.spool.records.prepare('UPDATE purchase SET answer = substr(answer, 1, 90)').run()
    const again = await buy()
    t.match(again.data?.errors, [{ type: 'WARNING', description: /could not be read/ }])
    t.equal(packagesOf(again).length, 1)
    t.same(documentsOf(again), [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }])
  },
)

t.test('an answer of an earlier version, with its papers in it, stays as it was', async (t) => {
  const { buy, bench } = await sellAbroad(t)
  const answer = await buy()
  const kept = bench.spool.records.prepare('SELECT answer FROM purchase').get()
  const old = String(kept?.['answer']).replace('"content":""', `"content":"${INVOICE64}"`)
  bench.spool.records.prepare('UPDATE purchase SET answer = ?').run(old)
  bench.spool.records.prepare('DELETE FROM purchase_label WHERE n = 1').run()
  t.same(await buy(), answer)
})

const ZPL = Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64')
const ACCOUNT = { client_id: 'i', client_secret: 's', account_number: 'A1B2C3', key: 'TEST_x' }

/** Answers of carriers with the addresses of their papers. */
const SENT: readonly (readonly [Carrier, object, CarrierFacts, expected: object])[] = [
  [
    fedex,
    {
      output: {
        transactionShipments: [
          {
            masterTrackingNumber: '79',
            shipmentDocuments: [
              { contentType: 'COMMERCIAL_INVOICE', docType: 'PDF', encodedLabel: INVOICE64 },
            ],
            pieceResponses: [
              {
                trackingNumber: '79',
                packageDocuments: [
                  { contentType: 'LABEL', docType: 'ZPLII', encodedLabel: ZPL },
                  { contentType: 'AUXILIARY', docType: 'PDF', encodedLabel: INVOICE64 },
                ],
              },
            ],
          },
        ],
      },
    },
    {},
    { documents: [{ name: 'commercial_invoice' }, { name: 'auxiliary', format: 'PDF' }] },
  ],
  [
    dhl,
    {
      shipmentTrackingNumber: '11',
      documents: [
        { typeCode: 'label', imageFormat: 'ZPL', content: ZPL },
        { typeCode: 'invoice', imageFormat: 'PDF', content: INVOICE64 },
        { typeCode: 'waybillDoc', imageFormat: 'PDF', content: '' },
      ],
    },
    {},
    { documents: [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }] },
  ],
  [
    ups,
    {
      ShipmentResponse: {
        ShipmentResults: {
          ShipmentIdentificationNumber: '1Z1',
          PackageResults: [{ TrackingNumber: '1Z1', ShippingLabel: { GraphicImage: ZPL } }],
          Form: {
            Code: '01',
            Image: { ImageFormat: { Code: 'PDF' }, GraphicImage: INVOICE64 },
          },
        },
      },
    },
    {},
    { documents: [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }] },
  ],
  [
    karrio,
    {
      id: 'shp_1',
      status: 'created',
      tracking_number: '1',
      shipping_documents: [
        { category: 'label', format: 'ZPL', base64: ZPL },
        { category: 'invoice', format: 'PDF', base64: INVOICE64 },
      ],
    },
    { shipment: 'shp_1', rate: 'rat_1' },
    { documents: [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }] },
  ],
  [
    shipengine,
    {
      label_id: 'se-1',
      status: 'completed',
      tracking_number: '1',
      label_download: { href: `data:application/zpl;base64,${ZPL}` },
      form_download: { href: `data:application/pdf;base64,${INVOICE64}` },
    },
    { rate: 'se-1' },
    { documents: [{ name: 'commercial_invoice', format: 'PDF', content: INVOICE64 }] },
  ],
]

t.test('what carriers send beside their labels is in documents', (t) => {
  for (const [carrier, sent, kept, expected] of SENT) {
    const parser = new Parser(carrier, ACCOUNT, { weight: 1, service: 'x' })
    const reply = { status: 200, headers: {}, text: JSON.stringify(sent) }
    const outcome = parser.parse('SubmitShipment', reply, kept)
    t.match(outcome, { data: { packages: [{}], ...expected } }, carrier.name)
    const { length } = ('data' in outcome ? outcome.data.documents : undefined) ?? []
    t.equal(length, Object.values(expected)[0].length, carrier.name)
  }
  t.end()
})

t.test('what carriers keep at an address is fetched from it', (t) => {
  const url = 'https://example.com/invoice.pdf'
  const transaction = {
    object_id: 'x',
    status: 'SUCCESS',
    tracking_number: '1',
    label_url: 'https://example.com/label.zpl',
    commercial_invoice_url: url,
  }
  const label = {
    label_id: 'se-1',
    status: 'completed',
    tracking_number: '1',
    label_download: { href: `data:application/zpl;base64,${ZPL}` },
    form_download: { href: url, type: 'x' },
  }
  const paper = { name: 'commercial_invoice', format: '', content: '' }
  for (const [carrier, sent] of [
    [shippo, transaction],
    [shipengine, label],
  ] as const) {
    const parser = new Parser(carrier, ACCOUNT, { weight: 1, service: 'x' })
    const reply = { status: 200, headers: {}, text: JSON.stringify(sent) }
    const outcome = parser.parse('SubmitShipment', reply, { rate: 'se-1' })
    t.match(outcome, { data: { documents: [paper] }, fetchPapers: [{ index: 0, url }] })
    const bare = { ...sent, commercial_invoice_url: '', form_download: null }
    const none = parser.parse(
      'SubmitShipment',
      { ...reply, text: JSON.stringify(bare) },
      { rate: 'se-1' },
    )
    t.match(none, { data: { documents: [] }, fetchPapers: undefined })
  }
  t.end()
})
