import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { CACHE } from '../suite/passed.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The parts of the image besides the server, which has other tests. */
const PARTS = ['image', 'systemd', 'udev', 'packaging', 'test/image']
const MINUTE = 60_000
// A normal CI run ends in less than 40 minutes: make test takes 12 to 20, the image 12 to 16. The limits are not aims: a
// machine that is too slow shall say so in a sentence before CI ends the run at 90. At the very worst they come to
// 35 + 10 + 20 + 2 * 12 = 89.
const LATEST_BEGIN = 35 * MINUTE // after the start of the run
const PACKAGES_LIMIT = 10 * MINUTE // Debian's, to build and boot it with
const BUILD_LIMIT = 20 * MINUTE // 8 on a quiet machine without a cached base
const BOOT_S = 480 // of a boot: 60 on a quiet machine
const SLOW_S = 50 // of the guest's kernel: 12 on a quiet machine; past it times mean nothing
const TEST_LIMIT = 12 * MINUTE // of each file: 6 for both on a quiet machine
const ROOM = 6 * 2 ** 30 // bytes: base, packages, image, the copy that boots
const MEMORY = 3 * 2 ** 30 // bytes: the guest has 512 MB, the build 1 GB
const NETWORK =
  /Failed to fetch|Could not (?:resolve|connect)|Connection (?:timed out|refused)|Hash Sum mismatch|no Debian mirror|E(?:AI_AGAIN|CONNRESET|NOTFOUND|TIMEDOUT|CONNREFUSED)/

/** The steps of the image test. */
export type ImageSteps =
  | { readonly kind: 'skip'; readonly why: string }
  /** The build failed; the end of what it said. */
  | { readonly kind: 'broken'; readonly output: string }
  | {
      readonly kind: 'test'
      /** For the test: where the image lies, and how long a boot may last. */
      readonly env: Readonly<Record<string, string>>
      readonly limitMs: number
      /** Remembers that this state passed. */
      readonly notePass: () => void
    }

/**
 * Builds the image for its test where it changed since the test last passed on this machine: by the trees of git, compared
 * with a list in the cache folder of the user, outside the tree. A machine that cannot build it is told, not failed.
 */
export async function imageSteps(
  testsBegan: number,
  { root = ROOT, cache = CACHE } = {},
): Promise<ImageSteps> {
  const list = join(cache, 'image-passed')
  const state = readState(root)
  if (state !== '' && readList(list).includes(state)) {
    const why = `${PARTS.join(', ')} are as they were when it last passed here (${list})`
    return { kind: 'skip', why }
  }
  const lack = findLack(Date.now() - testsBegan)
  if (lack !== '') return { kind: 'skip', why: lack }
  const installed = await make(['image-packages'], PACKAGES_LIMIT)
  if (installed.kind !== 'done') {
    return { kind: 'skip', why: `its Debian packages did not install: ${lastLine(installed)}` }
  }
  const emulated = await run(join(ROOT, 'image/emulation'), [], MINUTE)
  if (emulated.kind !== 'done') return { kind: 'skip', why: lastLine(emulated) }

  const folder = join(cache, 'image')
  const built = await make(['image-file', `CACHE=${folder}`], BUILD_LIMIT)
  if (built.kind === 'late') {
    return {
      kind: 'skip',
      why: `this machine is too slow: no image after ${BUILD_LIMIT / MINUTE} min`,
    }
  }
  if (built.kind === 'failed') {
    const network = built.output.split('\n').find((line) => NETWORK.test(line))
    return network === undefined
      ? { kind: 'broken', output: built.output.slice(-2500) }
      : { kind: 'skip', why: `its parts could not be fetched: ${network.slice(0, 300)}` }
  }
  return {
    kind: 'test',
    env: {
      IMAGE: join(ROOT, 'packages/platen.img'),
      CACHE: folder,
      BOOT_S: String(BOOT_S),
      SLOW_S: String(SLOW_S),
    },
    limitMs: TEST_LIMIT,
    notePass: () => {
      if (state !== '') writeList(list, [...readList(list).slice(-50), state])
    },
  }
}

/** The state of the folders; '' where no git tells it or files were changed since the last commit. */
export function readState(root: string): string {
  try {
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    if (git('status', '--porcelain', '--', ...PARTS) !== '') return ''
    const trees = git('rev-parse', ...PARTS.map((part) => `HEAD:${part}`))
    return createHash('sha256').update(trees).digest('hex')
  } catch {
    return ''
  }
}

/** Tells why this machine cannot even try; '' when it can. */
function findLack(elapsedMs: number): string {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the image is built on x86-64 Debian, this is ${process.platform} ${process.arch}`
  }
  if (process.getuid?.() !== 0) return 'the image is built by root'
  if (elapsedMs > LATEST_BEGIN) {
    return `this machine is too slow: the other tests took ${Math.round(elapsedMs / MINUTE)} minutes`
  }
  if (totalmem() < MEMORY) return 'the build and the guest need 3 GB of memory'
  for (const folder of [ROOT, tmpdir()]) {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < ROOM) return `${folder} has less than 6 GB free`
  }
  return ''
}

type Outcome =
  | { readonly kind: 'done' | 'failed'; readonly output: string }
  | { readonly kind: 'late'; readonly output: string }

const make = (args: readonly string[], limitMs: number): Promise<Outcome> =>
  run('make', ['--no-print-directory', ...args], limitMs)

/** Runs a command; past the limit everything that it started is killed. */
async function run(command: string, args: readonly string[], limitMs: number): Promise<Outcome> {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, to be killed whole
  })
  let output = ''
  const keep = (text: string): void => {
    output = (output + text).slice(-100_000)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  let isLate = false
  const end = (signal: NodeJS.Signals): void => {
    isLate = true
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {} // it ended by itself just now
  }
  // mmdebstrap unmounts what it mounted when it is asked to end.
  const late = setTimeout(() => end('SIGTERM'), limitMs)
  const later = setTimeout(() => end('SIGKILL'), limitMs + MINUTE)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)
  clearTimeout(later)
  return { kind: isLate ? 'late' : code === 0 ? 'done' : 'failed', output }
}

function lastLine({ output }: Outcome): string {
  return output.trimEnd().split('\n').at(-1)?.slice(0, 300) ?? ''
}

function readList(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n')
  } catch {
    return [] // none passed here yet
  }
}

function writeList(file: string, lines: readonly string[]): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(`${file}.new`, `${lines.join('\n')}\n`)
  renameSync(`${file}.new`, file)
}
