import type { StatementSync } from 'node:sqlite'
import { at, type CarrierFacts, factsOf, jsonOf, listOf, type PaidAction, textAt } from '#carriers'
import { bytesOf, type JobRow, numberOf, textOf } from '../../core/spool/columns.ts'
import type { Records } from '../../core/spool/upkeep.ts'

/**
 * `sent`: the carrier may have been asked, and its answer has not arrived. `unknown`: it was asked, and the outcome cannot be told. `done`:
 * it was bought, or voided. A refused call is not kept: the same call may be made again. Decisions `journal`, `four-hundred-days`.
 */
export type EntryState = 'sent' | 'unknown' | 'done'

/** A call that spends money. */
export interface JournalEntry {
  readonly seq: number
  readonly requestId: string
  /** SHA-256 of the request. */
  readonly hash: string
  readonly state: EntryState
  readonly action: PaidAction
  readonly carrier: string
  /** Facts that the carrier's steps wrote down; undefined = the disk has damaged them. */
  readonly kept: CarrierFacts | undefined
  /** JSON of the print request; '' = the labels do not print. */
  readonly print: string
  /** True while the labels have not gone to their printer. */
  readonly owes: boolean
  /** True when the shipment was voided. */
  readonly isVoid: boolean
  /** The envelope as JSON, without the labels; '' = none yet. */
  readonly answer: string
  /** True for an old entry: only the parcel numbers of its answer are left, and its labels are gone. */
  readonly isThin: boolean
  readonly shipmentId: string
  readonly number: string
  readonly cents: number
  readonly currency: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The part of an entry that is written before the carrier is asked. */
export type NewEntry = Pick<JournalEntry, 'requestId' | 'hash' | 'action' | 'carrier' | 'print'> & {
  /** Name of the key. */
  readonly sender: string
  readonly isTest: boolean
  /** The references of the call. */
  readonly references?: readonly string[]
}

/** A shipment to void, as the call names it: by its id, or by the number of any of its parcels. */
export interface VoidTarget {
  readonly carrier: string
  readonly name: string
}

/** The part of an entry that is written when the carrier's answer arrives. */
export interface PurchaseRecord {
  readonly shipmentId: string
  readonly number: string
  readonly service: string
  readonly cents: number
  readonly currency: string
  /** The envelope as JSON, without the labels. */
  readonly answer: string
  readonly labels: readonly KeptLabel[]
}

/** A label as the carrier sent it. */
export interface KeptLabel {
  readonly format: string
  readonly label: Uint8Array
}

/** A shipment in the form that the page gets; never its address. */
export interface ShownShipment {
  readonly request_id: string
  readonly state: EntryState
  readonly carrier: string
  readonly key: string
  readonly shipment_id: string
  readonly tracking_number: string
  readonly service_code: string
  readonly charges: number
  readonly currency: string
  readonly test: boolean
  readonly void: boolean
  /** Ids of the jobs of its labels. */
  readonly jobs: readonly string[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A filter of a key's shipments; what is left out matches all. */
export interface ShipmentFilter {
  readonly requestId?: string
  /** Number of any parcel. */
  readonly number?: string
  readonly reference?: string
  readonly carrier?: string
  readonly state?: string
  /** Milliseconds since the epoch: bought then or later, and before `until`. */
  readonly since?: number
  readonly until?: number
}

/** A part of a list, newest first. */
interface ShipmentPage {
  /** Entries before this position. */
  readonly before: number
  readonly limit: number
}

/** A shipment in the form that its key sees. */
interface ListedShipment extends Omit<ShownShipment, 'key' | 'jobs'> {
  /** Position in the list. */
  readonly seq: number
  readonly references: unknown
  /** The envelope as JSON, or what is left of it. */
  readonly answer: string
}

const DAY_MS = 86_400_000
const UPKEEP_EVERY_MS = 60_000
/** Share of the spool for labels. */
const LABELS_PART = 1 / 4

/** Time for which the id of a purchase is known: some shops restart their order numbers each year. */
const KNOWN_MS = 400 * DAY_MS
/** Share of the spool for records of old purchases. */
const KNOWN_PART = 1 / 8
/** Size of an old purchase, rows in the indexes included: measured 315 bytes with ids of 12 characters. */
const KNOWN_BYTES = 512
/** Rows of one turn of upkeep, which must stay short. */
const TURN = 500

/**
 * Every call that spends money, in the spool's database: committed before the carrier is asked, and again with its answer, so that nothing
 * is bought twice and no bought label is lost, whenever the power fails.
 */
export class Journal {
  readonly #records: Records
  readonly #sql: ReturnType<typeof prepareAll>
  #keptAt = Number.NEGATIVE_INFINITY
  /** Requests by the shipments that they just bought. */
  readonly #claims = new Map<string, string>()

  constructor(records: Records) {
    this.#records = records
    this.#sql = prepareAll((sql) => records.prepare(sql))
  }

  find(requestId: string): JournalEntry | undefined {
    return this.#records.read(() => toEntry(this.#sql.byRequest.get(requestId)))
  }

  /**
   * Writes down that a carrier is about to be asked.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  writeSent(entry: NewEntry): void {
    const { requestId, hash, action, carrier, print, sender, isTest, references = [] } = entry
    this.#records.write(() =>
      this.#sql.writeSent.run({
        requestId,
        hash,
        action,
        carrier,
        print,
        sender,
        isTest: Number(isTest),
        reference: references.length === 0 ? '' : JSON.stringify(references),
        at: this.#records.now(),
        run: this.#records.run(),
      }),
    )
  }

  /** Writes down the facts that the next step needs. */
  keep(requestId: string, kept: CarrierFacts): void {
    this.#records.write(() => this.#sql.keep.run(JSON.stringify(kept), requestId))
  }

  /** Writes down that the carrier has done it: answer and labels in one transaction, and that the shipment `voids` was voided. */
  writeDone(requestId: string, bought: PurchaseRecord, voids = ''): void {
    const { shipmentId, number, service, cents, currency, answer, labels } = bought
    this.#records.write(() => {
      const values = { shipmentId, number, service, cents, currency, answer, requestId }
      // From now on it is kept: it may have been unknown for days.
      this.#sql.writeDone.run({ ...values, run: this.#records.run() })
      const { seq = 0, carrier = '' } = this.find(requestId) ?? {}
      for (const [n, { format, label }] of labels.entries()) {
        this.#sql.addLabel.run(seq, n, format, label)
      }
      this.#tell(this.#sql.byRequest.get(requestId))
      const voided = this.findVoided({ carrier, name: voids })
      if (voided !== undefined) this.#markVoid(voided.requestId)
    })
    this.#release(requestId)
  }

