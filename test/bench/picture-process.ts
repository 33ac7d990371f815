import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { findImageCommands, type ImageCommand } from './image-commands.ts'
import { atMost } from './once.ts'
import { type Input, isPhoto, PHOTO_SHARE } from './picture-set.ts'
import { median } from './process.ts'
import { type Contenders, runInTurn } from './rounds.ts'
import type { Row } from './row.ts'

const SIZE = '812x1218!'
const BOUNDS = { rounds: atMost(5), eachMs: 2_500, atLeast: 2 }
const NODE_PEERS = ['sharp', 'jimp', 'zpl-image'] as const

const BUNDLE = {
  entryPoints: ['src/labels/worker.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
} as const satisfies BuildOptions

/**
 * From start to exit of a program of its own, and the most memory that it held, beside packages of npm and other programs.
 * Ours is the thread's work, bundled as the thread is: peers are not charged for a thread either.
 */
export async function* benchProcesses(labels: readonly Input[]): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  try {
    await build({ ...BUNDLE, outdir: folder })
    process.env['RENDERER'] = join(folder, 'worker.mjs')
    const commands = findImageCommands()
    for (const input of labels) yield* await benchProcess(input, folder, commands)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function benchProcess(
  input: Input,
  folder: string,
  commands: readonly ImageCommand[],
): Promise<Row[]> {
  const file = join(folder, `label.${input.format}`)
  writeFileSync(file, input.bytes)
  const peaks = new Map<string, number[]>()
  const node = (who: string): [string, () => boolean] => [
    who,
    () => {
      const mb = runNode(who, file)
      peaks.set(who, [...(peaks.get(who) ?? []), mb])
      return mb > 0
    },
  ]
  const runs: Contenders = new Map<string, () => boolean>([
    ...['ours', ...NODE_PEERS].map(node),
    ...commands.map((one) => [one.name, () => runCommand(one, file)] as const),
  ])
  const spent = await runInTurn(runs, BOUNDS)
  const times = new Map([...spent].map(([who, list]) => [who, list.map(({ ms }) => ms)]))
  const ours = times.get('ours')
  if (ours === undefined) throw new Error(`${input.name} cannot be drawn in a program of its own`)
  return [...times].flatMap(([peer, theirs]) => {
    if (peer === 'ours') return []
    const share = isPhoto(input) ? PHOTO_SHARE : 1
    const row = (unit: string, mine: readonly number[], other: readonly number[], by: number) => ({
      what: `${input.name}, process, ${unit}`,
      ours: median(mine),
      peer: median(other),
      peerName: peer,
      goal: peer === 'sharp' ? median(other) * by : undefined,
    })
    const memory = peaks.get(peer)
    const mb = memory && row('MB', peaks.get('ours') ?? [], memory, 1)
    return [row('ms', ours, theirs, share), ...(mb ? [mb] : [])]
  })
}

/** The most memory that it held, in MB; 0 when it cannot read this kind of picture. */
function runNode(who: string, file: string): number {
  const { status, stdout } = spawnSync(process.execPath, ['test/bench/one-picture.js', who, file])
  return status === 0 ? Number(stdout) : 0
}

function runCommand({ file, args }: ImageCommand, picture: string): boolean {
  return spawnSync(file, args(picture, SIZE), { maxBuffer: 2 ** 26 }).status === 0
}
