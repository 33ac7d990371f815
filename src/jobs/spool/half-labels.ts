import { placeOf } from '../../printers/same-place.ts'
import type { JobFormat } from '../job.ts'
import { textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'

/** A label that was cut: the printer at its place may still have the first half of it in its memory. */
export interface HalfLabel {
  /** Device URI without a password; '' = not known (written by an older version). */
  readonly place: string
  /** The entry of the settings that was printing it; its name may lead elsewhere by now. */
  readonly printer: string
  /** Id of the job that was cut. */
  readonly job: string
  readonly format: JobFormat
}

/** The printers that may sit in half a label, by where they are: an entry's name or address may change meanwhile. */
export class HalfLabels {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  list(): readonly HalfLabel[] {
    return this.#db
      .read(() => this.#db.sql.halfLabels.all())
      .map((row) => ({
        place: textOf(row, 'place'),
        printer: textOf(row, 'printer'),
        job: textOf(row, 'job'),
        format: textOf(row, 'format') as JobFormat,
      }))
  }

  /** What is left of this job in a printer. */
  ofJob(id: string): HalfLabel | undefined {
    return this.list().find(({ job }) => job === id)
  }

  /** A person has looked after the printer, or it was reset. Another label that was cut there since stays. */
  forget({ place, printer, job }: HalfLabel): void {
    this.#db.write(() => this.#db.sql.dropHalfLabel.run(place, printer, job))
  }
}

/** Within a transaction: where the label goes that a printer begins; written only when it is new. */
export function notePlace(db: SpoolDatabase, printer: string, uri: string): void {
  const place = placeOf(uri)
  if (findPlace(db, printer) !== place) db.sql.setMeta.run(keyOf(printer), place)
}

/** Within a transaction: this job was cut where its printer's last label went. */
export function noteHalfLabel(
  db: SpoolDatabase,
  job: { readonly id: string; readonly printer: string; readonly format: JobFormat },
): void {
  const place = findPlace(db, job.printer) ?? ''
  db.sql.addHalfLabel.run(place, job.printer, job.id, job.format)
}

function findPlace(db: SpoolDatabase, printer: string): string | undefined {
  const row = db.sql.meta.get(keyOf(printer))
  return row === undefined ? undefined : textOf(row, 'value')
}

function keyOf(printer: string): string {
  return `place:${printer}`
}
