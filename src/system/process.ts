import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * What ends the program in good order. On Windows a closed console window and Ctrl+Break come as signals of their own;
 * elsewhere SIGHUP keeps its meaning, which `nohup` relies on.
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
 * program was started in. Node.js looks at TZ anew whenever it is assigned, and brings the table of zones along.
 */
export function holdTimeZone(): (zone: string | undefined) => void {
  const own = process.env['TZ']
  return (zone = own) => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
}

/** What decides where files lie; what is left out is as the process has it. */
interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly platform?: NodeJS.Platform
  readonly home?: string
  readonly cwd?: string
}

/** Where config.json is: the flag, `$PLATEN_CONFIG`, `./config.json` if there, else the platform's folder. Absolute. */
export function findConfigFile(flag: string | undefined, around: Surroundings): string {
  const { env, cwd = process.cwd() } = around
  const { resolve } = pathsOf(around)
  const named = flag ?? env['PLATEN_CONFIG']
  if (named) return resolve(cwd, named)
  const here = resolve(cwd, 'config.json')
  return existsSync(here) ? here : resolve(findHomeFolder('config', around), 'config.json')
}

/** Where the spool, certificates and virtual printers lie: `$STATE_DIRECTORY` of systemd, else the platform's folder. */
export function findStateFolder(around: Surroundings): string {
  const { env, platform = process.platform } = around
  const all = env['STATE_DIRECTORY']
  // systemd.exec(5): several are joined by colons. Windows has no systemd, and a colon behind each drive.
  const given = platform === 'win32' ? all : all?.split(':')[0]
  return given || findHomeFolder('state', around)
}

function pathsOf({
  platform = process.platform,
}: Pick<Surroundings, 'platform'>): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix
}

/** The platform's folder for one program; Linux: XDG Base Directory Specification, which wants absolute paths. */
function findHomeFolder(kind: 'config' | 'state', around: Surroundings): string {
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

/**
 * Where a program of its own lies, e.g. `render/worker`: beside the sources, or in the bundle, where this module may
 * have become part of any file at the top.
 */
export function findEntry(name: string, here: string = import.meta.url): URL {
  return here.endsWith('.ts') ? new URL(`../${name}.ts`, here) : new URL(`./${name}.js`, here)
}

/** The folder of the page, absolute URL: beside `src/`, or inside the bundle. */
export function findWebFolder(here: string = import.meta.url): URL {
  return here.endsWith('.ts') ? new URL('../../web/', here) : new URL('./web/', here)
}

/** PDFium as WebAssembly: in its package, or at the top of the bundle. */
export function findPdfium(here: string = import.meta.url): URL {
  return here.endsWith('.ts')
    ? new URL(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))
    : new URL('./pdfium.wasm', here)
}
