import type { IppAttributes, IppValue } from '../../ipp/message.ts'
import {
  boolean,
  charset,
  dateTime,
  enumeration,
  integer,
  keyword,
  language,
  mimeType,
  name,
  octets,
  range,
  resolution,
  text,
  unknown,
  uri,
} from '../../ipp/values.ts'
import { REQUEST_LIMITS } from '../../request/reader.ts'
import { version } from '../../system/version.ts'
import { ICON_SIDES } from './icon.ts'
import { mediaCol, mediaName, mediaSize } from './media.ts'
import { RAW_FORMATS, type SharedPrinter } from './printer.ts'
import { OPERATIONS, PRINTER_STATES } from './protocol.ts'

type Table = Readonly<Record<string, readonly IppValue[]>>

/** Where the client reached us, and since when we are here. */
export interface Place {
  /** `bench-3.local:80`, by the name that the client used: one that came by address would else be lost. */
  readonly host: string
  /** The same for TLS, or undefined. */
  readonly secureHost: string | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly now: number
}

/** Seconds since we started; never 0, which stands for "not yet" (RFC 8011, 5.3.14). */
export function upTime({ startedAt }: Place, at: number): readonly IppValue[] {
  return integer(Math.max(1, Math.floor((at - startedAt) / 1_000) + 1))
}

/** The formats of documents that a printer takes; `application/octet-stream`: what it is its bytes say. */
export function listFormats({ printer }: SharedPrinter): readonly string[] {
  const raw = RAW_FORMATS[printer.language ?? '']
  return [
    ...['application/octet-stream', 'image/pwg-raster', 'image/urf', 'image/jpeg', 'image/png'],
    'application/pdf',
    ...(raw === undefined ? [] : [raw]),
  ]
}

/**
 * Everything that a print dialog may ask (RFC 8011, 5.4; PWG 5100.14, IPP Everywhere 1.1; AirPrint and Mopria as measured
 * with their clients).
 */
export function describePrinter(
  shared: SharedPrinter,
  place: Place,
  queued: number,
): IppAttributes {
  return new Map(
    Object.entries({
      ...nameIt(shared, place),
      ...sayState(shared, place, queued),
      ...sayProtocol(shared),
      ...sayRaster(shared),
      ...sayTemplate(shared),
      ...sayMedia(shared),
    }),
  )
}

function nameIt(shared: SharedPrinter, place: Place): Table {
  const { printer, path, uuid, dnsSdName } = shared
  const uris = [
    `ipp://${place.host}${path}`,
    ...(place.secureHost === undefined ? [] : [`ipps://${place.secureHost}${path}`]),
  ]
  const web = `http://${place.host}/`
  const model = modelOf(shared)
  // RFC 8011 has them in the same order.
  const security = uris.map((_, n) => (n === 0 ? 'none' : 'tls'))
  return {
    'printer-uri-supported': uri(...uris),
    'uri-security-supported': keyword(...security),
    'uri-authentication-supported': keyword(...uris.map(() => 'none')),
    'printer-name': name(printer.name),
    'printer-dns-sd-name': name(dnsSdName),
    'printer-info': text(printer.name),
    'printer-location': text(''),
    'printer-organization': text(''),
    'printer-organizational-unit': text(''),
    'printer-geo-location': unknown,
    'printer-make-and-model': text(model),
    'printer-device-id': text(
      `MFG:platen;MDL:${model.replace(/[;:]/g, ' ')};CMD:PWGRaster,URF,JPEG,PNG,PDF;CLS:PRINTER;`,
    ),
    'printer-uuid': uri(`urn:uuid:${uuid}`),
    'printer-more-info': uri(web),
    'printer-icons': uri(...ICON_SIDES.map((side) => `${web}ipp/icon-${side}.png`)),
    'printer-supply-info-uri': uri(web),
    'printer-supply': octets(
      'type=other;maxcapacity=100;level=-3;class=supplyThatIsConsumed;unit=percent;',
    ),
    'printer-supply-description': text('Labels'),
    'printer-kind': keyword('label', 'document', 'photo'),
    'printer-firmware-name': name('platen'),
    'printer-firmware-string-version': text(version),
    'printer-firmware-version': octets(version),
  }
}

/** As clients show it. */
export function modelOf({ printer }: SharedPrinter): string {
  return printable(printer.makeAndModel) || 'platen Label Printer'
}