  /** Finds the purchase of a shipment to void. */
  findVoided({ carrier, name }: VoidTarget): JournalEntry | undefined {
    if (name === '') return undefined
    const { ofCarrier, byNumber, byParcel } = this.#sql
    const parcel = `"tracking_number":${JSON.stringify(name)}`
    return this.#records.read(() =>
      toEntry(
        ofCarrier.get(name, carrier) ??
          byNumber.get(name, carrier) ??
          byParcel.get(parcel, carrier),
      ),
    )
  }

  /** Writes down that a shipment was voided: labels that have not gone to their printer must not. */
  writeVoid(requestId: string): void {
    this.#records.write(() => this.#markVoid(requestId))
  }

  #markVoid(requestId: string): void {
    this.#sql.writeVoid.run(requestId)
    this.#tell(this.#sql.byRequest.get(requestId))
  }

  /** Writes down that the labels have gone to their printer: the answer names their jobs. */
  writePrinted(requestId: string, answer: string): void {
    this.#records.write(() => {
      this.#sql.writePrinted.run(answer, requestId)
      this.#tell(this.#sql.byRequest.get(requestId))
    })
  }

  /** Writes down that the outcome is unknown. */
  writeUnknown(requestId: string, answer: string): void {
    this.#records.write(() => {
      this.#sql.writeUnknown.run(answer, requestId)
      this.#tell(this.#sql.byRequest.get(requestId))
    })
  }

  /** Forgets a call that was certainly not done, so that it may be made again. */
  forget(requestId: string): void {
    this.#records.write(() => this.#sql.forget.run(requestId))
    this.#release(requestId)
  }

  /** Reports a shipment to the result address, in the transaction that makes it true. */
  #tell(row: JobRow | undefined): void {
    if (row === undefined || textOf(row, 'action') !== 'SubmitShipment') return
    const { at: _, ...shipment } = toShown(row)
    this.#records.tell({
      type: 'plugin',
      name: 'shipment',
      at: this.#records.now(),
      facts: shipment,
    })
  }

  /** Lists the labels by position; one that was dropped to make room has no bytes. */
  labels({ seq }: Pick<JournalEntry, 'seq'>): readonly KeptLabel[] {
    const kept: KeptLabel[] = []
    for (const row of this.#records.read(() => this.#sql.labels.all(seq))) {
      while (kept.length < numberOf(row, 'n')) kept.push({ format: '', label: new Uint8Array() })
      const label = bytesOf(row, 'label') ?? new Uint8Array()
      kept.push({ format: textOf(row, 'format'), label })
    }
    return kept
  }

  /** Finds the purchase of this shipment; the newest if there are several. */
  /** Releases the claims of a request: its row now says what it has bought, or is gone. */
  #release(requestId: string): void {
    for (const [shipmentId, buyer] of this.#claims) {
      if (buyer === requestId) this.#claims.delete(shipmentId)
    }
  }

  /** Notes, in memory, the request for which the carrier reported a shipment as bought; the row says so once the call has ended. */
  claim(shipmentId: string, requestId: string): void {
    if (shipmentId !== '') this.#claims.set(shipmentId, requestId)
  }

  /**
   * Finds the request that a shipment belongs to: the one that bought it, else the first open one that asked for it. Two requests may buy
   * one rate, and while the first still fetches its papers the carrier shows its label to the second.
   */
  buyerOf(shipmentId: string): string | undefined {
    if (shipmentId === '') return undefined
    const buyer = this.byShipment(shipmentId)?.requestId ?? this.#claims.get(shipmentId)
    if (buyer !== undefined) return buyer
    const id = JSON.stringify(shipmentId)
    return this.#records.read(() => toEntry(this.#sql.openFor.get(id)))?.requestId
  }

  byShipment(shipmentId: string): JournalEntry | undefined {
    return this.#records.read(() => toEntry(this.#sql.byShipment.get(shipmentId)))
  }

  /** Lists shipments whose labels were bought and never went to their printer, oldest first. */
  owing(): readonly JournalEntry[] {
    return this.#records.read(() => this.#sql.owing.all()).flatMap((row) => toEntry(row) ?? [])
  }

  /** Lists the newest shipments. */
  list(limit: number): readonly ShownShipment[] {
    return this.#records.read(() => this.#sql.list.all(limit)).map(toShown)
  }

  /** Lists the shipments of a key, newest first. */
  page(
    sender: string,
    filter: ShipmentFilter,
    { before, limit }: ShipmentPage,
  ): readonly ListedShipment[] {
    const { requestId = '', number = '', reference = '', carrier = '', state = '' } = filter
    const values = {
      sender,
      before,
      limit,
      requestId,
      number,
      parcel: `"tracking_number":${JSON.stringify(number)}`,
      reference: reference === '' ? '' : JSON.stringify(reference),
      carrier,
      state,
      since: filter.since ?? 0,
      until: filter.until ?? Number.MAX_SAFE_INTEGER,
    }
    const rows = this.#records.read(() => this.#sql.page.all(values))
    return rows.map((row) => {
      const { key: _, jobs: __, ...shipment } = toShown(row)
      const references = jsonOf(textOf(row, 'reference')) ?? []
      const answer = textOf(row, 'answer')
      return { ...shipment, seq: numberOf(row, 'seq'), references, answer }
    })
  }

  /**
   * Drops labels and answers of calls that were done `keptMs` ago, at least 24 hours; their ids stay, so that the same call buys nothing a
   * second time. Unsettled calls stay whole. If the labels take more than their share of the spool, the oldest go: labels that wait to
   * print need the room. Once a minute at most.
   */
  upkeep(keptMs: number): void {
    const now = this.#records.run()
    if (now - this.#keptAt < UPKEEP_EVERY_MS) return
    this.#keptAt = now
    this.#records.write(() => {
      for (const row of this.#sql.old.all(now - Math.max(keptMs, DAY_MS), TURN)) this.#thin(row)
      this.#sql.drop.run(now - KNOWN_MS, TURN)
      this.#sql.dropTies.run()
      this.#dropExcess()
      const bytes = numberOf(this.#sql.labelBytes.get(), 'bytes')
      const excess = bytes - this.#records.limitBytes * LABELS_PART
      if (excess > 0) this.#sql.dropOldest.run(excess)
    })
  }

  #thin(row: JobRow): void {
    const seq = numberOf(row, 'seq')
    this.#sql.dropLabels.run(seq)
    this.#sql.thin.run(thinAnswer(textOf(row, 'action'), textOf(row, 'answer')), seq)
  }

  /** Drops the oldest entries of the keys that have the most: no key takes the room of another. */
  #dropExcess(): void {
    const most = Math.floor((this.#records.limitBytes * KNOWN_PART) / KNOWN_BYTES)
    const counts = this.#sql.thinCounts.all().map((row) => ({
      sender: textOf(row, 'sender'),
      count: numberOf(row, 'count'),
    }))
    const share = shareOf(
      counts.map(({ count }) => count),
      most,
    )
    for (const { sender, count } of counts) {
      if (count > share) this.#sql.dropThin.run(sender, Math.min(count - share, TURN))
    }
  }
}

