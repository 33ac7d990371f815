import type { JobFormat } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { textOf } from './rows.ts'
import type { Soiled } from './types.ts'

/** What this printer may still have in its memory of a label that was cut. */
export function findSoiled(db: SpoolDatabase, printer: string): Soiled | undefined {
  const row = db.read(() => db.sql.soiled.get(printer))
  if (row === undefined) return undefined
  return { job: textOf(row, 'job'), format: textOf(row, 'format') as JobFormat }
}

/** Printers that may have half a label in their memory. */
export function listSoiled(db: SpoolDatabase): readonly string[] {
  return db.read(() => db.sql.soiledPrinters.all()).map((row) => textOf(row, 'printer'))
}

/** A person has looked after the printer, or it was reset. */
export function clean(db: SpoolDatabase, printer: string): void {
  if (findSoiled(db, printer) !== undefined) db.write(() => db.sql.clean.run(printer))
}
