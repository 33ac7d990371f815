import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { build, type Metafile } from 'esbuild'

const CODE = /(?<!\.d)\.[cm]?[jt]s$/
/** Files that can change the outcome of every test. */
const BASE = ['package.json', 'package-lock.json', 'packaging/versions.env']
/** Everything that the built program is made of. */
const BUNDLE = [
  'packaging/build.js',
  'packaging/launcher/platen.js',
  'src/main.ts',
  'src/words',
  'web',
]
// Paths in a text that are not imports: '../../web', "docs/label.png", `${ROOT}/packaging/deb.sh`.
const QUOTED = /(?<!(?:from|import) )['"`/}]((?:\.{1,2}\/)*[\w@.-]+(?:\/[\w@.-]+)*)\/?['"`*$]/g

/** The dependencies of a file. Paths are relative to the root of the project, with slashes. */
export interface Reach {
  /** The files that it imports, itself among them. */
  readonly imported: ReadonlySet<string>
  /** Packages and modules of Node that files in `test/` import, on the way. */
  readonly packages: ReadonlySet<string>
  /** Files and folders that the imported files name, and what these reach. */
  readonly named: ReadonlySet<string>
}

/** The dependencies in this project. */
export interface Graph {
  /** All files that git knows or would add. */
  readonly files: readonly string[]
  reach(file: string): Reach
  /** Lists the file's own imports. */
  imports(file: string): readonly string[]
}

/** Reads the imports of all code, and the paths that are written in it. */
export async function readGraph(root: string): Promise<Graph> {
  const files = listFiles(root)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.filter((file) => CODE.test(file) && !file.startsWith('web/')),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
    outdir: 'unused',
    logLevel: 'silent',
  })
  return new ImportGraph(root, files, metafile)
}

class ImportGraph implements Graph {
  readonly files: readonly string[]
  readonly #root: string
  readonly #inputs: Metafile['inputs']
  /** Files and folders. */
  readonly #paths: ReadonlySet<string>
  readonly #namedBy = new Map<string, readonly string[]>()

  constructor(root: string, files: readonly string[], { inputs }: Metafile) {
    this.#root = root
    this.files = files
    this.#inputs = inputs
    this.#paths = new Set(files.flatMap((file) => [file, ...listFolders(file)]))
  }

  reach(file: string): Reach {
    const imported = new Set([file])
    const packages = new Set<string>()
    this.#addImports(imported, packages)
    const named = new Set([...imported].flatMap((each) => this.#readNames(each)))
    // What is started or read by its path has names and imports of its own.
    for (const path of named) {
      const reached = new Set([path])
      this.#addImports(reached, new Set())
      for (const each of reached) {
        named.add(each)
        for (const name of this.#readNames(each)) named.add(name)
      }
    }
    return { imported, packages, named }
  }

  imports(file: string): readonly string[] {
    return (this.#inputs[file]?.imports ?? []).map(({ path }) => path)
  }

  #addImports(files: Set<string>, packages: Set<string>): void {
    for (const file of files) {
      for (const { path, external } of this.#inputs[file]?.imports ?? []) {
        if (external !== true) files.add(path)
        else if (file.startsWith('test/')) packages.add(path)
      }
    }
  }

  #readNames(file: string): readonly string[] {
    if (this.#inputs[file] === undefined) return []
    const known = this.#namedBy.get(file)
    if (known !== undefined) return known
    const text = readFileSync(posix.join(this.#root, file), 'utf8')
    const names = [...text.matchAll(QUOTED)].flatMap(([, path = '']) => this.#find(file, path))
    const unique = [...new Set(names)].filter((name) => name !== file)
    this.#namedBy.set(file, unique)
    return unique
  }

  /** The files and folders that a text in this file may mean. */
  #find(file: string, path: string): readonly string[] {
    const isTest = file.startsWith('test/')
    if (isTest && (path === 'dist' || path.startsWith('dist/'))) return BUNDLE
    // In the program a bare word is a word; a test also names what it reads from the root.
    const isRelative = path.startsWith('.')
    if (!isRelative && !isTest) return []
    const beside = posix.join(posix.dirname(file), path)
    const places = isRelative ? [beside] : [beside, path]
    return places.filter((place) => this.#paths.has(place) && !TOO_WIDE.has(place))
  }
}

/** Words and roots: who names these has not named an input. */
const TOO_WIDE = new Set(['.', 'src', 'test'])

function listFolders(file: string): readonly string[] {
  const folder = posix.dirname(file)
  return folder === '.' ? [] : [folder, ...listFolders(folder)]
}

function listFiles(root: string): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return listed.split('\0').filter((file) => file !== '' && existsSync(posix.join(root, file)))
}

/** Tells whether a change of this file can change what the reaching file does. */
export function isReached({ imported, named }: Reach, changed: string): boolean {
  if (BASE.includes(changed) || imported.has(changed) || named.has(changed)) return true
  return listFolders(changed).some((folder) => named.has(folder) || imported.has(folder))
}

/** All files whose change can change what one of these does, sorted. */
export function listInputs(graph: Graph, entries: readonly string[]): readonly string[] {
  const reaches = entries.map((entry) => graph.reach(entry))
  return graph.files.filter((file) => reaches.some((reach) => isReached(reach, file))).toSorted()
}