/** Finds the share that each may have, so that all together have at most `most`: those with less than the share keep everything. */
export function shareOf(counts: readonly number[], most: number): number {
  let left = most
  for (const [n, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (counts.length - n))
    if (count > share) return share
    left -= count
  }
  return Number.MAX_SAFE_INTEGER
}

/** Thins an old answer: it keeps the parcel numbers if there are several; for a refund, everything. */
function thinAnswer(action: string, answer: string): string {
  if (action === 'VoidShipment') return answer.length <= KNOWN_BYTES ? answer : ''
  const numbers = listOf(at(jsonOf(answer), 'data', 'packages')).map((one) => ({
    tracking_number: textAt(one, 'tracking_number'),
  }))
  return numbers.length < 2 ? '' : JSON.stringify(numbers)
}

function prepareAll(prepare: (sql: string) => StatementSync) {
  return {
    byRequest: prepare('SELECT * FROM purchase WHERE request_id = ?'),
    byShipment: prepare(
      "SELECT * FROM purchase WHERE shipment_id = ? AND shipment_id <> '' AND action = 'SubmitShipment' ORDER BY seq DESC",
    ),
    openFor: prepare(
      "SELECT * FROM purchase WHERE state IN ('sent', 'unknown') AND action = 'SubmitShipment' AND instr(kept, ?) > 0 ORDER BY seq",
    ),
    ofCarrier: prepare(
      "SELECT * FROM purchase WHERE shipment_id = ? AND shipment_id <> '' AND carrier = ? AND action = 'SubmitShipment' ORDER BY seq DESC",
    ),
    byNumber: prepare(
      "SELECT * FROM purchase WHERE number = ? AND number <> '' AND carrier = ? AND action = 'SubmitShipment' ORDER BY seq DESC",
    ),
    byParcel: prepare(
      "SELECT * FROM purchase WHERE action = 'SubmitShipment' AND instr(answer, ?) > 0 AND carrier = ? ORDER BY seq DESC",
    ),
    owing: prepare('SELECT * FROM purchase WHERE owes > 0 ORDER BY seq'),
    list: prepare(
      "SELECT * FROM purchase WHERE action = 'SubmitShipment' ORDER BY seq DESC LIMIT ?",
    ),
    labels: prepare('SELECT n, format, label FROM purchase_label WHERE purchase = ? ORDER BY n'),
    writeSent: prepare(`INSERT INTO purchase(
      request_id, hash, state, action, carrier, sender, shipment_id, number, service, cents, currency, is_test, is_void, kept,
      print, owes, answer, at, run, reference
    ) VALUES($requestId, $hash, 'sent', $action, $carrier, $sender, '', '', '', 0, '', $isTest, 0, '{}', $print, 0, '', $at, $run,
      $reference)`),
    keep: prepare('UPDATE purchase SET kept = ? WHERE request_id = ?'),
    writeDone:
      prepare(`UPDATE purchase SET state = 'done', shipment_id = $shipmentId, number = $number, service = $service,
      cents = $cents, currency = $currency, answer = $answer, run = $run, owes = print <> '' WHERE request_id = $requestId`),
    addLabel: prepare('INSERT OR REPLACE INTO purchase_label VALUES(?, ?, ?, ?)'),
    writePrinted: prepare('UPDATE purchase SET answer = ?, owes = 0 WHERE request_id = ?'),
    writeUnknown: prepare("UPDATE purchase SET state = 'unknown', answer = ? WHERE request_id = ?"),
    forget: prepare('DELETE FROM purchase WHERE request_id = ?'),
    writeVoid: prepare('UPDATE purchase SET is_void = 1, owes = 0 WHERE request_id = ?'),
    old: prepare(
      "SELECT seq, action, answer FROM purchase WHERE is_thin = 0 AND run < ? AND state = 'done' AND owes = 0 ORDER BY run LIMIT ?",
    ),
    dropLabels: prepare('DELETE FROM purchase_label WHERE purchase = ?'),
    thin: prepare(
      "UPDATE purchase SET is_thin = 1, kept = '{}', print = '', reference = '', answer = ? WHERE seq = ?",
    ),
    drop: prepare(
      'DELETE FROM purchase WHERE seq IN (SELECT seq FROM purchase WHERE is_thin = 1 AND run < ? LIMIT ?)',
    ),
    // Of jobs that are no longer in the list.
    dropTies: prepare('DELETE FROM bought_job WHERE seq < (SELECT min(seq) FROM job)'),
    thinCounts: prepare(
      'SELECT sender, count(*) AS count FROM purchase WHERE is_thin = 1 GROUP BY sender',
    ),
    dropThin: prepare(
      'DELETE FROM purchase WHERE seq IN (SELECT seq FROM purchase WHERE is_thin = 1 AND sender = ? ORDER BY run LIMIT ?)',
    ),
    page: prepare(`SELECT * FROM purchase WHERE action = 'SubmitShipment' AND sender = :sender AND seq < :before
      AND (:requestId = '' OR request_id = :requestId)
      AND (:number = '' OR number = :number OR instr(answer, :parcel) > 0)
      AND (:reference = '' OR instr(reference, :reference) > 0)
      AND (:carrier = '' OR carrier = :carrier)
      AND (:state = '' OR (CASE WHEN is_void = 1 THEN 'void' ELSE state END) = :state)
      AND at >= :since AND at < :until ORDER BY seq DESC LIMIT :limit`),
    labelBytes: prepare('SELECT coalesce(sum(length(label)), 0) AS bytes FROM purchase_label'),
    // Those whose bytes, added up from the oldest, make up the excess.
    dropOldest: prepare(`DELETE FROM purchase_label WHERE (purchase, n) IN (
      SELECT purchase, n FROM (
        SELECT label.purchase, n, sum(length(label.label)) OVER (ORDER BY label.purchase, n) - length(label.label) AS before
        FROM purchase_label AS label JOIN purchase ON seq = label.purchase WHERE owes = 0
      ) WHERE before < ?)`),
  }
}

