import { numberOf, textOf } from '../../core/spool/columns.ts'
import type { PluginTables, TableRecovery } from '../../core/spool/plugin-tables.ts'

// What `POST /v1` has bought. `state` is sent, done or unknown; `owes` = the labels of a bought shipment have not yet gone to
// their printer; `is_thin` = it is old, and its id and numbers are left, so that it is not bought again; `reference` = the
// references of the call, as JSON. Labels have a table of their own.
const PURCHASES = `
CREATE TABLE purchase(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, state TEXT NOT NULL,
  action TEXT NOT NULL, carrier TEXT NOT NULL, sender TEXT NOT NULL, shipment_id TEXT NOT NULL, number TEXT NOT NULL,
  service TEXT NOT NULL, cents INTEGER NOT NULL, currency TEXT NOT NULL, is_test INTEGER NOT NULL, is_void INTEGER NOT NULL,
  kept TEXT NOT NULL, print TEXT NOT NULL, owes INTEGER NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL,
  run INTEGER NOT NULL, is_thin INTEGER NOT NULL DEFAULT 0, reference TEXT NOT NULL DEFAULT ''
);
CREATE INDEX purchase_shipment ON purchase(shipment_id) WHERE shipment_id <> '';
CREATE INDEX purchase_owes ON purchase(seq) WHERE owes > 0;
CREATE INDEX purchase_whole ON purchase(run) WHERE is_thin = 0;
CREATE INDEX purchase_thin ON purchase(sender, run) WHERE is_thin = 1;
CREATE INDEX purchase_number ON purchase(number) WHERE number <> '';
CREATE INDEX purchase_sender ON purchase(sender, seq) WHERE action = 'SubmitShipment';
CREATE TABLE purchase_label(
  purchase INTEGER NOT NULL, n INTEGER NOT NULL, format TEXT NOT NULL, label BLOB NOT NULL, PRIMARY KEY(purchase, n)
);
`

// The jobs of bought labels, reprints and moved ones too.
const BOUGHT_JOBS = `
CREATE TABLE bought_job(seq INTEGER PRIMARY KEY, purchase INTEGER NOT NULL);
CREATE INDEX bought_job_purchase ON bought_job(purchase);
`

// The shipments of the carrier that this box itself is.
const LOCAL_SHIPMENTS = `
CREATE TABLE local_shipment(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, shipment_id TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE local_number(number TEXT PRIMARY KEY, shipment INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX local_number_shipment ON local_number(shipment);
CREATE TABLE local_event(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, shipment INTEGER NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL,
  code TEXT NOT NULL, location TEXT NOT NULL
);
CREATE INDEX local_event_shipment ON local_event(shipment);
`

/** The tables of the shipping API. */
export const tables: PluginTables = {
  owner: 'shipping',
  create: `${PURCHASES}${BOUGHT_JOBS}${LOCAL_SHIPMENTS}`,
  rows: ['purchase', 'purchase_label', 'bought_job', 'local_shipment', 'local_event'],
  keyed: ['local_number'],
  repair: addLostPurchases,
  withdrawn: `EXISTS(SELECT 1 FROM bought_job JOIN purchase ON purchase.seq = bought_job.purchase
    WHERE bought_job.seq = job.seq AND is_void = 1)`,
  follow: `INSERT OR REPLACE INTO bought_job(seq, purchase) SELECT :to, purchase FROM bought_job WHERE seq = :from`,
}

const ADD = `INSERT OR IGNORE INTO purchase(
  seq, request_id, hash, state, action, carrier, sender, shipment_id, number, service, cents, currency, is_test, is_void, kept,
  print, owes, answer, at, run
) VALUES(
  :seq, :requestId, '', CASE WHEN EXISTS(SELECT 1 FROM purchase_label WHERE purchase = :seq) THEN 'done' ELSE 'unknown' END,
  'SubmitShipment', '', '', '', '', '', 0, '', 0, 0, '{}', '', 0, '', :now,
  coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'run'), 0)
)`

/**
 * Restores calls that spent money and whose rows are gone: the index of their ids still knows them, and the numbers that their labels are
 * kept by. Each gets a row again, without a hash, so that the same call buys nothing a second time.
 * @throws SQLite's error where the index is damaged; what was read by then stays
 */
function addLostPurchases({ old, db, order, now }: TableRecovery): void {
  const known = old.prepare(`SELECT seq, request_id FROM purchase ORDER BY request_id ${order}`)
  const add = db.prepare(ADD)
  for (const row of known.iterate()) {
    add.run({ seq: numberOf(row, 'seq'), requestId: textOf(row, 'request_id'), now })
  }
}
