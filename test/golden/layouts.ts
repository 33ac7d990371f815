import type { PrinterReason } from '#labels'
import { readShipment } from '../../src/carriers/params.ts'
import type { Job } from '../../src/core/job.ts'
import type { KnownPrinter } from '../../src/core/printers/status.ts'
import { describeApi } from '../../src/http/openapi/document.ts'
import { calls } from '../../src/http/resources.ts'
import { choosePackListStyle } from '../../src/labels/documents/pack-list/page.ts'
import { checkPackList, layOutPackList } from '../../src/labels/documents/pack-list.ts'
import { renderStartLabel } from '../../src/labels/documents/start-label.ts'
import { renderTestLabel } from '../../src/labels/documents/test-label.ts'
import type { Target } from '../../src/labels/target.ts'
import { settingsSchema } from '../../src/plugins/index.ts'
import { DialogAddresses } from '../../src/plugins/ipp/addresses.ts'
import { drawIcon, ICON_SIDES, listShared } from '../../src/plugins/ipp/printer.ts'
import { describePrinter } from '../../src/plugins/ipp/printer-attributes.ts'
import { describeServices } from '../../src/plugins/ipp/services.ts'
import { jobEvent, printerEvents } from '../../src/plugins/qz/print.ts'
import { drawLocalLabel } from '../../src/plugins/shipping/local/label.ts'
import { identify } from '../../src/printers/known/identity.ts'
import { NOTHING, quoteEnglish } from '../../src/words/say.ts'
import { makePrinter } from '../core/printers/make-printer.ts'
import { makeTarget } from '../labels/make-target.ts'
import { ORDER } from '../labels/orders.ts'
import { allPlugins } from '../plugins/all.ts'
import { hash } from './cases.ts'

/** Digests of what we lay out and describe ourselves, by name: a size or a word is only changed on purpose. */
export async function listLayouts(): Promise<Readonly<Record<string, string>>> {
  return {
    ...packLists(),
    ...(await testLabels()),
    ...(await startLabels()),
    ...(await localLabels()),
    ...Object.fromEntries(ICON_SIDES.map((side) => [`icon ${side}`, hash(drawIcon(side))])),
    ...dialogs(),
    ...events(),
    ...identities(),
    ...(await description()),
  }
}

/** The bounds of each kind of layout, and one below them. */
const STOCKS: readonly Partial<Target>[] = [
  { labelWidth: 4, labelHeight: 6 },
  { labelWidth: 3.5, labelHeight: 3.5 },
  { labelWidth: 4, labelHeight: 3.4 },
  { labelWidth: 2.75, labelHeight: 2.5 },
  { labelWidth: 2.75, labelHeight: 1.75 },
  { labelWidth: 2.25, labelHeight: 1.25 },
  { labelWidth: 1.5, labelHeight: 1 },
  { labelWidth: 4, labelHeight: 6, dpi: 300 },
]

const { date: _date, ...UNDATED } = ORDER
const { ship_date: _shipDate, ...TIMELESS } = UNDATED
const WORDS = 'a description that is broken into lines where the label is narrow '

const ORDERS: Readonly<Record<string, object>> = {
  whole: ORDER,
  bare: { items: [{ sku: 'A' }] },
  'no date': UNDATED,
  'no dates': TIMELESS,
  'wide number': { ...ORDER, order_number: 'A'.repeat(25) },
  'wide number, no dates': { ...TIMELESS, order_number: '1'.repeat(52) },
  'number without a bar code': { ...ORDER, order_number: 'Nr. ö' },
  'long texts': {
    ...ORDER,
    user: WORDS.repeat(3),
    items: [
      { sku: 'S'.repeat(90), desc: WORDS.repeat(4), price: 123_456.78, qty: 1000 },
      { desc: WORDS.repeat(2), price: 1 },
      { sku: 'B', qty: 1 },
      { sku: 'C', qty: 3 },
    ],
    custom_fields: [
      { key: 'A name of a field that is too long to stand beside', value: WORDS },
      { key: 'Short', value: WORDS.repeat(2) },
      { value: 'no name' },
      { key: 'no value' },
    ],
  },
  'prices without columns': {
    items: [
      { sku: 'A', price: 99_999_999.99, qty: 99_999 },
      { price: 2, qty: 2 },
    ],
    tax: 1,
  },
  'prices without quantities': { items: [{ sku: 'A', price: 1 }], shipping_cost: 2 },
  'many items': {
    ...ORDER,
    discounts: -10,
    items: Array.from({ length: 30 }, (_, nr) => ({ sku: `SKU-${nr}`, desc: WORDS, qty: nr })),
  },
  'parts of addresses': {
    items: [{ sku: 'A', qty: 1 }],
    to_address: { state: 'NV', name: 'N'.repeat(60) },
    shipper_address: { city: 'Reno', postcode: '89501' },
  },
}