/** Printable ASCII without quotes; CUPS takes the first word for the maker. */
function printable(words: string): string {
  return words.replace(/[^ -~]|["']/g, '').trim()
}

/**
 * Reasons without a label that waits are not told: phones ask at every print over a roll that is empty. `media-needed` is
 * what clients show while a label waits for it.
 */
function sayState({ printer: { status } }: SharedPrinter, place: Place, queued: number): Table {
  const reasons = queued === 0 ? [] : status.reasons.flatMap((reason) => REASONS[reason] ?? [])
  return {
    'printer-state': enumeration(PRINTER_STATES[status.state]),
    'printer-state-reasons': keyword(...(reasons.length === 0 ? ['none'] : reasons)),
    'printer-state-message': text(`${status.message} ${status.hint}`.trim()),
    'printer-is-accepting-jobs': boolean(true),
    'queued-job-count': integer(queued),
    'printer-up-time': upTime(place, place.now),
    'printer-current-time': dateTime(place.now),
    'printer-state-change-time': upTime(place, place.startedAt),
    'printer-state-change-date-time': dateTime(place.startedAt),
    'printer-config-change-time': upTime(place, place.startedAt),
    'printer-config-change-date-time': dateTime(place.startedAt),
  }
}

const REASONS: Readonly<Record<string, readonly string[]>> = {
  'media-empty': ['media-needed', 'media-empty-error'],
  'cover-open': ['cover-open-error'],
  'media-jam': ['media-jam-error'],
  'marker-supply-empty': ['marker-supply-empty-error'],
  paused: ['paused'],
  offline: ['offline'],
  other: ['other-error'],
}

function sayProtocol(shared: SharedPrinter): Table {
  return {
    'ipp-versions-supported': keyword('1.1', '2.0'),
    'ipp-features-supported': keyword('ipp-everywhere', 'airprint-2.1'),
    'mopria-certified': text('1.3'),
    'operations-supported': enumeration(...Object.values(OPERATIONS)),
    'charset-configured': charset('utf-8'),
    'charset-supported': charset('us-ascii', 'utf-8'),
    'natural-language-configured': language('en'),
    'generated-natural-language-supported': language('en'),
    'compression-supported': keyword('none', 'gzip', 'deflate'),
    'document-format-default': mimeType('application/octet-stream'),
    'document-format-preferred': mimeType('image/urf'),
    'document-format-supported': mimeType(...listFormats(shared)),
    'pdl-override-supported': keyword('attempted'),
    'printer-get-attributes-supported': keyword('document-format'),
    'preferred-attributes-supported': boolean(false),
    'multiple-document-jobs-supported': boolean(false),
    'multiple-operation-time-out': integer(60),
    'multiple-operation-time-out-action': keyword('abort-job'),
    'multiple-document-handling-supported': keyword('separate-documents-collated-copies'),
    'multiple-document-handling-default': keyword('separate-documents-collated-copies'),
    'identify-actions-default': keyword('display'),
    'identify-actions-supported': keyword('display'),
    'job-ids-supported': boolean(true),
    'which-jobs-supported': keyword('completed', 'not-completed', 'all'),
    'job-spooling-supported': keyword('spool'),
    'job-creation-attributes-supported': keyword(...TEMPLATE, ...OPERATION_ATTRIBUTES),
  }
}

/** What a client may ask for with a job, and nothing breaks; CUPS and Android leave out what is not listed. */
export const TEMPLATE: readonly string[] = [
  ...['copies', 'finishings', 'media', 'media-col', 'multiple-document-handling'],
  ...['orientation-requested', 'output-bin', 'page-ranges', 'print-color-mode'],
  ...['print-content-optimize', 'print-quality', 'print-rendering-intent', 'print-scaling'],
  ...['printer-resolution', 'sides'],
]
const OPERATION_ATTRIBUTES: readonly string[] = [
  'document-format',
  'document-name',
  'ipp-attribute-fidelity',
  'job-name',
]

/** What AirPrint may send: 8-bit gray, all copies, any quality, from the roll, labels, face down, at the head's own dpi. */
export function listUrf(dpi: number): readonly string[] {
  return ['V1.5', 'W8', 'CP1', 'PQ3-4-5', 'FN3', 'IS9', 'MT5', 'OB10', `RS${dpi}`]
}

function sayRaster({ dpi }: SharedPrinter): Table {
  return {
    'pwg-raster-document-type-supported': keyword('sgray_8', 'black_1'),
    'pwg-raster-document-resolution-supported': resolution(dpi),
    'pwg-raster-document-sheet-back': keyword('normal'),
    'urf-supported': keyword(...listUrf(dpi)),
    'jpeg-k-octets-supported': range(0, 16_384),
    'jpeg-x-dimension-supported': range(1, 30_000),
    'jpeg-y-dimension-supported': range(1, 30_000),
    'jpeg-features-supported': keyword('progressive', 'cmyk'),
    'pdf-k-octets-supported': range(0, 16_384),
    'pdf-versions-supported': keyword('iso-32000-1_2008', 'adobe-1.4', 'adobe-1.7'),
    'color-supported': boolean(false),
    'pages-per-minute': integer(20),
    'landscape-orientation-requested-preferred': enumeration(4),
  }
}

function sayTemplate({ dpi }: SharedPrinter): Table {
  return {
    'copies-default': integer(1),
    'copies-supported': range(1, REQUEST_LIMITS.copies),
    'finishings-default': enumeration(3),
    'finishings-supported': enumeration(3),
    'orientation-requested-default': enumeration(3),
    'orientation-requested-supported': enumeration(3, 4, 5, 6, 7),
    // With face-up Android and CUPS send the last page first.
    'output-bin-default': keyword('face-down'),
    'output-bin-supported': keyword('face-down'),
    'overrides-supported': keyword('document-numbers', 'document-number', 'pages'),
    'page-ranges-supported': boolean(true),
    'print-color-mode-default': keyword('monochrome'),
    'print-color-mode-supported': keyword('auto', 'monochrome', 'bi-level'),
    'print-content-optimize-default': keyword('auto'),
    'print-content-optimize-supported': keyword(
      ...['auto', 'graphic', 'photo', 'text', 'text-and-graphic'],
    ),
    'print-quality-default': enumeration(4),
    'print-quality-supported': enumeration(3, 4, 5),
    'print-rendering-intent-default': keyword('auto'),
    'print-rendering-intent-supported': keyword('auto'),
    'print-scaling-default': keyword('auto'),
    'print-scaling-supported': keyword('auto', 'auto-fit', 'fit', 'none'),
    'printer-resolution-default': resolution(dpi),
    'printer-resolution-supported': resolution(dpi),
    'sides-default': keyword('one-sided'),
    'sides-supported': keyword('one-sided'),
  }
}

function sayMedia({ size }: SharedPrinter): Table {
  const media = keyword(mediaName(size))
  const stock = mediaCol(size)
  const members = stock.flatMap(({ value }) => (value instanceof Map ? [...value.keys()] : []))
  return {
    'media-default': media,
    'media-ready': media,
    'media-supported': media,
    'media-col-default': stock,
    'media-col-ready': stock,
    'media-col-database': stock,
    'media-col-supported': keyword(...members),
    'media-size-supported': mediaSize(size),
    'media-top-margin-supported': integer(1),
    'media-bottom-margin-supported': integer(1),
    'media-left-margin-supported': integer(1),
    'media-right-margin-supported': integer(1),
    'media-source-supported': keyword('main-roll'),
    'media-type-supported': keyword('labels'),
    'printer-input-tray': octets(
      'type=sheetFeedAutoRemovableTray;mediafeed=15240;mediaxfeed=10160;maxcapacity=-2;level=-2;status=0;name=main-roll;',
    ),
    'printer-output-tray': octets(
      'type=unRemovableBin;maxcapacity=-2;remaining=-2;status=0;name=face-down;stackingorder=firstToLast;pagedelivery=faceDown;',
    ),
  }
}

/** Of `xxx-default`, `-supported` and `-ready` those whose xxx may come with a job belong to the group `job-template`. */
function isTemplate(attribute: string): boolean {
  const [, job = ''] = /^(.*)-(?:default|supported|ready)$/.exec(attribute) ?? []
  return TEMPLATE.includes(job) || job === 'overrides' || /^media-/.test(job)
}

/** What was asked for: names, and groups. `media-col-database` comes only by its name (PWG 5100.7). */
export function selectAttributes(all: IppAttributes, asked: readonly string[]): IppAttributes {
  const wanted = new Set(asked.length === 0 ? ['all'] : asked)
  return new Map(
    [...all].filter(([attribute]) => {
      if (wanted.has(attribute)) return true
      if (attribute === 'media-col-database') return false
      return wanted.has('all') || wanted.has(groupOf(attribute))
    }),
  )
}

function groupOf(attribute: string): string {
  return isTemplate(attribute) ? 'job-template' : 'printer-description'
}
