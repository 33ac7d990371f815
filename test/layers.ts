// Checks that the folders of src/ import each other only as the table "Layers" in docs/architecture.md says: a folder imports what
// its row names, and of Node's modules what its row names if it names any; a library with an alias (#labels) is entered by its
// index.ts alone; and no folders import each other in a circle, at whatever depth. Types count as much as values. And that core and
// http declare nothing with the name of a plugin in its own.
//   usage: node test/layers.ts [--prune] [--report]
// test/layers.json lists what is not so yet: "src/a/b.ts -> src/c/d.ts" or "src/a/ -> src/c/". --prune removes what of it is no
// longer needed. --report prints which names of types are declared in several files.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const TABLE = 'docs/architecture.md'
const LIST = 'test/layers.json'

/** A row of the table: a folder, or a file that has a row of its own. Decision `layers-table`. */
interface Layer {
  readonly path: string
  /** Its place in the table, from above. */
  readonly row: number
  /** `#labels`: the only way into a library. */
  readonly alias: string | undefined
  readonly imports: readonly string[]
  /** Names of Node's modules; empty = all. */
  readonly modules: readonly string[]
}

/** An import between two files, or of one of Node's modules. */
interface Import {
  readonly from: string
  readonly to: string
  readonly specifier: string
}

/** The files and the table to check. */
interface House {
  /** The text of each file of src/, by its path. */
  readonly files: ReadonlyMap<string, string>
  /** The markdown that holds the table. */
  readonly table: string
  readonly exceptions: readonly string[]
}

/** Checks a house. Each fault is a sentence that says what to do; `needed` are the exceptions without which there were more. */
export function checkHouse({ files, table, exceptions }: House): {
  readonly faults: readonly string[]
  readonly needed: readonly string[]
} {
  const layers = readLayers(table, [...files.keys()])
  const needed = new Set<string>()
  const isExcepted = ({ from, to }: Import): boolean => {
    const exception = exceptions.find((line) => {
      const [a = '', b = ''] = line.split(' -> ')
      return covers(a, from) && covers(b, to)
    })
    if (exception !== undefined) needed.add(exception)
    return exception !== undefined
  }
  const faults = [...checkRows(layers, [...files.keys()]), ...checkNames(files)]
  const good: Import[] = []
  for (const [path, text] of files) {
    for (const one of listImports(path, text, layers)) {
      const fault = checkImport(one, layers)
      if (fault === undefined) good.push(one)
      else if (!isExcepted(one)) faults.push(fault)
    }
  }
  const circular = new Set(findCircles(good).flatMap(({ imports }) => imports))
  const rest = good.filter((one) => !(circular.has(one) && isExcepted(one)))
  faults.push(...findCircles(rest).map(tellCircle))
  const unneeded = exceptions.filter((line) => !needed.has(line))
  faults.push(
    ...unneeded.map(
      (line) =>
        `${LIST} has "${line}", which is not needed any more: run "node test/layers.ts --prune".`,
    ),
  )
  return { faults, needed: [...needed].sort() }
}

/**
 * The rows of the table, those of longer paths first. A row with a star stands for each folder that has none of its own, and an
 * import with a star for each folder there.
 */
function readLayers(table: string, files: readonly string[]): readonly Layer[] {
  const lines = table.matchAll(/^\| `(src\/[^`]*)`(?: as `(#[^`]+)`)? \|([^|]*)\|([^|]*)\|/gm)
  const rows = [...lines].map(([, path = '', alias, imports = '', modules = ''], row) => ({
    path,
    row,
    alias,
    imports: listQuoted(imports).flatMap((name) => expandStar(`src/${name}`, files)),
    modules: listQuoted(modules),
  }))
  const own = new Set(rows.map(({ path }) => path))
  const layers = rows.flatMap((row) => {
    if (!row.path.endsWith('/*/')) return row
    return expandStar(row.path.slice(0, -1), files)
      .map((folder) => ({ ...row, path: `${folder}/` }))
      .filter(({ path }) => !own.has(path))
  })
  return layers.sort((a, b) => b.path.length - a.path.length)
}

/** Lists the folders that `src/plugins/*` stands for; of a path without a star, the path itself. */
function expandStar(path: string, files: readonly string[]): readonly string[] {
  if (!path.endsWith('/*')) return [path]
  const above = path.slice(0, -1)
  const below = files.filter((file) => file.startsWith(above))
  const folders = below.flatMap((file) => {
    const [name = '', ...more] = file.slice(above.length).split('/')
    return more.length > 0 ? [above + name] : []
  })
  return [...new Set(folders)]
}

function listQuoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

