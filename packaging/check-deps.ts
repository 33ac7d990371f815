// check-deps.ts [FOLDER]: says which packages of the lock file are missing. npm leaves out an optional package whose hash
// is wrong, or that it could not fetch, and says nothing.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Entry {
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optional?: boolean
}

const folder = process.argv[2] ?? '.'
const lock: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(
  readFileSync(join(folder, 'package-lock.json'), 'utf8'),
)

/** Tells whether a list allows a name, as npm reads it: names, or names with a `!` for all others. Decision `dependencies`. */
function fits(list: readonly string[] | undefined, name: string): boolean {
  if (list === undefined || list.includes(name)) return true
  return list.every((each) => each.startsWith('!')) && !list.includes(`!${name}`)
}

function ownLibc(): string {
  if (process.platform !== 'linux') return ''
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

const own = ownLibc()
/** An optional package that names no computer belongs to one for another computer, and is left out with it. */
function isOurs({ os, cpu, libc, optional }: Entry): boolean {
  if (optional && os === undefined && cpu === undefined) return false
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, own)
}

const missing = Object.entries(lock.packages)
  .filter(([path, entry]) => path !== '' && isOurs(entry))
  .map(([path]) => path)
  .filter((path) => !existsSync(join(folder, path, 'package.json')))
if (missing.length > 0) {
  process.stderr.write(
    `npm left out what the lock file names, perhaps because its hash was wrong: ${missing.join(', ')}\n`,
  )
  process.exitCode = 1
}
