import { createHash } from 'node:crypto'
import { encodePng, languages, rowBytes, type Tracking } from '#labels'
import { collection, type IppValue, integer, keyword } from '#printers'
import { makeTarget } from '../../core/drawing/target.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { type DialogAddresses, digestOf } from './addresses.ts'

/** A printer as print dialogs see it. */
export interface SharedPrinter {
  readonly printer: KnownPrinter
  /** The path, e.g. `/ipp/print/bench-1`. */
  readonly path: string
  readonly uuid: string
  /** The name announced on the network: two boxes may have printers of one name. */
  readonly dnsSdName: string
  readonly size: SizeInInches
  readonly dpi: number
}

/** The formats of raw labels in each language, by the names that LPrint gave them. */
export const RAW_FORMATS: ReadonlyMap<string, string> = new Map(
  languages.map(({ name, mediaType }) => [name, mediaType]),
)

/** The box that shares its printers. */
export interface Sharer {
  /** The box's own secret: the UUIDs of its printers stay the same while it does. */
  readonly secret: Uint8Array
  /** The name that people use for the box, without `.local`. */
  readonly hostName: string
  readonly addresses: DialogAddresses
}

/** Lists the printers that pictures can be drawn for. */
export function listShared(
  printers: readonly KnownPrinter[],
  { secret, hostName, addresses }: Sharer,
): readonly SharedPrinter[] {
  // One whose language is not known yet has its address already: those behind it keep theirs once it is.
  const paths = addresses.list(printers.map(({ name }) => name))
  return printers.flatMap((printer, n) => {
    const { language, labelWidth, labelHeight, dpi } = makeTarget(printer, {})
    const path = paths[n]
    if (language === undefined || path === undefined) return []
    const size = { width: labelWidth, height: labelHeight }
    const dnsSdName = nameService(printer.name, hostName)
    return [{ printer, path, uuid: uuidOf(secret, printer.name), dnsSdName, size, dpi }]
  })
}

const NAME_BYTES = 63 // of a label of DNS (RFC 6763, 4.1.1)
/** The most characters of the host's name, so that there is room for the printer's. */
const HOST_LETTERS = 40

/**
 * Makes the service name, e.g. `Bench 1 (printserver-1a2b)`, without dots, which separate names. A name that is cut gets a few characters
 * of its hash: a client that asks for one of two services with one name may be led to the other.
 */
export function nameService(printer: string, hostName: string): string {
  const end = ` (${hostName.split('.')[0]?.slice(0, HOST_LETTERS)})`
  const whole = printer.replaceAll('.', '-')
  if (Buffer.byteLength(whole + end) <= NAME_BYTES) return whole + end
  const mark = ` ${digestOf(printer).slice(0, 4)}${end}`
  let start = whole
  while (start !== '' && Buffer.byteLength(start + mark) > NAME_BYTES) {
    start = [...start].slice(0, -1).join('')
  }
  return start.trimEnd() + mark
}

/** Makes a UUID of version 8, whose content we may choose (RFC 9562, 5.8). */
function uuidOf(secret: Uint8Array, name: string): string {
  const hash = createHash('sha256').update(secret).update(`ipp printer\0${name}`).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x80
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-')
}

const HUNDREDTHS_PER_INCH = 2540
/** The margin in 1/100 mm; see `mediaCol`. */
export const MARGIN = 1
/** The only media-source. */
export const ROLL = 'main-roll'

/** A size in inches. */
interface SizeInInches {
  readonly width: number
  readonly height: number
}

/**
 * Makes the self-describing name of a size (PWG 5101.1). Phones and Windows have fixed lists of names, and 4x6 inches is the only label in
 * all of them; a dot in the middle part fails the standard's own test.
 */
export function mediaName({ width, height }: SizeInInches): string {
  if (width === 4 && height === 6) return 'na_index-4x6_4x6in'
  const [w, h] = [shorten(width), shorten(height)]
  return `oe_label-${w.replace('.', '-')}x${h.replace('.', '-')}_${w}x${h}in`
}

/** Describes a size in 1/100 mm; x is across the head, even when the label is wider than long. */
export function mediaSize({ width, height }: SizeInInches): readonly IppValue[] {
  return collection({
    'x-dimension': integer(Math.round(width * HUNDREDTHS_PER_INCH)),
    'y-dimension': integer(Math.round(height * HUNDREDTHS_PER_INCH)),
  })
}

/**
 * Describes the only stock of a printer. Margins are 1, not 0: with four zeros clients offer "borderless" and enlarge the picture past the
 * edges. Without a media-source iOS 17 shows no size.
 */
export function mediaCol(size: SizeInInches, tracking?: Tracking): readonly IppValue[] {
  const margin = integer(MARGIN)
  return collection({
    'media-size': mediaSize(size),
    'media-size-name': keyword(mediaName(size)),
    'media-bottom-margin': margin,
    'media-left-margin': margin,
    'media-right-margin': margin,
    'media-top-margin': margin,
    'media-source': keyword(ROLL),
    'media-type': keyword('labels'),
    // PWG 5100.13, 6.3: only what the printer itself has said.
    ...(tracking === undefined ? {} : { 'media-tracking': keyword(tracking) }),
  })
}

/** Describes the tray for `printer-input-tray` (PWG 5100.13, 5.6.25); level -2 = unknown. */
export function describeTray({ width, height }: SizeInInches, isEmpty: boolean): string {
  const [across, along] = [width, height].map((inches) => Math.round(inches * HUNDREDTHS_PER_INCH))
  return `type=sheetFeedAutoRemovableTray;mediafeed=${along};mediaxfeed=${across};maxcapacity=-2;level=${isEmpty ? 0 : -2};status=0;name=${ROLL};`
}

function shorten(inches: number): string {
  return String(Math.round(inches * 1_000) / 1_000)
}

/** Sides of the icons in pixels (PWG 5100.13, 5.6.22). */
export const ICON_SIDES = [48, 128, 512] as const

/** Parts of an icon as fractions of its side: the label's edge, and its bars from left to right. */
const EDGE = 1 / 16
const BARS: readonly (readonly [from: number, to: number])[] = [
  [4, 5],
  [6, 6.5],
  [7.5, 9],
  [10, 10.5],
  [11, 12],
]
const SIXTEENTHS = 16

/** Draws a label with a bar code, as PNG. */
export function drawIcon(side: number): Uint8Array {
  const bits = new Uint8Array(rowBytes(side) * side)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if (!isInk(x / side, y / side)) continue
      const at = y * rowBytes(side) + (x >> 3)
      bits[at] = (bits[at] as number) | (0x80 >> (x & 7))
    }
  }
  return encodePng({ width: side, height: side, bits })
}

function isInk(x: number, y: number): boolean {
  if (x < 2 * EDGE || x >= 1 - 2 * EDGE) return false
  if (y < EDGE || y >= 1 - EDGE || x < 3 * EDGE || x >= 1 - 3 * EDGE) return true
  const isBar = BARS.some(([from, to]) => x * SIXTEENTHS >= from && x * SIXTEENTHS < to)
  return isBar && y >= 0.5 && y < 1 - 3 * EDGE
}
