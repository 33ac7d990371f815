import { randomInt } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import type { Shipment } from '#carriers'
import { type JobRow, numberOf, textOf } from '../../../core/spool/columns.ts'
import type { Records } from '../../../core/spool/upkeep.ts'

/** A shipment of the local carrier, as it was bought. */
export interface LocalShipment {
  readonly seq: number
  readonly shipmentId: string
  readonly numbers: readonly string[]
  readonly shipment: Shipment
  readonly service: string
  readonly description: string
  readonly cents: number
  readonly currency: string
  readonly days: number
  readonly format: 'ZPL' | 'PNG'
  readonly dpi: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** An event of a shipment. */
export interface LocalEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly status: string
  readonly code: string
  readonly location: string
}

export const CREATED = { status: 'Label created', code: 'LC' } as const
export const VOIDED = { status: 'Voided', code: 'VO' } as const

/** Most shipments that are kept; the oldest go first. */
const SHIPMENTS_MOST = 50_000
/** Most events of one shipment. */
export const EVENTS_MOST = 200

/** The shipments of the local carrier, in the spool's database. */
export class LocalShipments {
  readonly #records: Records
  readonly #sql: ReturnType<typeof prepareAll>

  constructor(records: Records) {
    this.#records = records
    this.#sql = prepareAll((sql) => records.prepare(sql))
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  add(requestId: string, made: Omit<LocalShipment, 'seq' | 'at'>): void {
    const { shipmentId, ...content } = made
    const at = this.#records.now()
    this.#records.write(() => {
      // A request of long ago may have had the same id, and is no longer in the journal.
      this.#sql.freeRequest.run(requestId)
      const { lastInsertRowid } = this.#sql.add.run(
        shipmentId,
        requestId,
        JSON.stringify(content),
        at,
      )
      const seq = Number(lastInsertRowid)
      for (const number of made.numbers) this.#sql.addNumber.run(number, seq)
      this.#sql.addEvent.run(seq, at, CREATED.status, CREATED.code, made.shipment.from.city)
      for (const drop of this.#sql.drops) drop.run(seq - SHIPMENTS_MOST)
    })
  }

  /** Finds a shipment by its id, or by a tracking number of one of its parcels. */
  find(name: string): LocalShipment | undefined {
    return this.#records.read(() => toShipment(this.#sql.find.get(name, name)))
  }

  /** Lists events, oldest first. */
  events({ seq }: Pick<LocalShipment, 'seq'>): readonly LocalEvent[] {
    return this.#records
      .read(() => this.#sql.events.all(seq))
      .map((row) => ({
        at: numberOf(row, 'at'),
        status: textOf(row, 'status'),
        code: textOf(row, 'code'),
        location: textOf(row, 'location'),
      }))
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  note({ seq }: Pick<LocalShipment, 'seq'>, event: Omit<LocalEvent, 'at'>): void {
    const { status, code, location } = event
    this.#records.write(() =>
      this.#sql.addEvent.run(seq, this.#records.now(), status, code, location),
    )
  }
}

function prepareAll(prepare: (sql: string) => StatementSync) {
  return {
    add: prepare(
      'INSERT INTO local_shipment(shipment_id, request_id, content, at) VALUES(?, ?, ?, ?)',
    ),
    addNumber: prepare('INSERT INTO local_number VALUES(?, ?)'),
    addEvent: prepare(
      'INSERT INTO local_event(shipment, at, status, code, location) VALUES(?, ?, ?, ?, ?)',
    ),
    // No id of a request has a blank.
    freeRequest: prepare(
      "UPDATE local_shipment SET request_id = shipment_id || ' ' WHERE request_id = ?",
    ),
    find: prepare(`SELECT * FROM local_shipment
      WHERE shipment_id = ? OR seq = (SELECT shipment FROM local_number WHERE number = ?) LIMIT 1`),
    events: prepare('SELECT * FROM local_event WHERE shipment = ? ORDER BY seq'),
    drops: [
      prepare('DELETE FROM local_shipment WHERE seq <= ?'),
      prepare('DELETE FROM local_event WHERE shipment <= ?'),
      prepare('DELETE FROM local_number WHERE shipment <= ?'),
    ],
  }
}

function toShipment(row: JobRow | undefined): LocalShipment | undefined {
  if (row === undefined) return undefined
  return {
    ...JSON.parse(textOf(row, 'content')),
    shipmentId: textOf(row, 'shipment_id'),
    seq: numberOf(row, 'seq'),
    at: numberOf(row, 'at'),
  }
}

const DIGITS = 15

/** Makes a tracking number of the local carrier: `PL`, 9, 15 random digits and a check digit. */
export function makeNumber(): string {
  const digits = Array.from({ length: DIGITS }, () => randomInt(10)).join('')
  const body = `9${digits}`
  return `PL${body}${checkDigitOf(body)}`
}

/** The check digit: modulo 10 with the weights 1 and 3 from the left. */
export function checkDigitOf(digits: string): number {
  const sum = [...digits].reduce((all, digit, n) => all + Number(digit) * (n % 2 === 0 ? 1 : 3), 0)
  return (10 - (sum % 10)) % 10
}

/** False for a number that was misread or mistyped. */
export function isNumber(text: string): boolean {
  const match = /^PL(9\d{15})(\d)$/.exec(text)
  return match !== null && checkDigitOf(match[1] ?? '') === Number(match[2])
}
