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

/** Where the last label of each printer went, also of one that has left the settings since: half of it may still be there. */
export function listPlaces(db: SpoolDatabase): ReadonlyMap<string, string> {
  const rows = db.read(() => db.sql.places.all())
  return new Map(rows.map((row) => [textOf(row, 'printer'), textOf(row, 'uri')]))
}

/** Within a transaction; written only when it is new. No password is kept here. */
export function notePlace(db: SpoolDatabase, printer: string, uri: string): void {
  const key = `place:${printer}`
  const row = db.sql.meta.get(key)
  if (uri.includes('@') || (row !== undefined && textOf(row, 'value') === uri)) return
  db.sql.setMeta.run(key, uri)
}