/** True of a file and of what lies in a folder, with or without a slash at its end. */
function covers(path: string, file: string): boolean {
  return file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** Each folder of src/ has a row, each row a folder, and rows import what stands below them. */
function checkRows(layers: readonly Layer[], files: readonly string[]): string[] {
  const missing = files.filter((file) => !layers.some(({ path }) => covers(path, file)))
  const tops = new Set(missing.map((file) => file.split('/').slice(0, 2).join('/')))
  const empty = layers.filter(({ path }) => !files.some((file) => covers(path, file)))
  return [
    ...[...tops].map(
      (top) =>
        `${top} has no row in ${TABLE}, "Layers": move it to a folder that has one, or write there what it may import.`,
    ),
    ...empty.map(
      ({ path }) => `${path} has a row in ${TABLE}, "Layers", and is not there: remove the row.`,
    ),
    ...layers.flatMap(({ path, row, imports }) =>
      imports
        .filter((name) => isAbove(name, row, layers))
        .map(
          (name) =>
            `In ${TABLE}, "Layers", ${path} imports ${name}, whose row is above its own: imports point down.`,
        ),
    ),
  ]
}

/** True of a folder whose row stands above; of one that has none, if that of a folder in it does. */
function isAbove(name: string, row: number, layers: readonly Layer[]): boolean {
  const own = layers.filter(({ path }) => path === name || path === `${name}/`)
  const meant = own.length > 0 ? own : layers.filter(({ path }) => covers(name, path))
  return meant.some((other) => other.row < row)
}

const IMPORT =
  /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|\bnew URL\(\s*'(\.[^']+)',\s*import\.meta\.url/gm

/** The imports of a file, those of types and those made later as well, and the workers and children that it starts. */
function listImports(path: string, text: string, layers: readonly Layer[]): readonly Import[] {
  const specifiers = [...text.matchAll(IMPORT)].map(
    ([, at = '', later = '', started = '']) => at || later || started,
  )
  return specifiers.flatMap((specifier) => {
    const to = resolve(path, specifier, layers)
    return to === undefined ? [] : { from: path, to, specifier }
  })
}

/** The file, or the module of Node; undefined for packages and for what lies outside of src/. */
function resolve(path: string, specifier: string, layers: readonly Layer[]): string | undefined {
  if (specifier.startsWith('node:')) return specifier
  const library = layers.find(({ alias }) => alias === specifier)
  const file =
    library === undefined ? posix.join(posix.dirname(path), specifier) : `${library.path}index.ts`
  const isOurs = specifier.startsWith('.') || library !== undefined
  return isOurs && file.startsWith('src/') ? file : undefined
}

/** Finds the fault of an import, if there is one. */
function checkImport(one: Import, layers: readonly Layer[]): string | undefined {
  const { from, to, specifier } = one
  const layer = layers.find(({ path }) => covers(path, from))
  if (layer === undefined) return undefined // told of by its folder
  const { path, imports, modules } = layer
  if (to.startsWith('node:')) {
    const isIn = modules.length === 0 || modules.includes(to.slice('node:'.length))
    return isIn
      ? undefined
      : `${from} imports ${to}, but ${path} uses ${modules.join(', ')} of Node only: let the caller do what needs it.`
  }
  const library = layers.find(
    (other) => other.alias !== undefined && covers(other.path, to) && !covers(other.path, from),
  )
  if (!mayImport(from, to, layer)) {
    const names = imports.map((name) => name.slice('src/'.length)).join(', ')
    return `${from} imports ${to}, but ${path} may import ${names === '' ? 'nothing else of src/' : `only ${names}`}. Take what you need as an argument, or move it to where both may import it from.`
  }
  if (library !== undefined && specifier !== library.alias) {
    return `${from} imports ${to} by its path. Import from '${library.alias}'; what is not there yet, ${library.path}index.ts can export.`
  }
  return undefined
}

/** A folder's own files serve all that lies below them. */
function mayImport(from: string, to: string, { path, imports }: Layer): boolean {
  const home = posix.dirname(to)
  return (
    covers(path, to) ||
    (home !== 'src' && covers(home, from)) ||
    imports.some((name) => covers(name, to))
  )
}

/** Folders, or folders and files, that lie side by side and import each other. */
interface Circle {
  readonly folder: string
  readonly members: readonly string[]
  readonly imports: readonly Import[]
}

/** The circles of a folder's members, for every folder. Those of files alone are Biome's noImportCycles. */
function findCircles(imports: readonly Import[]): readonly Circle[] {
  const levels = new Map<string, Import[]>()
  for (const one of imports) {
    const folder = sharedFolder(one)
    if (folder === undefined) continue
    const level = levels.get(folder)
    if (level === undefined) levels.set(folder, [one])
    else level.push(one)
  }
  return [...levels].flatMap(([folder, level]) => findCirclesIn(folder, level))
}

function sharedFolder({ from, to }: Import): string | undefined {
  if (to.startsWith('node:')) return undefined
  let folder = posix.dirname(from)
  while (!covers(folder, to)) folder = posix.dirname(folder)
  return folder
}

