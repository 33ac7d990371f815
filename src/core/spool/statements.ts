import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ADD_JOB, JOB_COLUMNS, MOVE_JOB } from './columns.ts'
import type { PluginTables } from './plugin-tables.ts'

// Every statement of the spool, so that the whole of its SQL can be read in one place.
const textsOf = (plugins: readonly PluginTables[]) => ({
  beginPart: 'SAVEPOINT part',
  endPart: 'RELEASE part',
  meta: 'SELECT value FROM meta WHERE key = ?',
  metaFrom: 'SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key',
  dropMeta: 'DELETE FROM meta WHERE key = ?',
  setMeta: 'INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)',
  addJob: ADD_JOB,
  // Adds nothing when `keep` is 0, which releases the label of the last call.
  addContent:
    'INSERT INTO content(label, digest, crc) SELECT :label, :digest, :crc WHERE :keep > 0',
  // Of the row itself: the index may be sound where it is not.
  findContent: `SELECT own.id AS id, own.label AS label FROM content JOIN content AS own ON own.id = content.id
    WHERE content.digest = ? AND content.digest <> x'' AND +own.digest = content.digest`,
  sameContent: `SELECT content.id AS id FROM job JOIN content ON content.id = job.content
    WHERE job.seq = CAST(substr(:id, instr(:id, '-') + 1) AS INTEGER) AND job.id = :id AND content.label = :label`,
  contentOf: 'SELECT content, sender FROM job WHERE seq = ?',
  waitingContent: `SELECT seq FROM job WHERE content = :content AND content > 0 AND ended_run = 0 AND printer = :printer
    AND sender = :sender LIMIT 2`,
  addPreview: 'INSERT OR REPLACE INTO preview(seq, png) VALUES(?, ?)',
  update: MOVE_JOB,
  entitle: "UPDATE job SET title = ? WHERE seq = ? AND title = ''",
  crashes: 'UPDATE job SET crashes = ? WHERE seq = ?',
  bySeq: `SELECT ${JOB_COLUMNS} FROM job WHERE seq = ?`,
  range: `SELECT ${JOB_COLUMNS} FROM job WHERE seq BETWEEN ? AND ? ORDER BY seq`,
  ...inBothOrders('list', `SELECT ${JOB_COLUMNS} FROM job WHERE`),
  ...inBothOrders('seqs', 'SELECT seq FROM job WHERE state = ? AND printer = ? AND'),
  firstPrinter: 'SELECT printer FROM job WHERE state = ? ORDER BY printer LIMIT 1',
  nextPrinter: 'SELECT printer FROM job WHERE state = ? AND printer > ? ORDER BY printer LIMIT 1',
  ...inBothOrders(
    'titles',
    "SELECT seq, title FROM job INDEXED BY job_title WHERE title <> '' AND",
  ),
  openCounts: `SELECT state, printer, count(*) AS jobs FROM job
    WHERE state IN ('pending', 'pending-held', 'processing', 'processing-stopped') GROUP BY state, printer`,
  endedSince: `SELECT printer, state, count(*) AS jobs FROM job WHERE has_label IN (0, 1) AND ended_run > 0 AND ended_run >= ?
    AND ended_at >= ? GROUP BY printer, state`,
  next: `SELECT ${JOB_COLUMNS}, crashes, expires_run, ${isWithdrawn(plugins)} AS is_withdrawn
    FROM job WHERE state = 'pending' AND printer = ? ORDER BY seq LIMIT 1`,
  withdrawn: `SELECT ${isWithdrawn(plugins)} AS is_withdrawn FROM job WHERE seq = ?`,
  waitingOf: `SELECT id, seq FROM job WHERE state = :state AND printer = :printer AND seq > :after AND seq <= :last
    ORDER BY seq LIMIT :limit`,
  lastSeq: 'SELECT max(seq) AS seq FROM job',
  // As AUTOINCREMENT would choose it.
  nextSeq: `SELECT 1 + max(coalesce((SELECT max(seq) FROM job), 0),
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0)) AS seq`,
  // Also of jobs that are gone.
  lastGiven: "SELECT seq FROM sqlite_sequence WHERE name = 'job'",
  unfinished: `SELECT ${JOB_COLUMNS} FROM job WHERE printer = ?
    AND state IN ('pending', 'pending-held', 'processing', 'processing-stopped') ORDER BY seq LIMIT ?`,
  unprinted: `SELECT ${JOB_COLUMNS}, hash, (SELECT label FROM content WHERE content.id = job.content) AS label,
    (SELECT digest FROM content WHERE content.id = job.content) AS digest,
    (SELECT crc FROM content WHERE content.id = job.content) AS crc FROM job WHERE seq > ? AND content > 0 AND state IN ('pending', 'pending-held', 'processing', 'processing-stopped')
    AND EXISTS (SELECT 1 FROM content WHERE content.id = job.content) ORDER BY seq LIMIT 1`,
  repeatOf:
    'SELECT key, fingerprint FROM idem WHERE first_seq <= ? AND first_seq + jobs > ? LIMIT 1',
  repeatsAfter: 'SELECT key, fingerprint FROM idem WHERE key > ? ORDER BY key LIMIT ?',
  started: `SELECT ${JOB_COLUMNS} FROM job WHERE state IN ('processing', 'processing-stopped') ORDER BY seq`,
  // Left to itself SQLite walks all that waits, by job_queue.
  expired: `SELECT ${JOB_COLUMNS} FROM job INDEXED BY job_expiry WHERE state = 'pending' AND expires_run > 0 AND expires_run <= ?
    ORDER BY expires_run LIMIT ?`,
  expiryOf: 'SELECT expires_run AS at FROM job WHERE seq = ?',
  nextExpiry:
    "SELECT min(expires_run) AS at FROM job INDEXED BY job_expiry WHERE state = 'pending' AND expires_run > 0",
  // Above one minute only: the wall clock drifts a little all the time.
  rebaseExpiry: `UPDATE job INDEXED BY job_expiry SET expires_at = expires_run + ? WHERE state = 'pending' AND expires_run > 0
    AND abs(expires_at - expires_run - ?) > 60000`,
  rebaseHeld: `UPDATE job SET expires_at = expires_run + ? WHERE state = 'pending-held' AND expires_run > 0
    AND abs(expires_at - expires_run - ?) > 60000`,
  label:
    'SELECT label, digest, crc FROM job JOIN content ON content.id = job.content WHERE seq = ?',
  preview: 'SELECT png FROM preview WHERE seq = ?',
  dropPreview: 'DELETE FROM preview WHERE seq = ?',
  dropLabel: 'UPDATE job SET content = 0, has_label = 0, has_preview = 0 WHERE seq = ?',
  endedBefore: `SELECT seq, label_bytes FROM job WHERE has_label = 1 AND ended_run > 0 AND ended_run < ?
    ORDER BY ended_run LIMIT ?`,
  dropRows: `DELETE FROM job WHERE has_label = 0 AND ended_run > 0 AND ended_run < ? RETURNING state`,
  dropRow: 'DELETE FROM job WHERE seq = ?',
  oldestEnded:
    'SELECT seq, state FROM job WHERE ended_run > 0 ORDER BY has_label, ended_run LIMIT ?',
  dropOldestRows: `DELETE FROM job WHERE seq IN (SELECT seq FROM job WHERE has_label = 0 AND ended_run > 0
    ORDER BY ended_run LIMIT 100) RETURNING state`,
  clampEnded: 'UPDATE job SET ended_run = ? WHERE ended_run = ? OR ended_run > ?',
  findRepeat: 'SELECT fingerprint, first_seq, jobs, run FROM idem WHERE key = ?',
  findFamily: `SELECT fingerprint, first_seq, jobs, run FROM idem
    WHERE key >= ? AND key < ? AND fingerprint = ?`,
  addRepeat:
    'INSERT OR REPLACE INTO idem(key, fingerprint, first_seq, jobs, run, sender) VALUES(?, ?, ?, ?, ?, ?)',
  dropRepeat: 'DELETE FROM idem WHERE key >= ? AND key < ?',
  dropRepeats: 'DELETE FROM idem WHERE run < ?',
  countRepeats: 'SELECT count(*) AS repeats FROM idem',
  repeatsOfSenders: 'SELECT sender, count(*) AS repeats FROM idem GROUP BY sender',
  dropOldestRepeats: `DELETE FROM idem WHERE key IN (SELECT key FROM idem WHERE sender = ? AND NOT EXISTS (
      SELECT 1 FROM job WHERE job.seq >= first_seq AND job.seq < first_seq + jobs AND job.ended_run = 0)
    ORDER BY run LIMIT ?) RETURNING run`,
  halfLabels: 'SELECT place, printer, job, format FROM half_label',
  addHalfLabel: 'INSERT OR REPLACE INTO half_label(place, printer, job, format) VALUES(?, ?, ?, ?)',
  dropHalfLabel: 'DELETE FROM half_label WHERE place = ? AND printer = ? AND job = ?',
  // What is held as a duplicate itself has not printed and may never.
  duplicate: `SELECT ${JOB_COLUMNS} FROM job WHERE printer = :printer AND hash = :hash AND hash <> '' AND (
    (state = 'completed' AND ended_run >= :since) OR state IN ('pending', 'processing', 'processing-stopped')
    OR (state = 'pending-held' AND instr(reasons, 'platen-duplicate') = 0)) ORDER BY seq DESC LIMIT 1`,
  endedAt: `SELECT ${JOB_COLUMNS} FROM job WHERE ended_run = ? ORDER BY seq`,
  addEvent: 'INSERT INTO outbox(event) VALUES(?)',
  // SQLite's check of its pages does not look into texts: a damaged one goes with those behind it.
  oldestEvents: 'SELECT seq, event FROM outbox WHERE json_valid(event) ORDER BY seq LIMIT ?',
  eventEnds: 'SELECT (SELECT min(seq) FROM outbox) AS first, (SELECT max(seq) FROM outbox) AS last',
  dropEvents: 'DELETE FROM outbox WHERE seq <= ?',
  pageCount: 'PRAGMA page_count',
  freeCount: 'PRAGMA freelist_count',
})

