// Runs the long tests, one after the other: those that take too long for every change.
//   usage: node test/all.ts [--list] [--changed] [--minutes=N] [WORD...]
// --changed leaves out what passed on this machine with the same inputs; --minutes begins nothing that would end later, counted
// from BEGAN (seconds of the epoch) or from now; words choose parts by their names. The last line counts all tests, those of a
// `make test` before it too, whose counts are in the file PLATEN_TEST_COUNTS.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImageSteps, imageSteps } from './image/when-changed.ts'
import { readGraph } from './suite/graph.ts'
import { digest, listParts, type Part } from './suite/parts.ts'
import { PassedParts } from './suite/passed.ts'
import { type Counts, report, reportCounts } from './suite/report.ts'
import { runFiles } from './suite/run-files.ts'
import { findReason, type PartEnd, runPart } from './suite/run-parts.ts'

const ROOT = join(import.meta.dirname, '..')
const IMAGE = 'the SD image'
const IMAGE_TESTS = ['test/image/image.test.ts', 'test/image/boot.test.ts']
const MINUTE = 60_000
const OPTION = /^--(?:list|changed|minutes=\d+)$/

const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('-'))
const isChangedOnly = args.includes('--changed')
const budget = Number(/--minutes=(\d+)/.exec(args.join(' '))?.[1] ?? Number.POSITIVE_INFINITY)
const began = process.env['BEGAN'] === undefined ? Date.now() : Number(process.env['BEGAN']) * 1000
const passed = new PassedParts()
if (process.env['PLATEN_TEST_DEBS'] === undefined) {
  const debs = mkdtempSync(join(tmpdir(), 'platen-debs-'))
  process.env['PLATEN_TEST_DEBS'] = debs // for every part
  process.on('exit', () => rmSync(debs, { recursive: true, force: true }))
}
const counted: Counts[] = readEarlier()
const isChosen = (name: string): boolean =>
  words.length === 0 || words.some((word) => name.includes(word))

const wrong = args.filter((arg) => arg.startsWith('-') && !OPTION.test(arg))
if (wrong.length > 0) {
  console.error(`${wrong.join(' ')} is not an option.`)
  process.exitCode = 64
} else await main()

async function main(): Promise<void> {
  const graph = await readGraph(ROOT)
  const parts = listParts(graph).filter(({ name }) => isChosen(name))
  if (args.includes('--list')) {
    for (const { name, minutes } of parts)
      console.log(`${String(minutes).padStart(4)} min  ${name}`)
    return
  }
  const ends: PartEnd[] = []
  // The image first: it has its own time, and a rule for when that is over.
  if (isChosen(IMAGE)) ends.push(await runImage())
  for (const part of inOrder(parts)) ends.push(await runOne(part, digest(ROOT, graph, part)))
  console.log('\nLong proofs:')
  for (const { name, kind, told } of ends) console.log(`- ${kind}: ${name} (${told})`)
  const sum = (key: 'passed' | 'failed'): number => counted.reduce((all, one) => all + one[key], 0)
  const skips = counted.flatMap((one) => one.skips)
  reportCounts({ passed: sum('passed'), failed: sum('failed'), skips })
  if (ends.some(({ kind }) => kind === 'failed')) process.exitCode = 1
}

function readEarlier(): Counts[] {
  const file = process.env['PLATEN_TEST_COUNTS']
  return file === undefined ? [] : [JSON.parse(readFileSync(file, 'utf8'))]
}

/** Sorts the parts: those that never passed here first, in the order of the list, then those that passed longest ago. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((a, b) => passed.lastAt(a.name) - passed.lastAt(b.name))
}

function minutesOf({ name, minutes }: Part): number {
  return passed.minutesOf(name) ?? minutes
}

async function runOne(part: Part, inputs: string): Promise<PartEnd> {
  const { name } = part
  const state = {
    isPassed: isChangedOnly && passed.has(name, inputs),
    expected: minutesOf(part),
    ...(part.apart === undefined ? {} : { apart: part.apart }),
  }
  const why = findReason(state, (Date.now() - began) / MINUTE, budget)
  if (why !== '') return { name, kind: 'left out', told: why }
  console.log(`\n== ${name}`)
  const start = Date.now()
  // A slow machine takes twice as long; what takes longer hangs.
  const counts = await runPart(part, (2 * state.expected + 5) * MINUTE)
  counted.push(counts)
  const isGood = counts.failed === 0
  const minutes = (Date.now() - start) / MINUTE
  if (isGood) passed.note(name, inputs, minutes)
  return { name, kind: isGood ? 'passed' : 'failed', told: `${minutes.toFixed(1)} min` }
}

/** The image is built and booted where it is another one than the last that passed (test/image/when-changed.ts). */
async function runImage(): Promise<PartEnd> {
  const start = Date.now()
  const image = await imageSteps(began)
  if (image.kind === 'skip') return { name: IMAGE, kind: 'left out', told: image.why }
  const isGood = image.kind === 'test' && (await testImage(image))
  if (image.kind === 'broken') {
    console.log(`\nFAILED make image-file\n${image.output}`)
    counted.push({ passed: 0, failed: 1, skips: [] })
  }
  const told = `${((Date.now() - start) / MINUTE).toFixed(1)} min`
  return { name: IMAGE, kind: isGood ? 'passed' : 'failed', told }
}

async function testImage({
  env,
  limitMs,
  notePass,
}: Extract<ImageSteps, { kind: 'test' }>): Promise<boolean> {
  console.log(`\n== ${IMAGE}`)
  const outcome = await runFiles(IMAGE_TESTS, { jobs: 1, env, limitMs })
  const counts = report(outcome)
  counted.push(counts)
  const isGood = counts.failed === 0
  if (isGood && outcome.runs.every(({ skips }) => skips.length === 0)) notePass()
  return isGood
}
