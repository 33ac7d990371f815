// Changes a condition or a constant in random places of src/, one at a time, in a copy, and judges each change: first by the unit
// tests that `make quick` picks for the file, those that run the place, nearest first; when all of these pass, by the nearest
// tests with real parts that run it. Prints which changes no test noticed: each is a missing test, or makes no difference.
//   usage: node test/mutate.ts [PLACES] [SEED] [FOLDER]     by hand; all unit tests once, then some seconds for each place
//
// Every place is as likely as any other, and so is each change of it:
//   a condition   === !==; < <= > >= to the bound beside it and to the opposite; && ||; !x to x; if (word) to if (!word);
//                 + - before a number
//   a constant    true false; a number to 0 and to its double, 0 to 1. A named patience or bound (..._MS, ..._BYTES, MOST...)
//                 only to 0: which number it is, is a choice
//   never         types, texts, comments, patterns; what a log is given; how much a buffer reads ahead; the radix of a number.
//                 A row of many numbers is one place
//
// Once broken off it goes on where it was with the same arguments: .cache/mutants/ keeps what the tests ran and what was caught.
// What was missed is asked again when the tests that are asked have changed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
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
import { bundleTap } from './suite/bundle-tap.ts'
import { readNotes, writeNotes } from './suite/cache.ts'
import { isReached, type Reach, readGraph } from './suite/graph.ts'
import { listMutants, type Mutant } from './suite/mutants.ts'
import { hasRun, type Piece, type Ran, readRan } from './suite/ran.ts'
import { expectSeconds, readSeconds } from './suite/seconds.ts'
import { listTests, pickUnits } from './suite/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = 'test/suite/compiled.js'
const STATE = join(ROOT, '.cache/mutants')
/** A test that takes longer with a change hangs in it. */
const LIMIT_MS = 120_000
/** Unit tests asked about one change at most, nearest and cheapest first. */
const UNITS_MOST = 30
/** ... of those with real parts, which start programs, and what one of them may usually take. */
const REAL_MOST = 8
const REAL_SECONDS = 12
const TOO_DEAR = /^test\/(?:vm|packages|image|windows|fleet|web|peers|e2e)\//

const [places = 40, seed = Date.now() % 1_000_000] = process.argv.slice(2, 4).map(Number)
const folder = process.argv[4] ?? 'src/'

/** A place, and what is changed there. */
interface Place {
  readonly file: string
  readonly mutant: Mutant
}

/** The test that noticed a change, if any did, and a digest of those that were asked. */
interface Verdict {
  readonly place: string
  readonly by?: string | undefined
  readonly asked: string
}

const graph = await readGraph(ROOT)
const units = new Set(pickUnits(graph))
const seconds = readSeconds()
const reaches = new Map<string, Reach>()
const digests = new Map(
  graph.files
    .filter((file) => /^(?:src|test)\/.*\.ts$/.test(file))
    .map((file) => [file, hash([readFileSync(join(ROOT, file), 'utf8')])]),
)
/** Of a source that a test ran before it was changed: all of it. */
const ALL: Piece[][] = [[[0, Number.MAX_SAFE_INTEGER, 1]]]
const learned = new Map<string, Promise<Ran | undefined>>()
const tap = await bundleTap()
const folders = mkdtempSync(join(tmpdir(), 'platen-mutants-'))
try {
  // More than processors: most tests only wait.
  const copies = Array.from({ length: availableParallelism() + 2 }, (_, nr) => makeCopy(`${nr}`))
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

/** The verdicts on all places, in the order of the sources. */
async function run(copies: readonly string[]): Promise<readonly Verdict[]> {
  const notes = join(STATE, `judged-${seed}.jsonl`)
  mkdirSync(STATE, { recursive: true })
  const before = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []
  const old = new Map(
    before.map((line) => JSON.parse(line) as Verdict).map((one) => [one.place, one]),
  )
  const verdicts: Verdict[] = []
  await share(choose(copies[0] ?? ROOT), copies, async (place, copy) => {
    const name = nameOf(place)
    const tests = nearest(place.file)
    const asked = digestOf(tests)
    const kept = old.get(name)
    if (kept !== undefined && (kept.by !== undefined || kept.asked === asked)) {
      verdicts.push(kept)
      return
    }
    const by = await findTest(tests, place, copy)
    const verdict = { place: name, by, asked }
    verdicts.push(verdict)
    appendFileSync(notes, `${JSON.stringify(verdict)}\n`)
    console.log(`${by === undefined ? 'MISSED' : 'caught'}  ${name}  ${by ?? ''}`)
  })
  return verdicts.toSorted((a, b) => a.place.localeCompare(b.place))
}

/** Of the names and texts of files, as they were when this began. */
function digestOf(files: readonly string[]): string {
  return hash(files.map((file) => `${file} ${digests.get(file)}`))
}

function hash(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)
}

