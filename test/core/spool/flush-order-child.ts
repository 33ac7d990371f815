import { writeSync } from 'node:fs'
import { Spool } from '../../../src/core/spool/spool.ts'
import { newJob } from '../labels.ts'

// Takes labels one after the other, alone and in groups, and says of each on stdout when it is told.

const spool = new Spool({ folder: process.argv[2] ?? '', minFreeBytes: 0, ballastBytes: 0 })
const add = (mark: number) => () =>
  spool.add([{ ...newJob(mark), label: Buffer.alloc(3_000, `^XA^FX${mark}^FS^XZ`) }])
for (let mark = 0; mark < 250; mark += 1) {
  if (mark % 5 === 0) add(mark)()
  else await Promise.all([mark, mark + 1_000].map((one) => spool.commits.take('a', add(one))))
  writeSync(1, 'told')
}
spool.close()
