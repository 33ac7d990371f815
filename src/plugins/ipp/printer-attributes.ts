import type { PrinterReason } from '#labels'
import {
  boolean,
  charset,
  dateTime,
  enumeration,
  type IppAttributes,
  type IppValue,
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
} from '#printers'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { version } from '../../system/process.ts'
import { inEnglish, join } from '../../words/say.ts'
import {
  describeTray,
  ICON_SIDES,
  MARGIN,
  mediaCol,
  mediaName,
  mediaSize,
  RAW_FORMATS,
  ROLL,
  type SharedPrinter,
} from './printer.ts'
import { OPERATIONS, PRINTER_STATES } from './protocol.ts'
import { listTemplate, sayTemplate } from './template.ts'

type AttributeTable = Readonly<Record<string, readonly IppValue[]>>

/** The host that the client reached, and the times of our start and of the printer's last change. */
export interface IppEndpoint {
  /** The host by the name that the client used, e.g. `bench-3.local:80`: a client that came by address could not find a name. */
  readonly host: string
  /** The host for TLS; undefined = no TLS. */
  readonly secureHost: string | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** The time of the last change of the printer's state. */
  readonly changedAt: number
  readonly now: number
}

/** Returns the seconds since we started; never 0, which stands for "not yet" (RFC 8011, 5.3.14). */
export function upTime({ startedAt }: IppEndpoint, at: number): readonly IppValue[] {
  return integer(Math.max(1, Math.floor((at - startedAt) / 1_000) + 1))
}

/** Lists the formats of documents that a printer takes; `application/octet-stream` is detected by its bytes. */
export function listFormats({ printer }: SharedPrinter): readonly string[] {
  const raw = RAW_FORMATS.get(printer.language ?? '')
  return [
    'application/octet-stream',
    'image/pwg-raster',
    'image/urf',
    'image/jpeg',
    'image/png',
    'application/pdf',
    ...(raw === undefined ? [] : [raw]),
  ]
}

/**
 * Describes everything that a print dialog may ask for (RFC 8011, 5.4; PWG 5100.14, IPP Everywhere 1.1; AirPrint and Mopria as measured
 * with their clients).
 */
export function describePrinter(
  shared: SharedPrinter,
  place: IppEndpoint,
  queued: number,
): IppAttributes {
  const all = {
    ...nameIt(shared, place),
    ...sayState(shared, place, queued),
    ...sayProtocol(shared),
    ...sayRaster(shared),
    ...sayTemplate(shared),
    ...sayMedia(shared),
  }
  return new Map(Object.entries(all).filter(([, values]) => values.length > 0))
}

function nameIt(shared: SharedPrinter, place: IppEndpoint): AttributeTable {
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
    ...saySupplies(printer),
    'printer-kind': keyword('label', 'document', 'photo'),
    'printer-firmware-name': name('platen'),
    'printer-firmware-string-version': text(version),
    'printer-firmware-version': octets(version),
  }
}

/** Describes the supplies. A label printer says whether there is some, not how much: -3 (RFC 3805, prtMarkerSuppliesLevel). */
function saySupplies(printer: KnownPrinter): AttributeTable {
  const supply = (isEmpty: boolean): string =>
    `type=other;maxcapacity=100;level=${isEmpty ? 0 : -3};class=supplyThatIsConsumed;unit=percent;`
  const isRibbonOut = isOut(printer, 'marker-supply-empty')
  const labels = supply(isOut(printer, 'media-empty'))
  return isRibbonOut
    ? {
        'printer-supply': [...octets(labels), ...octets(supply(true))],
        'printer-supply-description': text('Labels', 'Ribbon'),
      }
    : { 'printer-supply': octets(labels), 'printer-supply-description': text('Labels') }
}

/** Returns the model as clients show it. */
export function modelOf({ printer }: SharedPrinter): string {
  return printable(printer.makeAndModel) || 'platen Label Printer'
}

