import t from 'tap'
import { spoken } from '../../words/spoken.ts'
import { packagesOf, startShipping, TWO_PARCELS } from './http/calls.ts'

/** Bought, with labels that have not gone to their printer, as a power cut leaves it. */
async function startOwing(t: Parameters<typeof startShipping>[0], ...ids: readonly string[]) {
  const rig = startShipping(t, { prints: false })
  for (const request_id of ids) await rig.ask('SubmitShipment', TWO_PARCELS, { request_id })
  const { records } = rig.bench.spool
  const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
  records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
  const change = (text: string): unknown => records.prepare(text).run()
  return { ...rig, change }
}

t.test('an answer that cannot be read keeps back no label, of itself or of others', async (t) => {
  const { ask, shipping, change, jobs } = await startOwing(t, 'a', 'b')
  change("UPDATE purchase SET answer = substr(answer, 1, 90) WHERE request_id = 'a'")
  const { desk, journal } = await shipping()
  desk.resume()
  t.equal(jobs().length, 4)
  t.same(journal.owing(), [])
  const again = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  t.equal(again.meta.code, 200)
  t.match(again.data?.errors, [{ type: 'WARNING', description: /could not be read/ }])
  const packages = packagesOf(again)
  t.equal(packages.length, 2)
  t.ok(packages.every(({ label, print }) => label !== '' && print?.job_id !== ''))
  t.equal(jobs().length, 4, 'none prints twice')
})

t.test('a paid label that is lost is told of, and the others print', async (t) => {
  const { ask, shipping, change, jobs } = await startOwing(t, 'a')
  change('DELETE FROM purchase_label WHERE n = 1')
  const { desk } = await shipping()
  desk.resume()
  t.equal(jobs().length, 1)
  const again = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  t.match(spoken(packagesOf(again)), [
    { label: /./, print: { state: 'pending' } },
    { label: '', print: { state: 'aborted', message: /./ } },
  ])
})

t.test('a purchase of which only its id is left is not made again', async (t) => {
  const { ask, change, shipping } = await startOwing(t, 'a', 'b')
  // As the repair of a damaged spool leaves them.
  change("UPDATE purchase SET hash = '', answer = '', print = '', owes = 0")
  change("UPDATE purchase SET state = 'unknown' WHERE request_id = 'b'")
  const { journal } = await shipping()
  const kept = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  t.match(kept.data?.errors, [{ type: 'WARNING', description: /could not be read/ }])
  t.equal(packagesOf(kept).filter(({ label }) => label !== '').length, 2)
  for (let n = 0; n < 2; n += 1) {
    const lost = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'b' })
    t.match(lost, { meta: { code: 200 }, request_id: 'b', data: { packages: null } })
    t.match(lost.data?.errors, [{ type: 'UNKNOWN', description: /damaged page/ }])
  }
  t.match(journal.list(9), [{ state: 'unknown' }, { state: 'done' }])
})

t.test('a label whose printer cannot be read any more is answered, not printed', async (t) => {
  const { ask, shipping, change, jobs, bench } = await startOwing(t, 'a', 'b')
  change("UPDATE purchase SET print = substr(print, 1, 9) WHERE request_id = 'a'")
  const { desk, journal } = await shipping()
  desk.resume()
  t.equal(jobs().length, 2, 'those of the other one')
  t.same(journal.owing(), [])
  const again = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  t.equal(again.meta.code, 200)
  const aborted = { label: /./, print: { state: 'aborted', message: /could not be read/ } }
  t.match(packagesOf(again), [aborted, aborted])
  t.same(bench.faults, [])
})

t.test('an unknown purchase whose steps cannot be read is not made again', async (t) => {
  const { ask, change, bench } = await startOwing(t, 'a')
  change("UPDATE purchase SET state = 'unknown', owes = 0")
  for (const kept of ['{"shipment":"PL', 'null', '"x"']) {
    change(`UPDATE purchase SET kept = '${kept}'`)
    const lost = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
    t.match(lost, { meta: { code: 200 }, request_id: 'a', data: { packages: null } }, kept)
    t.match(lost.data?.errors, [{ type: 'UNKNOWN', description: /damaged page/ }])
  }
  t.same(bench.faults, [])
})
