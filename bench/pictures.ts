import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import sharp from 'sharp'
import { renderPicture } from '../src/render/render.ts'
import type { Gray } from '../test/labels/gray.ts'
import { heavyLabel } from '../test/labels/heavy.ts'
import { upsLabel } from '../test/labels/ups.ts'
import { BARCODE_CASES, isReadable, loadReader } from '../test/render/barcodes.ts'
import { makeTarget } from '../test/render/make-target.ts'
import { ways } from './peers.js'
import { type Input, makeLabels } from './picture-set.ts'
import { median } from './process.ts'
import type { Row } from './row.ts'

const CANVAS = { width: 812, height: 1218 }
const ROUNDS = 15
const PHOTO_ROUNDS = 3 // jimp takes 3 s each
const PROCESS_ROUNDS = 5
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
  for (const input of labels) rows.push(...(await benchWarm(input)))
  // The thread's work in a program of its own, bundled as the thread is: peers are not charged for a thread either.
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  await build({ ...BUNDLE, outdir: folder })
  process.env['RENDERER'] = join(folder, 'answer.mjs')
  for (const input of labels) rows.push(...benchProcess(input))
  rmSync(folder, { recursive: true })
  return [...rows, ...(await benchBytes()), await benchBarcodes()]
}

const NODE_PEERS = ['sharp', 'jimp', 'zpl-image'] as const

/** In this process, interleaved; rounds that do not count come first. */
async function benchWarm(input: Input): Promise<Row[]> {
  const { bytes, format, name } = input
  const runs = new Map<string, () => Promise<unknown>>([
    ['ours', () => renderPicture(bytes, format, TARGET)],
    ...NODE_PEERS.map((peer) => [peer, () => ways[peer](bytes, format)] as const),
  ])
  const rounds = isPhoto(input) ? PHOTO_ROUNDS : ROUNDS
  const times = new Map([...runs.keys()].map((who) => [who, [] as number[]]))
  for (let round = -rounds; round < rounds; round++) {
    for (const [who, run] of runs) {
      const began = performance.now()
      await run()
      if (round >= 0) times.get(who)?.push(performance.now() - began)
    }
  }
  const of = (who: string): number => median(times.get(who) ?? [])
  const goal = GOALS[name] ?? of('sharp') * PHOTO_SHARE
  const what = `${name}, warm, ms`
  return NODE_PEERS.map((peer) => ({
    what,
    ours: of('ours'),
    peer: of(peer),
    peerName: peer,
    goal,
  }))
}

const isPhoto = ({ name }: Input): boolean => name.startsWith('photo')

/** From start to exit of a program of its own, and the most memory it held; programs that are not installed are left out. */
function benchProcess(input: Input): Row[] {
  const { name, format, bytes } = input
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  const file = join(folder, `label.${format}`)
  writeFileSync(file, bytes)
  const runs = runInterleaved(['ours', ...NODE_PEERS, ...findCommands()], file)
  rmSync(folder, { recursive: true })
  const ours = runs.get('ours')
  if (ours === undefined) throw new Error(`${name} cannot be drawn in a process of its own`)
  return [...runs].flatMap(([peer, theirs]) => {
    if (peer === 'ours') return []
    const share = peer === 'sharp' && isPhoto(input) ? PHOTO_SHARE : 1
    const row = (unit: 'ms' | 'mb', goal: number): Row => ({
      what: `${name}, process, ${unit === 'ms' ? 'ms' : 'MB'}`,
      ours: ours[unit],
      peer: theirs[unit],
      peerName: peer,
      goal,
    })
    return [row('ms', theirs.ms * share), ...(theirs.mb > 0 ? [row('mb', theirs.mb)] : [])]
  })
}

/** Medians; MB is 0 of programs that are not Node, which do not say. */
interface Cost {
  readonly ms: number
  readonly mb: number
}

function runInterleaved(who: readonly string[], file: string): ReadonlyMap<string, Cost> {
  const costs = new Map<string, Cost[]>(who.map((one) => [one, []]))
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    for (const [one, list] of costs) {
      const cost = runChild(one, file)
      // A peer that cannot read this kind of picture has no row.
      if (cost === undefined) costs.delete(one)
      else list.push(cost)
    }
  }
  const middle = (list: readonly Cost[]): Cost => ({
    ms: median(list.map(({ ms }) => ms)),
    mb: median(list.map(({ mb }) => mb)),
  })
  return new Map([...costs].map(([one, list]) => [one, middle(list)]))
}

const SIZE = `${CANVAS.width}x${CANVAS.height}!`

/** Programs that end at a bitmap; ImageMagick 6 has another name than 7. */
const COMMANDS: Readonly<Record<string, (file: string) => readonly string[]>> = {
  magick: (file) => [file, '-colorspace', 'gray', '-resize', SIZE, '-monochrome', 'pbm:-'],
  convert: (file) => [file, '-colorspace', 'gray', '-resize', SIZE, '-monochrome', 'pbm:-'],
  gm: (file) => ['convert', file, '-resize', SIZE, '-monochrome', 'pbm:-'],
}

function findCommands(): string[] {
  const found = Object.keys(COMMANDS).filter(
    (command) => spawnSync(command, ['-version']).error === undefined,
  )
  return found.includes('magick') ? found.filter((command) => command !== 'convert') : found
}

function runChild(who: string, file: string): Cost | undefined {
  const args = COMMANDS[who]?.(file)
  const began = performance.now()
  const { status, stdout } =
    args === undefined
      ? spawnSync(process.execPath, ['bench/one-picture.js', who, file])
      : spawnSync(who, args, { maxBuffer: 2 ** 26 })
  if (status !== 0) return undefined
  return { ms: performance.now() - began, mb: args === undefined ? Number(stdout) : 0 }
}

async function benchBytes(): Promise<readonly Row[]> {
  return [
    ...(await benchBytesOf('label as dense as the targets', heavyLabel())),
    ...(await benchBytesOf('UPS-like label', await upsLabel())),
  ]
}

async function benchBytesOf(name: string, { luma, width, height }: Gray): Promise<readonly Row[]> {
  const label = await sharp(Buffer.from(luma), { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
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
