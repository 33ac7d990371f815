import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { Journal } from '../../../src/plugins/shipping/journal.ts'
import { allPlugins } from '../all.ts'

const CALL = { hash: 'h', action: 'SubmitShipment', carrier: 'ups', sender: 'shop' } as const
const LABEL = Buffer.from('^XA^FDpaid^FS^XZ')

function open(t: Test, folder: string): Spool {
  const spool = new Spool({ folder, tables: allPlugins.tables(), minFreeBytes: 0, ballastBytes: 0 })
  t.teardown(() => spool.close())
  return spool
}

/** Overwrites one page of a table: the first, or one in its middle. */
function damage(file: string, table: string, isInside = false): void {
  const db = new DatabaseSync(file)
  const root = db.prepare('SELECT rootpage AS page FROM sqlite_master WHERE name = ?').get(table)
  const inside = db
    .prepare(
      "SELECT pageno AS page FROM dbstat WHERE name = ? AND path LIKE '/%/' LIMIT 1 OFFSET 2",
    )
    .get(table)
  db.close()
  const bytes = readFileSync(file)
  const at = (Number((isInside ? inside : root)?.['page']) - 1) * PAGE_BYTES
  writeFileSync(file, bytes.fill(0xa5, at, at + PAGE_BYTES))
}

function buy(journal: Journal, requestId: string, answer = '{}'): void {
  journal.writeSent({ ...CALL, requestId, print: '{"copies":1}', isTest: false })
  const bought = { shipmentId: requestId, number: requestId, service: '03', cents: 1_099 }
  const labels = [{ format: 'ZPL', label: LABEL }]
  journal.writeDone(requestId, { ...bought, currency: 'USD', answer, labels })
}

t.test('a damaged spool keeps what was bought, paid labels that never printed too', (t) => {
  const folder = t.testdir()
  const before = open(t, folder)
  const journal = new Journal(before.records)
  buy(journal, 'printed')
  journal.writePrinted('printed', '{"job_id":"52nj-7"}')
  buy(journal, 'owed')
  journal.writeSent({ ...CALL, requestId: 'asked', print: '', isTest: false })
  before.close()
  damage(join(folder, 'spool.db'), 'preview')
  const spool = open(t, folder)
  t.match(spool.notices, [/was damaged/])
  const saved = new Journal(spool.records)
  t.match(saved.find('printed'), { state: 'done', owes: false, answer: '{"job_id":"52nj-7"}' })
  t.match(saved.find('asked'), { state: 'sent' }, 'so nobody buys it once more')
  const [owed] = saved.owing()
  t.equal(owed?.requestId, 'owed')
  const labels = owed === undefined ? [] : saved.labels(owed)
  t.same(
    labels.map(({ label }) => Buffer.from(label)),
    [LABEL],
  )
  t.end()
})

t.test('the purchases behind a damaged page are kept too, and none on it is made again', (t) => {
  const folder = t.testdir()
  const before = open(t, folder)
  const journal = new Journal(before.records)
  for (let n = 0; n < 60; n += 1) buy(journal, `r${n}`, JSON.stringify('x'.repeat(1_000)))
  const drop = 'DELETE FROM purchase_label WHERE purchase = ?'
  before.records.prepare(drop).run(journal.find('r7')?.seq ?? 0)
  before.close()
  damage(join(folder, 'spool.db'), 'purchase', true)
  const saved = new Journal(open(t, folder).records)
  const kept = Array.from({ length: 60 }, (_, n) => saved.find(`r${n}`))
  const whole = kept.filter((entry) => entry?.hash === 'h').length
  t.ok(whole > 50 && whole < 60, `${whole} of 60`)
  t.equal(saved.find('r59')?.state, 'done')
  for (const [n, entry] of kept.entries()) {
    if (entry?.hash === 'h') continue
    const state = n === 7 ? 'unknown' : 'done'
    t.match(entry, { hash: '', state, owes: false, answer: '' }, `r${n}`)
    t.equal(entry && saved.labels(entry).length, n === 7 ? 0 : 1)
  }
  t.end()
})

t.test('... nor any other where nothing of the purchases can be read', (t) => {
  const folder = t.testdir()
  const before = open(t, folder)
  const journal = new Journal(before.records)
  for (let n = 0; n < 60; n += 1) buy(journal, `r${n}`, JSON.stringify('x'.repeat(1_000)))
  before.close()
  damage(join(folder, 'spool.db'), 'purchase')
  const saved = new Journal(open(t, folder).records)
  const kept = Array.from({ length: 60 }, (_, n) => saved.find(`r${n}`))
  t.ok(kept.every((entry) => entry?.state === 'done' && saved.labels(entry).length === 1))
  t.end()
})
