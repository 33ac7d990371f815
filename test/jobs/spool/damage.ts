import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PAGE_BYTES } from '../../../src/jobs/spool/schema.ts'

/** Overwrites a page of a table that nobody has open; `n` as in `findPage`. */
export function damagePage(file: string, table: string, n: number): void {
  overwritePage(file, findPage(file, table, n))
}

/** The number of a page; `n` counts the table's pages with rows in their order, from the end where it is negative. */
export function findPage(file: string, table: string, n: number): number {
  const db = new DatabaseSync(file)
  const leaves = db
    .prepare("SELECT pageno AS page FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    .all(table)
  db.close()
  return Number(leaves.at(n)?.['page'])
}

/** As a dying disk does, beneath whoever has the file open. */
export function overwritePage(file: string, page: number): void {
  const disk = openSync(file, 'r+')
  writeSync(disk, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(disk)
}
