import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

/**
 * Lists the signals that end the program in good order. On Windows a closed console window and Ctrl+Break come as signals of their own;
 * elsewhere SIGHUP keeps its meaning, which `nohup` relies on.
 * Decision `v8-limits`.
 */
export function listStopSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']
}

/** Exit codes by failure code; the numbers are those of sysexits.h. Any other failure ends with 1. */
export const EXIT_CODES: Readonly<Record<string, number>> = {
  CONFIG_BROKEN: 78, // EX_CONFIG; systemd must not try again
  STATE_UNWRITABLE: 73, // EX_CANTCREAT
  PORT_TAKEN: 75, // EX_TEMPFAIL: the port may become free
}

/** Exit code of a wrong command line, EX_USAGE of sysexits.h. */
export const EXIT_USAGE = 64

/**
 * Gives what sets the time zone of all that this thread tells in local time, from now on; undefined brings back the zone that the
 * program was started in. Node.js looks at TZ again whenever it is assigned, and brings the table of zones along.
 */
export function holdTimeZone(): (zone: string | undefined) => void {
  const own = process.env['TZ']
  return (zone = own) => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
}

/** These variables of the environment, where they are set. */
export function pickEnvironment(names: readonly string[]): Readonly<Record<string, string>> {
  const set = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(set)
}

/** Context that decides where files lie; what is left out is as the process has it. */
interface ProcessContext {
  readonly env: NodeJS.ProcessEnv
  readonly platform?: NodeJS.Platform
  readonly home?: string
  readonly cwd?: string
}

/** Finds config.json: the flag, `$PLATEN_CONFIG`, `./config.json` if there, else the platform's folder. Absolute. */
export function findConfigFile(flag: string | undefined, around: ProcessContext): string {
  const { resolve } = pathsOf(around)
  return findConfigHere(flag, around) ?? resolve(findHomeFolder('config', around), 'config.json')
}

/** Finds config.json for a service: what a service, which starts elsewhere and with another environment, finds only when it is told. */
export function findConfigHere(
  flag: string | undefined,
  around: ProcessContext,
): string | undefined {
  const { env, cwd = process.cwd() } = around
  const { resolve } = pathsOf(around)
  const named = flag ?? env['PLATEN_CONFIG']
  if (named) return resolve(cwd, named)
  const here = resolve(cwd, 'config.json')
  return existsSync(here) ? here : undefined
}

/** Finds the folder of the spool, certificates and virtual printers: `$STATE_DIRECTORY` of systemd, else the platform's folder. */
export function findStateFolder(around: ProcessContext): string {
  const { env, platform = process.platform } = around
  const all = env['STATE_DIRECTORY']
  // systemd.exec(5): several are joined by colons. Windows has no systemd, and a colon behind each drive.
  const given = platform === 'win32' ? all : all?.split(':')[0]
  return given || findHomeFolder('state', around)
}

function pathsOf({
  platform = process.platform,
}: Pick<ProcessContext, 'platform'>): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix
}

/** The platform's folder for one program; Linux: XDG Base Directory Specification, which wants absolute paths. */
function findHomeFolder(kind: 'config' | 'state', around: ProcessContext): string {
  const { env, platform = process.platform, home = homedir() } = around
  const { join, isAbsolute } = pathsOf(around)
  const choose = (name: string, ...otherwise: readonly string[]) => {
    const value = env[name]
    return join(value && isAbsolute(value) ? value : join(home, ...otherwise), 'platen')
  }
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'platen')
  if (platform === 'win32') {
    return kind === 'config'
      ? choose('APPDATA', 'AppData', 'Roaming')
      : choose('LOCALAPPDATA', 'AppData', 'Local')
  }
  return kind === 'config'
    ? choose('XDG_CONFIG_HOME', '.config')
    : choose('XDG_STATE_HOME', '.local', 'state')
}

const HERE = import.meta.url

/**
 * Finds a program of its own, e.g. `labels/worker`: beside the sources, or in the bundle, where this module may
 * have become part of any file at the top.
 */
export function findEntry(name: string): URL {
  return HERE.endsWith('.ts') ? new URL(`../${name}.ts`, HERE) : new URL(`./${name}.js`, HERE)
}

/** The folder of the page, absolute URL: beside `src/`, or inside the bundle. */
export function findWebFolder(): URL {
  return HERE.endsWith('.ts') ? new URL('../../web/', HERE) : new URL('./web/', HERE)
}

/** PDFium as WebAssembly: in its package, or at the top of the bundle. */
export function findPdfium(): URL {
  return HERE.endsWith('.ts')
    ? new URL(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))
    : new URL('./pdfium.wasm', HERE)
}

/** Between two looks; nothing may have happened in between. */
const LOOK_MS = 15_000

/** Fewer steps of labels leave too little for a pause of some 50 ms. */
const STEPS_LEAST = 1_000

/** So many steps between two looks are a flood. */
const FLOOD_STEPS = 500

