import { Buffer } from 'node:buffer'
import t from 'tap'
import { OPERATIONS, STATUS } from '../../../src/plugins/ipp/protocol.ts'
import {
  boolean,
  collection,
  enumeration,
  type IppValue,
  integer,
  keyword,
  mimeType,
  name,
  readNumber,
  resolution,
} from '../../../src/printers/ipp/message.ts'
import { zplLabel } from '../../core/labels.ts'
import { startRig } from '../../http/rig.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { makePwg, makeUrf } from '../../pictures/make-raster.ts'
import { ask } from './ask.ts'

// What real clients were seen to send, or send by their source, rebuilt as requests. Nobody tried the clients themselves.

type Attributes = Readonly<Record<string, readonly IppValue[]>>

interface Client {
  readonly who: string
  /** The place where it was seen. */
  readonly source: string
  /** Its `requested-attributes`. */
  readonly asks: string
  /** Requested attributes that are not answered: they mean nothing for labels. */
  readonly without?: string
  readonly path?: string
  readonly isCreating?: boolean
  readonly format: string
  readonly document: Uint8Array
  readonly operation?: Attributes
  readonly template: Attributes
  /** Attributes of the template that come back as not supported; the label prints all the same. */
  readonly ignored?: readonly string[]
}

const PAGE = { width: 812, height: 1218, dpi: 203, space: 18, bitsPerPixel: 8 }
const GRAY = { ...PAGE, samples: Buffer.alloc(812 * 1218, 0x80) }
const PDF = makePdf([{ ...LABEL, content: drawText('Jane Doe', 20, 300, 40) }])
const margins = (value: number): Attributes =>
  Object.fromEntries(
    ['bottom', 'left', 'right', 'top'].map((side) => [`media-${side}-margin`, integer(value)]),
  )
const size = (x: number, y: number): readonly IppValue[] =>
  collection({ 'x-dimension': integer(x), 'y-dimension': integer(y) })

const CLIENTS: readonly Client[] = [
  {
    who: 'an iPad',
    source: 'IppGetPrinterAttrReq.java of SavaPage, "From iPad"; its job is a guess',
    asks: `copies-supported document-format-supported jpeg-k-octets-supported jpeg-x-dimension-supported
      jpeg-y-dimension-supported media-bottom-margin-supported media-col-database
      landscape-orientation-requested-preferred media-col-supported media-left-margin-supported media-col-ready
      media-right-margin-supported media-top-margin-supported operations-supported pdf-k-octets-supported
      print-color-mode-supported print-quality-supported sides-supported`,
    format: 'image/urf',
    document: makeUrf({ ...GRAY, space: 0 }),
    template: {
      copies: integer(1),
      'media-col': collection({ 'media-size': size(10160, 15240), ...margins(1) }),
      'print-quality': enumeration(4),
      'print-color-mode': keyword('monochrome'),
      sides: keyword('one-sided'),
    },
  },
  {
    who: 'a Mac',
    source: 'IppGetPrinterAttrReq.java of SavaPage; Create-Job of OpenPrinting/cups#738',
    asks: `com.apple.print.recoverable-message copies-supported document-format-supported marker-colors
      marker-high-levels marker-levels marker-low-levels marker-message marker-names marker-types
      printer-is-accepting-jobs printer-state printer-state-message printer-state-reasons`,
    without: `com.apple.print.recoverable-message marker-colors marker-high-levels marker-levels marker-low-levels
      marker-message marker-names marker-types`,
    isCreating: true,
    format: 'application/pdf',
    document: PDF,
    template: {
      'job-accounting-user-id': name('jeff'),
      'media-col': collection({
        'media-size': size(10500, 14800),
        'media-source': keyword('auto'),
        ...margins(200),
      }),
      'output-bin': keyword('auto'),
      'print-color-mode': keyword('auto-monochrome'),
      'print-quality': enumeration(4),
      sides: keyword('one-sided'),
      'multiple-document-handling': keyword('separate-documents-uncollated-copies'),
    },
    ignored: ['job-accounting-user-id'],
  },
  {
    who: 'Android',
    source: 'AOSP BuiltInPrintService: ippstatus_capabilities.c, ipp_print.c',
    asks: `ipp-versions-supported printer-make-and-model printer-info printer-dns-sd-name printer-name
      printer-location printer-uuid printer-uri-supported uri-security-supported uri-authentication-supported
      color-supported copies-supported document-format-supported media-col-default media-default
      media-left-margin-supported media-right-margin-supported media-top-margin-supported
      media-bottom-margin-supported media-supported media-type-supported output-bin-supported
      print-color-mode-supported print-quality-supported printer-output-tray printer-resolution-supported
      sides-supported printer-device-id epcl-version-supported pclm-raster-back-side pclm-strip-height-preferred
      pclm-compression-method-preferred pclm-source-resolution-supported pwg-raster-document-sheet-back
      document-format-details-supported media-ready media-col-ready print-scaling-supported print-scaling-default
      job-pages-per-set-supported mopria-certified mopria_certified`,
    without: `epcl-version-supported pclm-raster-back-side pclm-strip-height-preferred
      pclm-compression-method-preferred pclm-source-resolution-supported document-format-details-supported
      job-pages-per-set-supported mopria_certified`,
    format: 'image/pwg-raster',
    document: makePwg(GRAY),
    operation: { 'job-name': name('photo') },
    template: {
      'print-scaling': keyword('auto'),
      'print-quality': enumeration(4),
      sides: keyword('one-sided'),
      'output-mode': keyword('monochrome'),
      'media-col': collection({
        ...margins(0),
        'media-type': keyword('stationery'),
        'media-size': size(10160, 15240),
      }),
      'printer-resolution': resolution(203),
    },
    ignored: ['output-mode'],
  },
  {
    who: 'Windows 11',
    source:
      'danielklecha/SharpIppNextServer#2; its session as Printo’s VirtualPrinterTests tell it',
    asks: `uri-authentication-supported document-format-default document-format-preferred document-format-supported
      ipp-version-supported media-supported media-type-supported mopria-certified mopria_certified
      printer-dns-sd-name printer-firmware-name printer-firmware-string-version printer-device-id printer-info
      printer-uuid media-col-ready media-size-supported pages-per-minute pdf-k-octets-supported printer-more-info
      printer-output-tray media-source-default number-up-supported pdf-fit-to-page-supported
      printer-mandatory-job-attributes client-info-supported`,
    without: `ipp-version-supported mopria_certified media-source-default number-up-supported
      pdf-fit-to-page-supported printer-mandatory-job-attributes client-info-supported`,
    // In small letters, whatever it was told (PAPPL 29f9ba1).
    path: '/ipp/print/bench-1',
    isCreating: true,
    format: 'application/pdf',
    document: PDF,
    operation: { 'requesting-user-name': name('CONTOSO\\packer1') },
    template: {
      copies: integer(1),
      'media-col': collection({ 'media-size': size(10160, 15240) }),
      sides: keyword('one-sided'),
    },
  },
  {
    who: 'lpadmin -m everywhere',
    source: 'apple/cups#5484',
    asks: 'job-template printer-defaults printer-description media-col-database',
    without: 'job-template printer-defaults printer-description',
    isCreating: true,
    format: 'application/octet-stream',
    document: makeUrf({ ...GRAY, space: 0 }),
    template: {
      'output-bin': keyword('face-down'),
      'print-color-mode': keyword('monochrome'),
      'print-quality': enumeration(4),
      'multiple-document-handling': keyword('separate-documents-collated-copies'),
    },
  },
]

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