const STARTS: readonly Partial<Target>[] = [
  { startingPointX: 30, startingPointY: 20 },
  { startingPointX: 5000, startingPointY: 5000 },
  { startingPointX: -5, startingPointY: -5 },
  { startingPointX: 30, startingPointY: 20, pictureDpi: 100 },
]

function packLists(): Readonly<Record<string, string>> {
  const styles = [...STOCKS, ...STARTS].map((one) => choosePackListStyle(makeTarget(one)))
  const lists = Object.entries(ORDERS).map(([name, order]) => {
    const list = checkPackList(order)
    return [`pack list: ${name}`, digest(styles.map((style) => layOutPackList(list, style)))]
  })
  return { 'pack lists: sizes': digest(styles), ...Object.fromEntries(lists) }
}

async function testLabels(): Promise<Readonly<Record<string, string>>> {
  const label = { host: 'printserver.local', at: '2026-11-21T03:40:12.345Z' }
  return await drawEach('test label', STOCKS, async (target) => [
    (await renderTestLabel({ ...label, printer: 'Bench 2' }, target)).bytes,
    (await renderTestLabel({ ...label, printer: 'Bench 2, by the door '.repeat(6) }, target)).bytes,
  ])
}

async function startLabels(): Promise<Readonly<Record<string, string>>> {
  const label = {
    name: 'printserver-1a2b.local',
    url: 'http://192.168.178.123/',
    alias: 'http://printserver.local/',
    pin: '12345678',
    fingerprint: 'A0:'.repeat(31).concat('A0'),
    version: '0.1.0',
  }
  const without = { ...label, url: '', pin: '', alias: '', fingerprint: '' }
  return await drawEach('start label', [...STOCKS, { language: undefined }], async (target) => [
    (await renderStartLabel(label, target)).bytes,
    (await renderStartLabel(without, target)).bytes,
  ])
}

async function drawEach(
  kind: string,
  stocks: readonly Partial<Target>[],
  draw: (target: Target) => Promise<readonly Uint8Array[]>,
): Promise<Readonly<Record<string, string>>> {
  const drawn: Record<string, string> = {}
  for (const one of stocks) {
    const target = makeTarget({ language: 'tspl', ...one })
    const { labelWidth, labelHeight, dpi, language = 'unknown' } = target
    const jobs = await draw(target)
    drawn[`${kind}: ${labelWidth}x${labelHeight} ${dpi} ${language}`] = hash(Buffer.concat(jobs))
  }
  return drawn
}

async function localLabels(): Promise<Readonly<Record<string, string>>> {
  const address = {
    shipper: 'Shop',
    ship_addr1: '1 Dock Rd',
    ship_city: 'Reno',
    ship_state: 'NV',
    ship_code: '89501',
    to_name: 'Ann Buyer',
    to_addr1: '2 Elm St',
    to_city: 'Ames',
    to_state: 'IA',
    to_code: '50010',
    weight: 3,
    reference1: 'order 17',
  }
  const long = 'Wolfgang Amadeus '.repeat(7).trim()
  const shipments = [
    address,
    { ...address, to_company: long, to_addr2: long, reference2: 'b', reference3: 'c' },
    { ...address, to_name: long, to_company: long, to_addr1: long, to_addr2: long },
  ]
  const drawn: Record<string, string> = {}
  for (const dpi of [203, 300, 406]) {
    const labels: Uint8Array[] = []
    for (const params of shipments) {
      const read = readShipment(params)
      if ('errors' in read) throw new Error(read.errors[0]?.description)
      const facts = { weight: 3.256, description: 'Own van', n: 2, of: 3 }
      const label = { shipment: read.shipment, number: 'PL90783517512483971', ...facts }
      labels.push(await drawLocalLabel(label, { format: 'ZPL', dpi }))
    }
    drawn[`label of the local carrier: ${dpi}`] = hash(Buffer.concat(labels))
  }
  return drawn
}

const REASONS: readonly PrinterReason[] = [
  ...(['none', 'media-empty', 'media-jam', 'cover-open', 'marker-supply-empty'] as const),
  ...(['paused', 'offline', 'other'] as const),
]

const IDLE = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING } as const
const BENCH = { ...makePrinter('Bench 1'), isDefault: true, isPaused: false, status: IDLE }
const STOPPED = REASONS.map(
  (reason): KnownPrinter => ({
    ...BENCH,
    name: reason,
    status: {
      message: quoteEnglish('It waits.'),
      hint: quoteEnglish('Look at it.'),
      state: 'stopped',
      reasons: [reason],
    },
  }),
)

