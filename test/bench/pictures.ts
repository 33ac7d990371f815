import sharp from 'sharp'
import { renderPicture } from '../../src/labels/render.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { fromRaster, type Gray } from '../label-makers/gray.ts'
import { heavyLabel } from '../label-makers/heavy.ts'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { upsLabel } from '../label-makers/ups.ts'
import { BARCODE_CASES, isReadable, loadReader } from '../labels/barcodes.ts'
import { makeTarget } from '../labels/make-target.ts'
import { benchProcesses } from './picture-process.ts'
import { makeLabels } from './picture-set.ts'
import { benchWarm } from './picture-warm.ts'
import type { Row } from './row.ts'

const CANVAS = { width: 812, height: 1218 }
const STOCK = { ...CANVAS, dpi: 203 }
/** Unread codes of 240, as with the area average and a threshold when it was chosen (229 read). */
const UNREAD_GOAL = 11

const TARGET = makeTarget()

/** Picture to printer bytes: warm and as whole processes beside the peers, the bytes made, the bar codes read. */
export async function* benchPictures(): AsyncGenerator<Row> {
  const labels = await makeLabels()
  for (const input of labels) yield* await benchWarm(input)
  yield* benchProcesses(labels)
  yield* await benchBytes()
  yield await benchBarcodes()
}

async function benchBytes(): Promise<readonly Row[]> {
  return [
    ...(await benchBytesOf('label as dense as the targets', heavyLabel())),
    ...(await benchBytesOf('UPS-like label', fromRaster(await renderZpl(upsLikeZpl, STOCK)))),
    ...(await benchBytesOf('UPS-like label with small print', await upsLabel())),
  ]
}

async function benchBytesOf(name: string, { luma, width, height }: Gray): Promise<readonly Row[]> {
  const label = await sharp(Buffer.from(luma), { raw: { width, height, channels: 1 } })
    .toColorspace('b-w')
    .png()
    .toBuffer()
  const hex = CANVAS.height * Math.ceil(CANVAS.width / 8) * 2
  const runs = await renderPicture(label, 'png', TARGET)
  const z64 = await renderPicture(label, 'png', { ...TARGET, z64: true })
  const row = (way: string, ours: number, goal: number): Row => {
    const what = `${name}, bytes to the printer, ${way}`
    return { what, ours, goal, peer: hex, peerName: 'plain hex' }
  }
  return [row('run lengths', runs.bytes.length, 40_500), row('Z64', z64.bytes.length, 12_700)]
}

async function benchBarcodes(): Promise<Row> {
  await loadReader()
  let unread = 0
  for (const one of BARCODE_CASES) if (!(await isReadable(one))) unread++
  return {
    what: `bar codes unread of ${BARCODE_CASES.length}, 10 scales`,
    ours: unread,
    goal: UNREAD_GOAL,
    peer: UNREAD_GOAL,
    peerName: 'area average of the prototype',
  }
}