/** Keeps printable ASCII without quotes; CUPS takes the first word for the maker. */
function printable(words: string): string {
  return words.replace(/[^ -~]|["']/g, '').trim()
}

/**
 * Describes the state. Reasons are left out while no label waits: phones ask at every print about an empty roll. Clients show
 * `media-needed` while a label waits for it.
 */
function sayState(
  { printer: { status } }: SharedPrinter,
  place: IppEndpoint,
  queued: number,
): AttributeTable {
  const trouble = queued === 0 ? [] : status.reasons.flatMap((reason) => TROUBLE[reason] ?? [])
  const reasons = trouble.flatMap(({ keywords }) => keywords)
  const alerts = trouble.filter(({ alert }) => alert !== undefined)
  return {
    'printer-state': enumeration(PRINTER_STATES[status.state]),
    'printer-state-reasons': keyword(...(reasons.length === 0 ? ['none'] : reasons)),
    'printer-state-message': text(inEnglish(join(status.message, status.hint))),
    'printer-alert': alerts.flatMap(({ alert }, n) =>
      octets(`index=${n + 1};severity=critical;training=untrained;groupindex=1;${alert};`),
    ),
    'printer-alert-description': alerts.flatMap(() => text(inEnglish(status.message))),
    'printer-is-accepting-jobs': boolean(true),
    'queued-job-count': integer(queued),
    'printer-up-time': upTime(place, place.now),
    'printer-current-time': dateTime(place.now),
    'printer-state-change-time': upTime(place, place.changedAt),
    'printer-state-change-date-time': dateTime(place.changedAt),
    'printer-config-change-time': upTime(place, place.startedAt),
    'printer-config-change-date-time': dateTime(place.startedAt),
  }
}

interface PrinterTrouble {
  readonly keywords: readonly string[]
  /** The group and code of the alert (PWG 5100.9, 5.2; RFC 3805). */
  readonly alert?: string
}

const TROUBLE: Readonly<Partial<Record<PrinterReason, PrinterTrouble>>> = {
  'media-empty': {
    keywords: ['media-needed', 'media-empty-error'],
    alert: 'group=input;code=inputMediaSupplyEmpty',
  },
  'cover-open': { keywords: ['cover-open-error'], alert: 'group=cover;code=coverOpen' },
  'media-jam': { keywords: ['media-jam-error'], alert: 'group=mediaPath;code=jam' },
  'marker-supply-empty': {
    keywords: ['marker-supply-empty-error'],
    alert: 'group=markerSupplies;code=markerSupplyEmpty',
  },
  paused: { keywords: ['paused'] },
  offline: { keywords: ['offline'], alert: 'group=generalPrinter;code=subunitOffLine' },
  other: { keywords: ['other-error'] },
}

function sayProtocol(shared: SharedPrinter): AttributeTable {
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
    'identify-actions-default': keyword('display'),
    'identify-actions-supported': keyword('display'),
    'job-ids-supported': boolean(true),
    'which-jobs-supported': keyword('completed', 'not-completed', 'all'),
    'job-spooling-supported': keyword('spool'),
    'job-creation-attributes-supported': keyword(...listTemplate(shared), ...OPERATION_ATTRIBUTES),
  }
}

const OPERATION_ATTRIBUTES: readonly string[] = [
  'document-format',
  'document-name',
  'ipp-attribute-fidelity',
  'job-name',
]

/** Lists what AirPrint may send: 8-bit gray, all copies, any quality, from the roll, labels, face down, at the head's own dpi. */
export function listUrf(dpi: number): readonly string[] {
  return ['V1.5', 'W8', 'CP1', 'PQ3-4-5', 'FN3', 'IS9', 'MT5', 'OB10', `RS${dpi}`]
}

function sayRaster({ dpi }: SharedPrinter): AttributeTable {
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
    // 0: none with a password (PWG 5100.13, 5.6.2).
    'document-password-supported': integer(0),
    'pdf-versions-supported': keyword('iso-32000-1_2008', 'adobe-1.4', 'adobe-1.7'),
    'color-supported': boolean(false),
    'pages-per-minute': integer(20),
    'landscape-orientation-requested-preferred': enumeration(4),
  }
}

function sayMedia({ size, printer }: SharedPrinter): AttributeTable {
  const media = keyword(mediaName(size))
  const stock = mediaCol(size, printer.media?.tracking)
  const members = stock.flatMap(({ value }) => (value instanceof Map ? [...value.keys()] : []))
  const margin = integer(MARGIN)
  return {
    'media-default': media,
    'media-ready': media,
    'media-supported': media,
    'media-col-default': stock,
    'media-col-ready': stock,
    'media-col-database': stock,
    'media-col-supported': keyword(...members),
    'media-size-supported': mediaSize(size),
    'media-top-margin-supported': margin,
    'media-bottom-margin-supported': margin,
    'media-left-margin-supported': margin,
    'media-right-margin-supported': margin,
    'media-source-supported': keyword(ROLL),
    'media-type-supported': keyword('labels'),
    'printer-input-tray': octets(describeTray(size, isOut(printer, 'media-empty'))),
    'printer-output-tray': octets(
      'type=unRemovableBin;maxcapacity=-2;remaining=-2;status=0;name=face-down;stackingorder=firstToLast;pagedelivery=faceDown;',
    ),
  }
}

function isOut({ status }: KnownPrinter, reason: PrinterReason): boolean {
  return status.reasons.includes(reason)
}