/** Answers to print dialogs about printers, in each state of one, and about their network. */
function dialogs(): Readonly<Record<string, string>> {
  const first = BENCH
  const printers: readonly KnownPrinter[] = [
    first,
    ...STOPPED,
    { ...first, name: 'dark', darkness: 30, dpi: 300, media: { tracking: 'mark' } },
    { ...first, name: 'small', labelWidth: 2.125, labelHeight: 0.75, language: 'tspl' },
    { ...first, name: 'of a maker', makeAndModel: 'Zebra "ZD421"; 4:6', language: 'epl' },
  ]
  const shared = listShared(printers, {
    secret: new Uint8Array(32),
    hostName: 'bench-3.local',
    addresses: new DialogAddresses(),
  })
  const place = {
    host: 'box:80',
    secureHost: 'box:443',
    startedAt: 0,
    changedAt: 5_000,
    now: 9_000,
  }
  return Object.fromEntries(
    shared.map((one) => {
      // Whose version is that of the program.
      const all = [0, 1].flatMap((queued) => [...describePrinter(one, place, queued)])
      const lasting = all.filter(([name]) => !name.startsWith('printer-firmware'))
      const services = describeServices(one, { port: 80, securePort: 443, host: 'bench-3.local' })
      return [`printer in a dialog: ${one.printer.name}`, digest([lasting, services])]
    }),
  )
}

/** Events for QZ Tray's pages. */
function events(): Readonly<Record<string, string>> {
  const busy = { ...BENCH, status: { ...IDLE, state: 'processing' } } as const
  const printers = [BENCH, busy, ...STOPPED].map(printerEvents)
  const states = ['pending', 'pending-held', 'processing', 'processing-stopped'] as const
  const jobs = [...states, 'canceled', 'aborted', 'completed'].map((state) =>
    jobEvent({
      id: 'a-1',
      printer: 'Bench 1',
      title: 'T',
      message: quoteEnglish('M'),
      state,
      reasons: [],
    } as unknown as Job),
  )
  return { 'QZ: printers': digest(printers), 'QZ: jobs': digest(jobs) }
}

const MODELS = [
  'DYMO LabelWriter 450',
  'LP 2844',
  'TLP2844-Z',
  'ZDesigner ZP 450 (ZPL)',
  'ZP 450-200dpi',
  'ZP505',
  'ZTC GK420d (EPL)',
  'ZTC LP2824 Plus (EPL)',
  'GX420t',
  'GC430d',
  'Zebra ZD421',
  'TSC TE200',
  'Rollo X1038',
  'MUNBYN ITPP941',
  'Zebra ZPL Label Printer',
  'EPL2 printer',
  'TSPL2 thing',
  'ZTC GC420d-300dpi (ZPL)',
  'Office Jet-099dpi',
  'Canon GX6000',
]
const USB_IDS = [
  '0a5f:0009',
  '0a5f:0027',
  '0a5f:0062',
  '0a5f:0080',
  '0a5f:0081',
  '0a5f:0065',
  '0a5f:0084',
  '0a5f:008b',
  '0a5f:008c',
  '0a5f:00a1',
  '0a5f:00a3',
  '0a5f:00d1',
  '0a5f:0110',
  '0a5f:0164',
  '0a5f:0050',
  '0a5f:0165',
  '0a5f:0176',
  '1203:0140',
  '1203:0001',
  '09c5:0588',
  '09c6:0426',
  '20d1:7008',
  '0922:0001',
  '0000:0000',
]

/** Identities of printers by their models and numbers. */
function identities(): Readonly<Record<string, string>> {
  const models = MODELS.map((makeAndModel) => identify({ makeAndModel }))
  const ids = USB_IDS.map((id) => {
    const [vendorId = 0, productId = 0] = id.split(':').map((hex) => Number.parseInt(hex, 16))
    return identify({ makeAndModel: '', vendorId, productId })
  })
  return { 'identity: models': digest(models), 'identity: USB': digest(ids) }
}

/** The description of the HTTP interface: each path, each schema, and the rest. */
async function description(): Promise<Readonly<Record<string, string>>> {
  const described = describeApi('0', calls, await allPlugins.describe(), settingsSchema.fields)
  const { paths, components, ...rest } = described
  const { schemas } = components as { readonly schemas: object }
  return {
    'OpenAPI: rest': digest([rest, Object.keys(components as object)]),
    ...digestEach('OpenAPI', paths as object),
    ...digestEach('OpenAPI schema', schemas),
  }
}

function digestEach(kind: string, parts: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [`${kind}: ${name}`, digest(part)]),
  )
}

function digest(value: unknown): string {
  const plain = (_: string, one: unknown): unknown => {
    if (one instanceof Map) return [...one]
    return typeof one === 'bigint' ? `${one}` : one
  }
  return hash(Buffer.from(JSON.stringify(value, plain)))
}
