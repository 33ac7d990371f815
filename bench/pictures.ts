import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import sharp from 'sharp'
import { renderPicture } from '../src/render/render.ts'
import { BARCODE_CASES, isReadable, loadReader } from '../test/render/barcodes.ts'
import { makeTarget } from '../test/render/make-target.ts'
import { type Input, makeLabels } from './picture-set.ts'
import { median } from './process.ts'
import type { Row } from './row.ts'

const CANVAS = { width: 812, height: 1218 }
const ROUNDS = 15
const PROCESS_ROUNDS = 5
const MIDDLE = 128
/** Of 240, as the area average with a threshold did when it was chosen (229 read). */
const UNREAD_GOAL = 11

const TARGET = makeTarget()

const BUNDLE = {
  entryPoints: ['src/render/answer.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Milliseconds warm, by name; the photo's goal is 1.2 times what sharp takes in the same run. */
const GOALS: Readonly<Record<string, number>> = {
  'grey 812x1218 PNG': 3,
  '1-bit 812x1218 PNG': 2,
  'RGB 812x1218 JPEG': 12,
  'letter page 2550x3300 PNG': 50,
}
const PHOTO_SHARE = 1.2

/** Picture to printer bytes: warm and as whole processes beside sharp with hex, the bytes made, the bar codes read. */
export async function benchPictures(): Promise<readonly Row[]> {
  const labels = await makeLabels()
  const rows: Row[] = []
  for (const input of labels) rows.push(await benchWarm(input))
  // The thread's work in a program of its own, bundled as the thread is: peers are not charged for a thread either.
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  await build({ ...BUNDLE, outdir: folder })
  process.env['RENDERER'] = join(folder, 'answer.mjs')
  for (const input of labels) rows.push(...benchProcess(input))
  rmSync(folder, { recursive: true })
  return [...rows, ...(await benchBytes(labels)), await benchBarcodes()]
}

async function benchWarm(input: Input): Promise<Row> {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const began = performance.now()
    await renderPicture(input.bytes, input.format, TARGET)
    const between = performance.now()
    await toHexBySharp(input.bytes)
    // The first half warms up.
    if (round < ROUNDS) continue
    ours.push(between - began)
    theirs.push(performance.now() - between)
  }
  const peer = median(theirs)
  const goal = GOALS[input.name] ?? peer * PHOTO_SHARE
  return {
    what: `${input.name}, warm, ms`,
    ours: median(ours),
    peer,
    peerName: 'sharp + hex',
    goal,
  }
}

/** What a program does that has sharp and writes ^GFA by hand. */
async function toHexBySharp(bytes: Uint8Array): Promise<string> {
  const grey = await sharp(bytes)
    .flatten({ background: '#fff' })
    .greyscale()
    .resize({ ...CANVAS, fit: 'fill' })
    .raw()
    .toBuffer()
  const bits = Buffer.alloc(Math.ceil(CANVAS.width / 8) * CANVAS.height)
  for (let y = 0, at = 0; y < CANVAS.height; y++) {
    for (let x = 0; x < CANVAS.width; x++) {
      const to = y * Math.ceil(CANVAS.width / 8) + (x >> 3)
      if ((grey[at++] ?? 255) < MIDDLE) bits[to] = (bits[to] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return bits.toString('hex')
}

/** From start to exit of a program of its own, and the most memory it held; peers that are not installed are left out. */
function benchProcess({ name, format, bytes }: Input): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  const file = join(folder, `label.${format}`)
  writeFileSync(file, bytes)
  const rows: Row[] = []
  const ours = runChild('ours', file)
  for (const peer of ['sharp', 'jimp', 'zpl-image', 'magick', 'gm']) {
    const theirs = runChild(peer, file)
    if (ours === undefined || theirs === undefined) continue
    const goal = peer === 'sharp' && name.startsWith('photo') ? theirs.ms * PHOTO_SHARE : theirs.ms
    rows.push({
      what: `${name}, process, ms`,
      ours: ours.ms,
      peer: theirs.ms,
      peerName: peer,
      goal,
    })
    if (theirs.mb > 0) {
      const what = `${name}, process, MB`
      rows.push({ what, ours: ours.mb, peer: theirs.mb, peerName: peer, goal: theirs.mb })
    }
  }
  rmSync(folder, { recursive: true })
  return rows
}

/** Medians; MB is 0 of programs that are not Node, which do not say. Undefined when the program is missing or fails. */
function runChild(who: string, file: string): { ms: number; mb: number } | undefined {
  const times: number[] = []
  const sizes: number[] = []
  const size = `${CANVAS.width}x${CANVAS.height}!`
  const [command, args] = {
    magick: ['magick', [file, '-colorspace', 'gray', '-resize', size, '-monochrome', 'pbm:-']],
    gm: ['gm', ['convert', file, '-resize', size, '-monochrome', 'pbm:-']],
  }[who] ?? [process.execPath, ['bench/one-picture.js', who, file]]
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    const began = performance.now()
    const { status, stdout } = spawnSync(String(command), args as string[], { maxBuffer: 2 ** 26 })
    if (status !== 0) return undefined
    times.push(performance.now() - began)
    sizes.push(command === process.execPath ? Number(stdout) : 0)
  }
  return { ms: median(times), mb: median(sizes) }
}

async function benchBytes([label]: readonly Input[]): Promise<readonly Row[]> {
  if (label === undefined) return []
  const hex = (CANVAS.height * Math.ceil(CANVAS.width / 8) * 2) as number
  const runs = await renderPicture(label.bytes, label.format, TARGET)
  const z64 = await renderPicture(label.bytes, label.format, { ...TARGET, z64: true })
  const row = (what: string, ours: number, goal: number): Row => ({
    what: `carrier label, bytes to the printer, ${what}`,
    ours,
    goal,
    peer: hex,
    peerName: 'plain hex',
  })
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
