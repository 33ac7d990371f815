import { cpus, loadavg } from 'node:os'
import { benchDialogs } from './dialogs.ts'
import { benchDoors } from './doors.ts'
import { benchFlood } from './flood.ts'
import { benchFloodMemory } from './flood-memory.ts'
import { benchIdle } from './idle.ts'
import { benchPdf } from './pdf.ts'
import { benchPictureMemory } from './picture-memory.ts'
import { benchPictures } from './pictures.ts'
import { benchRawLabel } from './raw-label.ts'
import type { Row } from './row.ts'
import { benchShipping } from './shipping.ts'
import { benchSources } from './sources.ts'
import { benchStalledPrinter } from './stalled-printer.ts'

/** All parts, or those named on the command line: node test/bench/run.ts pictures memory */
const PARTS = {
  idle: benchIdle,
  doors: benchDoors,
  sources: benchSources,
  label: benchRawLabel,
  stalled: benchStalledPrinter,
  flood: benchFlood,
  waiting: benchFloodMemory,
  shipping: benchShipping,
  pictures: benchPictures,
  pdf: benchPdf,
  dialogs: benchDialogs,
  memory: benchPictureMemory,
} as const satisfies Record<string, () => AsyncIterable<Row> | Promise<readonly Row[]>>

const WHAT_WIDTH = 70

const number = (value: number): string => value.toFixed(1).padStart(8)
const verdict = ({ ours, goal, isRate = false }: Row): string => {
  if (goal === undefined) return '     '
  if (isRate) return ours >= goal ? ' ok  ' : ' LESS'
  return ours <= goal ? ' ok  ' : ' OVER'
}
const line = (row: Row): string =>
  [
    row.what.padEnd(WHAT_WIDTH),
    number(row.ours),
    row.goal === undefined ? '       -' : number(row.goal),
    verdict(row),
    number(row.peer),
    number(row.ours / row.peer),
    `  ${row.peerName}`,
  ].join('')

const head = `${'median'.padEnd(WHAT_WIDTH)}    ours    goal         peer   ratio  peer`
process.stdout.write(`${cpus().length} cores, Node ${process.version}\n\n${head}\n`)
const wanted = process.argv.slice(2)
for (const [name, bench] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const began = performance.now()
  // Rows that are made one by one are shown so.
  const rows = bench()
  for await (const row of rows instanceof Promise ? await rows : rows) {
    process.stdout.write(`${line(row)}\n`)
    // A row without a figure has measured nothing.
    if (!Number.isFinite(row.ours)) process.exitCode = 1
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const load = loadavg()[0]?.toFixed(1)
  process.stdout.write(`  (${name}: ${seconds} s; load of the machine ${load})\n`)
}