for (const client of CLIENTS) {
  t.test(`${client.who} (${client.source})`, async (t) => {
    const rig = startRig(t)
    const { path = '/ipp/print/bench-1', format, document, template, operation } = client
    const asked = words(client.asks)
    const said = await ask(rig, {
      path,
      operation: OPERATIONS.getPrinterAttributes,
      attributes: { 'requested-attributes': keyword(...asked) },
    })
    t.equal(said.code, STATUS.ok)
    const told = said.groups[1]?.attributes ?? new Map()
    t.same(
      asked.filter((one) => !told.has(one)),
      words(client.without ?? ''),
      'what it asks is answered',
    )
    const wish = { 'document-format': mimeType(format), ...operation }
    const valid = { path, operation: OPERATIONS.validateJob, attributes: wish, template }
    const status = client.ignored === undefined ? STATUS.ok : STATUS.ignoredAttributes
    const validated = await ask(rig, valid)
    t.equal(validated.code, status, 'Validate-Job')
    const ignored = validated.groups.find(({ tag }) => tag === 5)?.attributes ?? new Map()
    t.same([...ignored.keys()], client.ignored ?? [])
    const code = client.isCreating ? OPERATIONS.createJob : OPERATIONS.printJob
    const more = client.isCreating ? {} : { document }
    const made = await ask(rig, { ...valid, operation: code, ...more })
    t.equal(made.code, status, 'the job')
    const id = integer(readNumber(made.groups.at(-1), 'job-id') ?? 0)
    if (client.isCreating) {
      const last = { 'job-id': id, 'last-document': boolean(true), ...wish }
      const sent = { path, operation: OPERATIONS.sendDocument, attributes: last, document }
      t.equal((await ask(rig, sent)).code, STATUS.ok, 'Send-Document')
    }
    t.equal(rig.jobs().length, 1)
    await Promise.all(rig.jobs().map(({ id }) => rig.bench.until(id, 'completed')))
    const looked = { path, operation: OPERATIONS.getJobAttributes, attributes: { 'job-id': id } }
    t.equal(readNumber((await ask(rig, looked)).groups[1], 'job-state'), 9, 'completed')
  })
}

t.test(
  "a job's name is the title of its label, and one without gets the label's own",
  async (t) => {
    const rig = startRig(t, { prints: false })
    const print = (attributes: Attributes) =>
      ask(rig, { operation: OPERATIONS.printJob, attributes, document: zplLabel('x') })
    await print({ 'job-name': name('Order 1001.zpl') })
    await print({ 'document-name': name('Order 1002') })
    await print({ 'job-name': name('Untitled') })
    await print({})
    const titles = rig.jobs().map(({ title }) => title)
    t.match(titles.slice(0, 2), [/^Order 1001/, /^Order 1002/])
    t.same(titles.slice(2), ['', ''])
  },
)

t.test('a box that is not shared has no printers for dialogs', async (t) => {
  const rig = startRig(t, { prints: false })
  const request = { operation: OPERATIONS.printJob, document: zplLabel('x') }
  t.equal((await ask(rig, request)).code, STATUS.ok)
  const config = (await (await rig.call('/config')).json()) as object
  const saved = await rig.call('/config', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...config, share_printers: false }),
  })
  t.equal(saved.status, 200)
  await t.rejects(ask(rig, request), /^404 .*not shared with print dialogs/s)
  t.equal(rig.jobs().length, 1)
})