function nameOf({ file, mutant }: Place): string {
  return `${file}:${mutant.line} (${mutant.at})  ${mutant.from} -> ${mutant.to}`
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

/** Draws places, and of each one of its changes. */
function choose(copy: string): readonly Place[] {
  const random = makeRandom(seed)
  const draw = <T>(items: T[]): T[] => items.splice(Math.floor(random() * items.length), 1)
  const files = graph.files.filter((file) => file.startsWith(folder) && /\.ts$/.test(file))
  const all = files.flatMap((file) => {
    const mutants = listMutants(readFileSync(join(copy, file), 'utf8'))
    return [...Map.groupBy(mutants, ({ at }) => at).values()].map((same) => ({ file, same }))
  })
  const most = Math.min(places, all.length)
  return Array.from({ length: most }, () => draw(all))
    .flat()
    .flatMap(({ file, same }) => draw(same).map((mutant) => ({ file, mutant })))
}

function reachOf(test: string): Reach {
  const reach = reaches.get(test) ?? graph.reach(test)
  reaches.set(test, reach)
  return reach
}

/** What a test ran, or undefined when it fails in a copy: then it can notice nothing. */
async function learn(test: string, copy: string): Promise<Ran | undefined> {
  const known = learned.get(test) ?? tryOut(test, copy)
  learned.set(test, known)
  return await known
}

/** What is kept of a test that passed: of each source that it ran a digest, and the pieces. */
interface Kept {
  /** Of what it reaches in test/. */
  readonly test: string
  readonly ran: readonly (readonly [file: string, digest: string, pieces: Piece[][]])[]
}

/** Runs the test on unchanged code, once for each state of its own files; sources that have changed since count as run. */
async function tryOut(test: string, copy: string): Promise<Ran | undefined> {
  const own = [...reachOf(test).imported].filter((file) => file.startsWith('test/'))
  const name = `ran-${test.replaceAll('/', '+')}.json`
  const kept = readNotes(name, STATE) as Kept | undefined
  if (kept !== undefined && kept.test === digestOf(own)) {
    return new Map(
      kept.ran.map(([file, digest, pieces]) => [file, digest === digestOf([file]) ? pieces : ALL]),
    )
  }
  const reports = join(copy, '.ran')
  mkdirSync(reports, { recursive: true })
  const isGood = await passes(test, copy, { NODE_V8_COVERAGE: reports })
  const ran = readRan(reports, copy, 'src/')
  if (!isGood) {
    console.log(`left out: ${test} fails in a copy`)
    return undefined
  }
  const found = [...ran].map(([file, pieces]) => [file, digestOf([file]), pieces])
  writeNotes(name, { test: digestOf(own), ran: found }, STATE)
  return ran
}

/** How far a test is from a source by its path: the fewer characters they begin with in common, the farther. */
function distance(test: string, file: string): number {
  const [path, other] = [file.replace(/^src\//, ''), test.replace(/^test\//, '')]
  const shared = [...path].findIndex((letter, index) => letter !== other[index])
  return -shared - (graph.imports(test).includes(file) ? 5 : 0)
}

/** The tests to ask about a change of the file: unit tests first, each kind from the nearest and cheapest on. */
function nearest(file: string): readonly string[] {
  const cost = (test: string): number => expectSeconds(seconds, test) + distance(test, file)
  const all = listTests(graph)
    .filter((test) => isReached(reachOf(test), file))
    .toSorted((a, b) => cost(a) - cost(b))
  const real = all
    .filter((test) => !units.has(test) && !TOO_DEAR.test(test))
    .filter((test) => expectSeconds(seconds, test) <= REAL_SECONDS)
  return [...all.filter((test) => units.has(test)), ...real.slice(0, REAL_MOST)]
}

/** The test that fails with the change, and passes without it. */
async function findTest(
  tests: readonly string[],
  place: Place,
  copy: string,
): Promise<string | undefined> {
  const path = join(copy, place.file)
  const original = readFileSync(path, 'utf8')
  let left = UNITS_MOST
  for (const test of tests) {
    const isUnit = units.has(test)
    if ((isUnit && left === 0) || !(await runs(test, place, copy))) continue
    if (isUnit) left -= 1
    writeFileSync(path, place.mutant.source)
    const isGood = await passes(test, copy, { TAP_BAIL: '1' })
    writeFileSync(path, original)
    if (!isGood && (isUnit || (await passes(test, copy)))) return test
  }
  return undefined
}

/** Whether the test runs the place, as far as that can be told, and passes on unchanged code. */
async function runs(test: string, { file, mutant }: Place, copy: string): Promise<boolean> {
  const ran = await learn(test, copy)
  return ran?.get(file)?.some((each) => hasRun(each, mutant.at)) ?? false
}

async function passes(
  test: string,
  copy: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, ['--require', join(copy, HOOK), test], {
    cwd: copy,
    stdio: 'ignore',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL' as const,
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_MS / 1000), PLATEN_TAP: tap, ...env },
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

function report(verdicts: readonly Verdict[]): void {
  const percent = (share: number): string =>
    `${Math.round((100 * share) / Math.max(1, verdicts.length))} %`
  const caught = verdicts.filter(({ by }) => by !== undefined)
  const byUnits = caught.filter(({ by = '' }) => units.has(by))
  console.log(
    `\nseed ${seed}, ${verdicts.length} places: unit tests noticed ${byUnits.length} (${percent(byUnits.length)}), ` +
      `those with real parts ${caught.length - byUnits.length} more, together ${percent(caught.length)}`,
  )
  for (const { place, by } of verdicts) if (by === undefined) console.log(`  ${place}`)
}
