import { cpus } from 'node:os'
import { benchIdle } from './idle.ts'
import { benchPictureMemory } from './picture-memory.ts'
import { benchPictures } from './pictures.ts'
import { benchRawLabel } from './raw-label.ts'
import type { Row } from './row.ts'
import { benchSources } from './sources.ts'
import { benchStalledPrinter } from './stalled-printer.ts'

const rows = [
  ...(await benchIdle()),
  ...(await benchSources()),
  ...(await benchRawLabel()),
  ...(await benchStalledPrinter()),
  ...(await benchPictures()),
  ...(await benchPictureMemory()),
]
const number = (value: number): string => value.toFixed(1).padStart(8)
const line = (row: Row): string =>
  [
    row.what.padEnd(56),
    number(row.ours),
    number(row.goal),
    row.ours <= row.goal ? ' ok  ' : ' OVER',
    number(row.peer),
    number(row.ours / row.peer),
    `  ${row.peerName}`,
  ].join('')
const head = `${'median'.padEnd(56)}    ours    goal         peer   ratio  peer`
process.stdout.write(`${cpus().length} cores, Node ${process.version}\n\n${head}\n`)
for (const row of rows) process.stdout.write(`${line(row)}\n`)