/** Between two looks at how much room there is for new objects, while it grows: V8 doubles it at once. */
const ROOM_STEPS = 8

/** Both halves of the young generation, which else stays at 2 MB. */
const ROOM_BYTES = 8 * 2 ** 20

/** Care of V8's memory. */
interface HeapCare {
  /** Gives all back that nobody holds. */
  collect(): void
  /** Lets the room for new objects grow; false when it is large enough and stays so. */
  grow(): boolean
}

/**
 * Has V8 look for garbage once after many labels. It looks only when it wants memory, which a server that has become idle
 * never does: 50 MB of labels and sockets that are long gone stayed with it. Never while labels are under way. In a flood it
 * gets more room for new objects: what waits for its commit would else be taken for old, and 40 MB of it heap up.
 */
export class IdleHeap {
  readonly #care: HeapCare
  #steps = 0
  /** Since the last look. */
  #fresh = 0
  /** The collection since which the young generation has its room; the next one takes it back. */
  #roomSince: number | undefined
  #isQuiet = false

  constructor(care: HeapCare = { collect: collectGarbage, grow: growRoom }) {
    this.#care = care
  }

  /** Once the server listens: looks from time to time; keeps no program alive. */
  start(): void {
    settleHeap()
    setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** A label came, or moved on. */
  note(): void {
    this.#steps += 1
    this.#fresh += 1
    this.#isQuiet = false
    const isFlood = this.#fresh >= FLOOD_STEPS && this.#fresh % ROOM_STEPS === 0
    if (isFlood && this.#roomSince !== collections && !this.#care.grow())
      this.#roomSince = collections
  }

  /** Collects when there was no step since the last look, and were many before it. */
  look(): void {
    if (this.#isQuiet && this.#steps >= STEPS_LEAST) {
      this.#steps = 0
      this.#roomSince = undefined
      this.#care.collect()
    }
    this.#fresh = 0
    this.#isQuiet = true
  }
}

/** Time by which what was loaded has done its first work; on a small board too, as the time begins when the server listens. */
const SETTLED_MS = 1_000

/**
 * Modules of Node.js that labels need and a start does not: the bundle loads them when they are used (packaging/bundle.js), and here
 * they are loaded while their compiled code still counts.
 */
const NEEDED_BY_LABELS = [
  'crypto',
  'fs/promises',
  'timers/promises',
  'dns/promises',
  'zlib',
  'worker_threads',
  'child_process',
] as const

function loadModules(names: readonly string[]): void {
  for (const name of names) process.getBuiltinModule(name)
}

let settling: NodeJS.Timeout | undefined

/**
 * Gives back what loading left behind, a second from now, and holds V8 to a box's measure from then on (docs/decisions, 384).
 * Not before: with its flags changed V8 throws away the compiled code that Node brings for its own modules.
 */
export function settleHeap(): void {
  clearTimeout(settling)
  settling = setTimeout(() => {
    loadModules(NEEDED_BY_LABELS)
    collectGarbage()
    boundHeap(true)
  }, SETTLED_MS).unref()
}

/** Loads a large part of the program with the compiled code that Node brings for its own modules. */
export async function loadLate<Part>(load: () => Promise<Part>): Promise<Part> {
  const holdBounds = liftBounds()
  try {
    const part = await load()
    loadModules([...NEEDED_BY_LABELS, 'https'])
    return part
  } finally {
    holdBounds()
    settleHeap()
  }
}

/** Lifts the bounds for a thread that starts: 25 ms instead of 45. Gives what holds V8 to its measure again, once. */
export function liftBounds(): () => void {
  let wasSmall = isSmall
  if (wasSmall) boundHeap(false)
  return () => {
    if (wasSmall) boundHeap(true)
    wasSmall = false
  }
}

let isSmall = false

/**
 * V8's own bounds are for a PC: under load it takes 128 MB for new objects, and the memory of its middle compiler stays with the
 * program. Neither makes labels quicker.
 */
function boundHeap(small: boolean): void {
  isSmall = small
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString(`--semi-space-growth-factor=${small ? 1 : 2}`)
  setFlagsFromString(small ? '--no-maglev' : '--maglev')
}

/** So far. */
let collections = 0

/** All that can be collected, the room for new objects too; V8 gives the pages back to the system some seconds later. */
export function collectGarbage(): void {
  collections += 1
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  // The only way to it in a program that was started without the flag: contexts made from now on have it.
  setFlagsFromString('--expose-gc')
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as (
    options: object,
  ) => void
  setFlagsFromString('--no-expose-gc')
  // Other flavors leave the young generation as large as it has grown.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Lets the young generation grow until it has its room. False when it has. */
function growRoom(): boolean {
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8')
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  const grows = (young?.space_size ?? ROOM_BYTES) < ROOM_BYTES
  setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`)
  return grows
}

/** Version of this program, as `GET /info` and `--version` say it. */
export const version: string = manifest.version
