// Changes a condition or a constant in random places of src/, one at a time, in a copy, and runs the unit tests that ran the
// place until one fails. Prints which changes no test noticed: each is a missing test, or makes no difference.
//   usage: node test/mutate.ts [PLACES] [SEED] [FOLDER]     by hand; all unit tests once, then some seconds for each place
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from './random.ts'
import { readGraph } from './suite/graph.ts'
import { listMutants, type Mutant } from './suite/mutants.ts'
import { hasRun, readRan } from './suite/ran.ts'
import { pickUnits } from './suite/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
/** A test that takes longer with a change hangs in it. */
const LIMIT_MS = 120_000
/** Tests asked about one change at most, nearest and cheapest first. */
const TESTS_MOST = 30

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
  const chosen = choose()
  const files = [...new Set(chosen.map(({ file }) => file))]
  const known = pickUnits(graph, files).flatMap((test) => learn(test, chosen))
  const missed: string[] = []
  for (const place of chosen) {
    const { file, mutant } = place
    const asked = nearest(known, place)
    const caught = asked.find((test) => notices(test, place))
    const words = `${file}:${mutant.line}  ${mutant.from} -> ${mutant.to}`
    const told = caught ?? (asked.length === 0 ? 'no unit test runs it' : `${asked.length} asked`)
    console.log(`${caught === undefined ? 'MISSED' : 'caught'}  ${words}  ${told}`)
    if (caught === undefined) missed.push(`${words}  ${told}`)
  }
  return { missed, judged: chosen.length }
}

function choose(): readonly Place[] {
  const random = makeRandom(seed)
  const files = graph.files.filter((file) => file.startsWith(folder) && /\.ts$/.test(file))
  const all = files.flatMap((file) =>
    listMutants(readFileSync(join(ROOT, file), 'utf8')).map((mutant) => ({ file, mutant })),
  )
  const most = Math.min(places, all.length)
  return Array.from({ length: most }, () => all.splice(Math.floor(random() * all.length), 1)).flat()
}

/** Runs the test as it is. One that fails in a copy can notice nothing. */
function learn(test: string, places: readonly Place[]): readonly Known[] {
  const reports = join(copy, '.ran')
  mkdirSync(reports, { recursive: true })
  const began = Date.now()
  const isGood = passes(test, { NODE_V8_COVERAGE: reports })
  const seconds = (Date.now() - began) / 1000
  const pieces = readRan(reports, copy, folder)
  if (!isGood) console.log(`left out: ${test} fails in a copy`)
  const ran = places.filter(({ file, mutant }) =>
    pieces.get(file)?.some((each) => hasRun(each, mutant.at)),
  )
  return isGood ? [{ test, seconds, ran }] : []
}

/** The tests that run the place, nearest and cheapest first. */
function nearest(known: readonly Known[], place: Place): readonly string[] {
  const path = place.file.replace(/^src\//, '')
  const cost = ({ test, seconds }: Known): number => {
    const other = test.replace(/^test\//, '')
    const shared = [...path].findIndex((letter, index) => letter !== other[index])
    return seconds - shared - (graph.imports(test).includes(place.file) ? 5 : 0)
  }
  return known
    .filter(({ ran }) => ran.includes(place))
    .toSorted((a, b) => cost(a) - cost(b))
    .slice(0, TESTS_MOST)
    .map(({ test }) => test)
}

/** Whether the test fails with the change, and passes without it. */
function notices(test: string, { file, mutant }: Place): boolean {
  const original = readFileSync(join(ROOT, file), 'utf8')
  writeFileSync(join(copy, file), mutant.source)
  const isGood = passes(test, { TAP_BAIL: '1' })
  writeFileSync(join(copy, file), original)
  return !isGood && passes(test)
}

function passes(test: string, env: Readonly<Record<string, string>> = {}): boolean {
  const { status } = spawnSync(process.execPath, [test], {
    ...{ cwd: copy, stdio: 'ignore', timeout: LIMIT_MS, killSignal: 'SIGKILL' as const },
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_MS / 1000), ...env },
  })
  return status === 0
}

function report({ missed, judged }: ReturnType<typeof run>): void {
  const caught = judged - missed.length
  const share = judged === 0 ? 0 : Math.round((100 * caught) / judged)
  console.log(`\n${caught} of ${judged} noticed (${share} %), seed ${seed}`)
  for (const words of missed) console.log(`  ${words}`)
}
