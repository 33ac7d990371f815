import { findLabels } from '../../../../src/labels/pages/layout.ts'
import type { Box } from '../../../../src/labels/plane.ts'
import { createGray, fillBox, type Gray } from '../../../label-makers/gray.ts'
import { Dice, testHistories } from '../../../simulator/history.ts'

// Dots at 100 dpi.
const PAGES = [
  [850, 1_100],
  [827, 1_169],
] as const
const STOCK = { width: 400, height: 600 }
const GAP_MOST = 30

/** Letters as dots look: nothing in them is a bar. */
function drawText(page: Gray, { x, y, width, height }: Box, dice: Dice): void {
  for (let top = y; top + 8 <= y + height; top += 13 + dice.below(4)) {
    const end = x + Math.round(width * (0.4 + 0.6 * dice.random()))
    for (let at = x; at < end - 4; at += dice.chance(0.2) ? 9 : 4) {
      fillBox(page, at, top + dice.below(4), 2, 4)
    }
  }
}

function drawBars(page: Gray, { x, y, width, height }: Box, dice: Dice): void {
  for (let at = x; at < x + width - 3; at += 2 + dice.below(4)) {
    fillBox(page, at, y, 1 + dice.below(2), height)
  }
}

/** A frame around one or two columns of bars and text, with lines from side to side. */
function drawLabel(page: Gray, box: Box, dice: Dice): void {
  const { x, y, width, height } = box
  fillBox(page, x, y, width, height)
  fillBox(page, x + 3, y + 3, width - 6, height - 6, 255)
  const columns = 1 + dice.below(2)
  const gap = 6 + dice.below(GAP_MOST)
  const wide = Math.floor((width - 24 - (columns - 1) * gap) / columns)
  for (let n = 0; n < columns; n++) {
    const left = x + 12 + n * (wide + gap)
    drawBars(page, { x: left, y: y + 12, width: Math.min(wide, 200), height: 50 }, dice)
    for (let top = y + 70; top < y + height - 40; ) {
      const part = { x: left, y: top, width: wide, height: 30 + dice.below(120) }
      part.height = Math.min(part.height, y + height - 12 - top)
      if (dice.chance(0.5)) drawText(page, part, dice)
      else drawBars(page, { ...part, width: Math.min(wide, 120 + dice.below(200)) }, dice)
      top += part.height + 4 + dice.below(16)
      const isInside = top < y + height - 6
      if (isInside && dice.chance(0.4)) fillBox(page, x, top - 3, width, 1 + dice.below(3))
    }
  }
}

/** A page of paper that lies or stands, and its halves or quarters, each within its margin. */
function layOut(dice: Dice): {
  page: Gray
  cells: readonly Box[]
  isSheet: boolean
  lies: boolean
} {
  const [short, long] = PAGES[dice.below(PAGES.length)] ?? PAGES[0]
  const lies = dice.chance(0.5)
  const page = lies ? createGray(long, short) : createGray(short, long)
  const isSheet = dice.chance(0.25)
  // Quarters that are much narrower than the stock are not taken for labels.
  const margin = 15 + dice.below(isSheet ? 25 : 35)
  const cells = cellsOf(page, isSheet ? [2, 2] : lies ? [2, 1] : [1, 2], margin)
  return { page, cells, isSheet, lies }
}

/** A label in one half, in both, or in each quarter; text or nothing in a half without one. */
function drawPage(dice: Dice): { page: Gray; labels: readonly Box[]; what: string } {
  const { page, cells, isSheet, lies } = layOut(dice)
  const isAlone = !isSheet && dice.chance(0.5)
  const labels = isAlone ? [cells[dice.below(2)] as Box] : cells
  if (!isSheet && dice.chance(0.3)) drawCutLine(page, lies)
  for (const box of cells) {
    if (labels.includes(box)) drawLabel(page, box, dice)
    else if (dice.chance(0.6)) drawText(page, box, dice)
  }
  return { page, labels, what: `${page.width}x${page.height}, ${JSON.stringify(labels)}` }
}

/** Row by row, each within its margin. */
function cellsOf(page: Gray, [columns, rows]: readonly [number, number], margin: number): Box[] {
  const [wide, high] = [Math.floor(page.width / columns), Math.floor(page.height / rows)]
  return Array.from({ length: columns * rows }, (_, n) => ({
    x: (n % columns) * wide + margin,
    y: Math.floor(n / columns) * high + margin,
    width: wide - 2 * margin,
    height: high - 2 * margin,
  }))
}

function drawCutLine(page: Gray, lies: boolean): void {
  const length = lies ? page.height : page.width
  for (let n = 0; n < length; n += 12) {
    if (lies) fillBox(page, page.width >> 1, n, 1, 8)
    else fillBox(page, n, page.height >> 1, 8, 1)
  }
}

/** Each label of a page is printed as one, whole and alone. */
function play(_folder: string, seed: number) {
  const { page, labels, what } = drawPage(new Dice(seed))
  const found = findLabels(page, STOCK).map(({ box }) => box)
  const isFound = (label: Box): boolean =>
    found.some((box) =>
      (['x', 'y', 'width', 'height'] as const).every((key) => box[key] === label[key]),
    )
  const faults = labels.filter((label) => !isFound(label)).map((box) => JSON.stringify(box))
  if (found.length !== labels.length) faults.push(`${found.length} instead of ${labels.length}`)
  return Promise.resolve({ seed, faults, lines: [what, `found ${JSON.stringify(found)}`] })
}

testHistories('pages with framed labels', 'test/labels/codecs/pdf/page-histories.test.ts', () =>
  Promise.resolve(play),
)