/** The prepared statements by name. */
export type Statements = Readonly<Record<keyof ReturnType<typeof textsOf>, StatementSync>>

/** Prepares every statement once for this opening. */
export function makeStatements(db: DatabaseSync, plugins: readonly PluginTables[]): Statements {
  const entries = Object.entries(textsOf(plugins)).map(
    ([name, text]) => [name, db.prepare(text)] as const,
  )
  return Object.fromEntries(entries) as Statements
}

/** The condition that a plugin has withdrawn the label of a job. */
function isWithdrawn(plugins: readonly PluginTables[]): string {
  const conditions = plugins.flatMap(({ withdrawn = [] }) => withdrawn)
  return conditions.length === 0 ? '0' : `(${conditions.join(' OR ')})`
}

/** Statements for pages of a list, newest and oldest first: the jobs between two positions, up to a limit. */
function inBothOrders<Name extends string>(
  name: Name,
  text: string,
): Readonly<Record<`${Name}Newest` | `${Name}Oldest`, string>> {
  const page = (order: string): string =>
    `${text} seq > ? AND seq < ? ORDER BY seq ${order} LIMIT ?`
  return { [`${name}Newest`]: page('DESC'), [`${name}Oldest`]: page('ASC') } as Record<
    `${Name}Newest` | `${Name}Oldest`,
    string
  >
}
