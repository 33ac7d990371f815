import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'

/** Overwrites a page of a table that nobody has open; `n` as in `findPage`. */
export function damagePage(file: string, table: string, n: number): void {
  overwritePage(file, findPage(file, table, n))
}

/** The number of a page; `n` counts the table's pages with rows in their order, from the end where it is negative. */
export function findPage(file: string, table: string, n: number, type = 'leaf'): number {
  const db = new DatabaseSync(file)
  const pages = db
    .prepare('SELECT pageno AS page FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path')
    .all(table, type)
  db.close()
  return Number(pages.at(n)?.['page'])
}

/** Overwrites a page as a dying disk does, beneath a program that has the file open. */
export function overwritePage(file: string, page: number): void {
  writePart(file, page, 0, Buffer.alloc(PAGE_BYTES, 0xa5))
}

/** The same with a part of a page, from `at` on. */
export function writePart(file: string, page: number, at: number, bytes: Uint8Array): void {
  const disk = openSync(file, 'r+')
  writeSync(disk, bytes, 0, bytes.length, (page - 1) * PAGE_BYTES + at)
  closeSync(disk)
}

/** A write went to the wrong place: page `from` stands in the place of page `to` as well. */
export function misplacePage(file: string, from: number, to: number): void {
  const bytes = readFileSync(file).subarray((from - 1) * PAGE_BYTES, from * PAGE_BYTES)
  writePart(file, to, 0, bytes)
}
