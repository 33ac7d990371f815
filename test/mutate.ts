// Changes a condition or a constant in random places of src/, one at a time, in a copy, and runs the unit tests that ran the
// place until one fails, then the nearest of those with real parts. Prints which changes no test noticed: each is a missing
// test, or makes no difference.
//   usage: node test/mutate.ts [PLACES] [SEED] [FOLDER]     by hand; all unit tests once, then some seconds for each place
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from './random.ts'
import { readGraph } from './suite/graph.ts'
import { listMutants, type Mutant } from './suite/mutants.ts'
import { hasRun, readRan } from './suite/ran.ts'
import { listTests, pickUnits } from './suite/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
/** A test that takes longer with a change hangs in it. */
const LIMIT_MS = 120_000
/** Tests asked about one change at most, nearest and cheapest first. */
const TESTS_MOST = 16
/** ... of those with real parts, which start programs; some of these take minutes. */
const REAL_MOST = 3
const TOO_DEAR = /^test\/(?:vm|packages|image|windows|fleet|web|peers|e2e|sources)\//

const [places = 40, seed = Date.now() % 1_000_000] = process.argv.slice(2, 4).map(Number)
const folder = process.argv[4] ?? 'src/'

/** A place, and what is changed there. */
interface Place {
  readonly file: string
  readonly mutant: Mutant
}

/** A unit test that passes in the copy, its seconds there, and the places that it runs. */
interface Known {
  readonly test: string
  readonly seconds: number
  readonly ran: readonly Place[]
}

const graph = await readGraph(ROOT)
const folders = mkdtempSync(join(tmpdir(), 'platen-mutants-'))
try {
  const copies = Array.from({ length: availableParallelism() }, (_, nr) => makeCopy(`${nr}`))
  report(await run(copies))
} finally {
  rmSync(folders, { recursive: true, force: true })
}

/** A copy of the project for one test at a time. */
function makeCopy(name: string): string {
  const copy = join(folders, name)
  for (const file of graph.files) cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** What no test noticed, and how many changes were judged. */
async function run(copies: readonly string[]): Promise<{ missed: string[]; judged: number }> {
  const chosen = choose(copies[0] ?? ROOT)
  const files = [...new Set(chosen.map(({ file }) => file))]
  const known: Known[] = []
  await share(pickUnits(graph, files), copies, async (test, copy) => {
    const one = await learn(test, chosen, copy)
    if (one !== undefined) known.push(one)
  })
  const missed: string[] = []
  await share(chosen, copies, async (place, copy) => {
    const { file, mutant } = place
    const asked = [...nearest(known, place), ...nearestReal(file)]
    const caught = await findTest(asked, place, copy)
    const words = `${file}:${mutant.line}  ${mutant.from} -> ${mutant.to}`
    const told = caught ?? `${asked.length} asked`
    console.log(`${caught === undefined ? 'MISSED' : 'caught'}  ${words}  ${told}`)
    if (caught === undefined) missed.push(`${words}  ${told}`)
  })
  return { missed: missed.toSorted(), judged: chosen.length }
}

/** Does the work for each item, one at a time in each copy. */
async function share<T>(
  items: readonly T[],
  copies: readonly string[],
  work: (item: T, copy: string) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    copies.map(async (copy) => {
      for (const item of queue) await work(item, copy)
    }),
  )
}

function choose(copy: string): readonly Place[] {
  const random = makeRandom(seed)
  const files = graph.files.filter((file) => file.startsWith(folder) && /\.ts$/.test(file))
  const all = files.flatMap((file) =>
    listMutants(readFileSync(join(copy, file), 'utf8')).map((mutant) => ({ file, mutant })),
  )
  const most = Math.min(places, all.length)
  return Array.from({ length: most }, () => all.splice(Math.floor(random() * all.length), 1)).flat()
}

/** Runs the test on unchanged code. A test that already fails in the copy can notice nothing. */
async function learn(
  test: string,
  places: readonly Place[],
  copy: string,
): Promise<Known | undefined> {
  const reports = join(copy, '.ran')
  mkdirSync(reports, { recursive: true })
  const began = Date.now()
  const isGood = await passes(test, copy, { NODE_V8_COVERAGE: reports })
  const seconds = (Date.now() - began) / 1000
  const pieces = readRan(reports, copy, folder)
  if (!isGood) console.log(`left out: ${test} fails in a copy`)
  const ran = places.filter(({ file, mutant }) =>
    pieces.get(file)?.some((each) => hasRun(each, mutant.at)),
  )
  return isGood ? { test, seconds, ran } : undefined
}

/** How far a test is from a source by its path: the fewer characters they begin with in common, the farther. */
function distance(test: string, file: string): number {
  const [path, other] = [file.replace(/^src\//, ''), test.replace(/^test\//, '')]
  const shared = [...path].findIndex((letter, index) => letter !== other[index])
  return -shared - (graph.imports(test).includes(file) ? 5 : 0)
}

/** The unit tests that run the place, nearest and cheapest first. */
function nearest(known: readonly Known[], place: Place): readonly string[] {
  const cost = ({ test, seconds }: Known): number => seconds + distance(test, place.file)
  return known
    .filter(({ ran }) => ran.includes(place))
    .toSorted((a, b) => cost(a) - cost(b))
    .slice(0, TESTS_MOST)
    .map(({ test }) => test)
}

/** The nearest tests with real parts that reach the file; they may not run the place. */
function nearestReal(file: string): readonly string[] {
  const units = new Set(pickUnits(graph))
  return listTests(graph)
    .filter((test) => !units.has(test) && !TOO_DEAR.test(test))
    .filter((test) => graph.reach(test).imported.has(file))
    .toSorted((a, b) => distance(a, file) - distance(b, file))
    .slice(0, REAL_MOST)
}

/** The test that fails with the change, and passes without it. */
async function findTest(
  tests: readonly string[],
  { file, mutant }: Place,
  copy: string,
): Promise<string | undefined> {
  const original = readFileSync(join(copy, file), 'utf8')
  for (const test of tests) {
    writeFileSync(join(copy, file), mutant.source)
    const isGood = await passes(test, copy, { TAP_BAIL: '1' })
    writeFileSync(join(copy, file), original)
    if (!isGood && (await passes(test, copy))) return test
  }
  return undefined
}

async function passes(
  test: string,
  copy: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, [test], {
    ...{ cwd: copy, stdio: 'ignore', timeout: LIMIT_MS, killSignal: 'SIGKILL' as const },
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_MS / 1000), ...env },
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

function report({ missed, judged }: Awaited<ReturnType<typeof run>>): void {
  const caught = judged - missed.length
  const share = judged === 0 ? 0 : Math.round((100 * caught) / judged)
  console.log(`\n${caught} of ${judged} noticed (${share} %), seed ${seed}`)
  for (const words of missed) console.log(`  ${words}`)
}
