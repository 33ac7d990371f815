import type { DatabaseSync } from 'node:sqlite'
import { numberOf, textOf } from './columns.ts'

const ADD = `INSERT OR IGNORE INTO purchase(
  seq, request_id, hash, state, action, carrier, sender, shipment_id, number, service, cents, currency, is_test, is_void, kept,
  print, owes, answer, at, run
) VALUES(
  :seq, :requestId, '', CASE WHEN EXISTS(SELECT 1 FROM purchase_label WHERE purchase = :seq) THEN 'done' ELSE 'unknown' END,
  'SubmitShipment', '', '', '', '', '', 0, '', 0, 0, '{}', '', 0, '', :now,
  coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'run'), 0)
)`

/**
 * Calls that spent money and whose rows are gone: the index of their ids still knows them, and the numbers that their labels are
 * kept by. Each gets a row again, without a hash, so that the same call buys nothing a second time.
 * @throws SQLite's error where the index is damaged; what was read by then stays
 */
export function addLostPurchases(
  old: DatabaseSync,
  db: DatabaseSync,
  order: 'ASC' | 'DESC',
  now: number,
): void {
  const known = old.prepare(`SELECT seq, request_id FROM purchase ORDER BY request_id ${order}`)
  const add = db.prepare(ADD)
  for (const row of known.iterate()) {
    add.run({ seq: numberOf(row, 'seq'), requestId: textOf(row, 'request_id'), now })
  }
}