function toEntry(row: JobRow | undefined): JournalEntry | undefined {
  if (row === undefined) return undefined
  return {
    seq: numberOf(row, 'seq'),
    requestId: textOf(row, 'request_id'),
    hash: textOf(row, 'hash'),
    state: textOf(row, 'state') as EntryState,
    action: textOf(row, 'action') as PaidAction,
    carrier: textOf(row, 'carrier'),
    kept: factsOf(textOf(row, 'kept')),
    print: textOf(row, 'print'),
    answer: textOf(row, 'answer'),
    owes: numberOf(row, 'owes') === 1,
    isVoid: numberOf(row, 'is_void') === 1,
    isThin: numberOf(row, 'is_thin') === 1,
    shipmentId: textOf(row, 'shipment_id'),
    number: textOf(row, 'number'),
    cents: numberOf(row, 'cents'),
    currency: textOf(row, 'currency'),
    at: numberOf(row, 'at'),
  }
}

function toShown(row: JobRow): ShownShipment {
  return {
    request_id: textOf(row, 'request_id'),
    state: textOf(row, 'state') as EntryState,
    carrier: textOf(row, 'carrier'),
    key: textOf(row, 'sender'),
    shipment_id: textOf(row, 'shipment_id'),
    tracking_number: textOf(row, 'number'),
    service_code: textOf(row, 'service'),
    charges: numberOf(row, 'cents') / 100,
    currency: textOf(row, 'currency'),
    test: numberOf(row, 'is_test') === 1,
    void: numberOf(row, 'is_void') === 1,
    jobs: readJobIds(textOf(row, 'answer')),
    at: numberOf(row, 'at'),
  }
}

/** Finds the ids of jobs in the JSON of an answer. */
export function readJobIds(answer: string): readonly string[] {
  return [...answer.matchAll(/"job_id":"([\w-]+)"/g)].map(([, id = '']) => id)
}