function findCirclesIn(folder: string, level: readonly Import[]): readonly Circle[] {
  const memberOf = (file: string): string => file.slice(folder.length + 1).split('/', 1)[0] ?? ''
  const next = new Map<string, Set<string>>()
  for (const { from, to } of level) {
    const there = next.get(memberOf(from)) ?? new Set()
    next.set(memberOf(from), there.add(memberOf(to)))
  }
  const reached = new Map([...next.keys()].map((member) => [member, reach(member, next)]))
  const circles: Circle[] = []
  const told = new Set<string>()
  for (const [member, there] of reached) {
    const members = [...there].filter((other) => reached.get(other)?.has(member)).sort()
    if (told.has(member) || !members.some((name) => !name.endsWith('.ts'))) continue
    for (const name of members) told.add(name)
    const isWithin = (file: string): boolean => members.includes(memberOf(file))
    circles.push({
      folder,
      members,
      imports: level.filter(
        ({ from, to }) => memberOf(from) !== memberOf(to) && isWithin(from) && isWithin(to),
      ),
    })
  }
  return circles
}

/** All that can be reached from a member by one step or more. */
function reach(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [start]
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    for (const other of next.get(member) ?? []) {
      if (found.has(other)) continue
      found.add(other)
      open.push(other)
    }
  }
  return found
}

function tellCircle({ folder, members, imports }: Circle): string {
  const lines = imports.map(({ from, to }) => `  ${from} -> ${to}`)
  return `In ${folder}/ these import each other in a circle: ${members.join(', ')}. Move what two of them need to a third, or hand it over as an argument.\n${lines.join('\n')}`
}

/** Words of the core itself: a label in a printer's language, the end of a job, where it came from. */
const COMMON_WORDS = ['raw', 'results', 'source']

const DECLARED =
  /^ *(?:export |abstract |async )*(?:interface|class|type|function|const|let) (\w+)|^ +(?:readonly |static |async )*#?(\w+)\??[:(<]/gm

/** The core and http know no plugin by its name. */
function checkNames(files: ReadonlyMap<string, string>): readonly string[] {
  const folders = [...files.keys()].map((path) => path.split('/'))
  const plugins = folders.flatMap(([, top, name = '', file]) =>
    top === 'plugins' && file !== undefined && !COMMON_WORDS.includes(name) ? name : [],
  )
  const faults: string[] = []
  for (const [path, text] of files) {
    if (!covers('src/core', path) && !covers('src/http', path)) continue
    const names = [...text.matchAll(DECLARED)].map(([, declared, member]) => declared ?? member)
    for (const plugin of new Set(plugins)) {
      const found = [path, ...names].find((name = '') => hasWords(name, plugin))
      if (found === undefined) continue
      faults.push(
        `${path} names the plugin ${plugin} (${found}): have the plugin bring what is its own, or say what it is to all.`,
      )
    }
  }
  return faults
}

/** True of `printnodeName`, PRINTNODE_NAME and printnode-name.ts for printnode. */
function hasWords(name: string, words: string): boolean {
  const split = (text: string): string =>
    ` ${text
      .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
      .join(' ')
      .toLowerCase()} `
  return split(name).includes(split(words))
}

/** Names of types that are declared in several files, with these files. */
function listSharedNames(files: ReadonlyMap<string, string>): {
  readonly all: number
  readonly shared: ReadonlyMap<string, readonly string[]>
} {
  const places = new Map<string, Set<string>>()
  for (const [path, text] of files) {
    const declared = text.matchAll(/^(?:export )?(?:abstract )?(?:interface|class|type) (\w+)/gm)
    for (const [, name = ''] of declared) {
      places.set(name, (places.get(name) ?? new Set()).add(path))
    }
  }
  const shared = [...places].filter(([, paths]) => paths.size > 1)
  shared.sort(([, a], [, b]) => b.size - a.size)
  return { all: places.size, shared: new Map(shared.map(([name, paths]) => [name, [...paths]])) }
}

function readHouse(): House {
  const paths = globSync('src/**/*.ts', { cwd: ROOT }).sort()
  return {
    files: new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])),
    table: readFileSync(join(ROOT, TABLE), 'utf8'),
    exceptions: JSON.parse(readFileSync(join(ROOT, LIST), 'utf8')),
  }
}

if (import.meta.main) {
  let house = readHouse()
  if (process.argv.includes('--prune')) {
    house = { ...house, exceptions: checkHouse(house).needed }
    writeFileSync(join(ROOT, LIST), `${JSON.stringify(house.exceptions, null, 2)}\n`)
  }
  if (process.argv.includes('--report')) {
    const { all, shared } = listSharedNames(house.files)
    const percent = ((100 * shared.size) / all).toFixed(1)
    console.log(
      `${shared.size} of ${all} names of types (${percent} %) are declared in several files:`,
    )
    for (const [name, paths] of shared) console.log(`  ${name}: ${paths.join(' ')}`)
    console.log(`${house.exceptions.length} exceptions in ${LIST}`)
  }
  const { faults } = checkHouse(house)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
