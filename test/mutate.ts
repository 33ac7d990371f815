// Changes a condition or a constant in random places of src/, one at a time, in a copy, and runs the unit tests that make quick
// picks for the file until one fails. Prints which changes no test noticed: each is a missing test, or makes no difference.
//   usage: node test/mutate.ts [PLACES] [SEED] [FOLDER]     by hand; a minute or more for each place
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from './random.ts'
import { type Graph, readGraph } from './suite/graph.ts'
import { listMutants, type Mutant } from './suite/mutants.ts'
import { expectSeconds, readSeconds } from './suite/seconds.ts'
import { pickUnits } from './suite/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
/** A test that takes longer with a change hangs in it. */
const LIMIT_MS = 120_000
/** Tests asked about one change at most, nearest and cheapest first. */
const TESTS_MOST = 12

const [places = 40, seed = Date.now() % 1_000_000] = process.argv.slice(2, 4).map(Number)
const folder = process.argv[4] ?? 'src/'

const graph = await readGraph(ROOT)
const copy = mkdtempSync(join(tmpdir(), 'platen-mutants-'))
try {
  for (const file of graph.files) cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  report(run())
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** What no test noticed, and how many changes were judged. */
function run(): { readonly missed: readonly string[]; readonly judged: number } {
  const random = makeRandom(seed)
  const files = graph.files.filter((file) => file.startsWith(folder) && /\.ts$/.test(file))
  const all = files.flatMap((file) =>
    listMutants(readFileSync(join(ROOT, file), 'utf8')).map((mutant) => ({ file, mutant })),
  )
  const missed: string[] = []
  let judged = 0
  for (; judged < places && all.length > 0; judged += 1) {
    const [place] = all.splice(Math.floor(random() * all.length), 1)
    if (place === undefined) break
    const { file, mutant } = place
    const caught = findTest(graph, file, mutant)
    const words = `${file}:${mutant.line}  ${mutant.from} -> ${mutant.to}`
    console.log(`${caught === undefined ? 'MISSED' : 'caught'}  ${words}  ${caught ?? ''}`)
    if (caught === undefined) missed.push(words)
  }
  return { missed, judged }
}

/** The test that notices the change and passes without it. */
function findTest(graph: Graph, file: string, { source }: Mutant): string | undefined {
  const original = readFileSync(join(ROOT, file), 'utf8')
  for (const test of nearest(graph, file)) {
    writeFileSync(join(copy, file), source)
    const isNoticed = !passes(test)
    writeFileSync(join(copy, file), original)
    if (isNoticed && passes(test)) return test
  }
  return undefined
}

function nearest(graph: Graph, file: string): readonly string[] {
  const known = readSeconds()
  const place = file.replace(/^src\//, '')
  const near = (test: string): number => {
    const other = test.replace(/^test\//, '')
    const shared = [...place].findIndex((letter, at) => letter !== other[at])
    return -shared - (graph.imports(test).includes(file) ? 100 : 0)
  }
  return pickUnits(graph, [file])
    .toSorted((a, b) => near(a) - near(b) || expectSeconds(known, a) - expectSeconds(known, b))
    .slice(0, TESTS_MOST)
}

function passes(test: string): boolean {
  const { status } = spawnSync(process.execPath, [test], {
    ...{ cwd: copy, stdio: 'ignore', timeout: LIMIT_MS, killSignal: 'SIGKILL' as const },
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_MS / 1000) },
  })
  return status === 0
}

function report({ missed, judged }: ReturnType<typeof run>): void {
  const caught = judged - missed.length
  const share = judged === 0 ? 0 : Math.round((100 * caught) / judged)
  console.log(`\n${caught} of ${judged} noticed (${share} %), seed ${seed}`)
  for (const words of missed) console.log(`  ${words}`)
}
