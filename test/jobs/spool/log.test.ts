import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Spool } from '../../../src/jobs/spool/spool.ts'
import { newJob } from '../labels.ts'

t.test('the log is written over in its place, and stays small', (t) => {
  const folder = t.testdir()
  const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
  t.teardown(() => spool.close())
  const sizes: number[] = []
  for (let mark = 0; mark < 200; mark += 1) {
    spool.add([{ ...newJob(mark), label: Buffer.alloc(3_000, `^XA^FX${mark}^FS^XZ`) }])
    sizes.push(statSync(join(folder, 'spool.db-wal')).size)
  }
  t.same(
    sizes,
    sizes.toSorted((a, b) => a - b),
    'it never shrinks, so it does not grow anew',
  )
  t.ok((sizes.at(-1) ?? 0) < 2 * 200 * 4_096, `${sizes.at(-1)} bytes`)
  t.end()
})
