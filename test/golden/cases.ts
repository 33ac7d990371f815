import { createHash } from 'node:crypto'
import { checkPackList, renderPackList } from '../../src/labels/documents/pack-list.ts'
import { type LanguageName, languageNames } from '../../src/labels/languages/index.ts'
import { renderPicture } from '../../src/labels/render.ts'
import type { Target } from '../../src/labels/target.ts'
import { carrierLabel } from '../label-makers/carrier.ts'
import { toPng } from '../label-makers/files.ts'
import { shelfLabel } from '../label-makers/shelf.ts'
import { ORDER } from '../labels/orders.ts'

/** A label whose bytes may change only when somebody means it. */
export interface Golden {
  /** File name of a small label, key of a large one. */
  readonly name: string
  readonly bytes: Uint8Array
  /** The printer that it is for. */
  readonly target: Target & { readonly language: LanguageName }
}

const TURNS = [0, 90, 180, 270] as const

/** Small labels, whose bytes are kept: every language, the four turns, and darkness and speed once. */
export function smallLabels(): Promise<readonly Golden[]> {
  const file = toPng(shelfLabel())
  const labels = languageNames.flatMap((language) => [
    ...TURNS.map((rotate) => make(`shelf-${rotate}`, file, stockOf(language, 2, 1, 203, rotate))),
    make('shelf-dark-fast', file, {
      ...stockOf(language, 2, 1, 203, 0),
      darkness: 70,
      speed: 4,
    }),
  ])
  return Promise.all(labels)
}

/** Labels of 4x6 inches, of which the digests are kept: every language, the four turns, and 300 dpi upright. */
export function largeLabels(): Promise<readonly Golden[]> {
  const at203 = toPng(carrierLabel())
  const at300 = toPng(carrierLabel({ width: 1200, height: 1800 }))
  const labels = languageNames.flatMap((language) => [
    ...TURNS.map((rotate) =>
      make(`carrier-203-${rotate}`, at203, stockOf(language, 4, 6, 203, rotate)),
    ),
    make('carrier-300-0', at300, stockOf(language, 4, 6, 300, 0)),
  ])
  return Promise.all(labels)
}

/** A pack list on stock of each kind of layout, and once at 300 dpi: drawn, as TSPL has no font for it; the dots are of its first page. */
export function packLists(): Promise<readonly Golden[]> {
  const stocks = [
    [4, 6, 203],
    [4, 3, 203],
    [2, 1.5, 203],
    [4, 6, 300],
  ] as const
  const lists = stocks.map(async ([width, height, dpi]) => {
    const target = stockOf('tspl', width, height, dpi, 0)
    const { bytes } = await renderPackList(checkPackList(ORDER), target)
    return { name: `pack-list-${width}x${height}-${dpi}.${target.language}`, bytes, target }
  })
  return Promise.all(lists)
}

/** SHA-256, in hexadecimal digits. */
export function hash(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

async function make(
  name: string,
  file: Uint8Array,
  target: Target & { language: LanguageName },
): Promise<Golden> {
  const { bytes } = await renderPicture(file, 'png', target)
  return { name: `${name}.${target.language}`, bytes, target }
}

/** Stock that stands when the turned picture stands. */
function stockOf(
  language: LanguageName,
  width: number,
  height: number,
  dpi: number,
  rotate: (typeof TURNS)[number],
): Target & { language: LanguageName } {
  const isTurned = rotate === 90 || rotate === 270
  return {
    language,
    dpi,
    labelWidth: isTurned ? height : width,
    labelHeight: isTurned ? width : height,
    pictureDpi: undefined,
    startingPointX: 0,
    startingPointY: 0,
    rotate,
    darkness: undefined,
    speed: undefined,
    z64: false,
  }
}
