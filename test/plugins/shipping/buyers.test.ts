import t from 'tap'
import { Spool } from '../../../src/core/spool/spool.ts'
import { Journal } from '../../../src/plugins/shipping/journal.ts'
import { makeRun } from '../../../src/plugins/shipping/purchases.ts'
import { allPlugins } from '../all.ts'

const CALL = { hash: 'h', action: 'SubmitShipment', carrier: 'EasyPost', sender: 'shop' } as const
const DONE = { number: '1', service: '03', cents: 1_099, currency: 'USD', answer: '{}', labels: [] }

t.test('of two requests for one rate, one has bought it', (t) => {
  const spool = new Spool({
    folder: t.testdir(),
    tables: allPlugins.tables(),
    minFreeBytes: 0,
    ballastBytes: 0,
  })
  t.teardown(() => spool.close())
  const journal = new Journal(spool.records)
  const runOf = (requestId: string) =>
    makeRun({ timeoutMs: 1_000, trace: undefined }, requestId, journal)
  const begin = (requestId: string, shipment: string) => {
    journal.writeSent({ ...CALL, requestId, print: '', isTest: false })
    const run = runOf(requestId)
    run.keep({ shipment, rate: 'rate_1' })
    return run
  }
  const first = begin('first', 'shp_1')
  const second = begin('second', 'shp_1')
  t.equal(second.buyerOf('shp_1'), 'first', 'who asked first and has not ended')
  t.equal(first.buyerOf('shp_1'), 'first')
  t.equal(first.buyerOf('shp_10'), undefined, 'another shipment whose id begins the same')

  second.claim?.('shp_1')
  t.equal(first.buyerOf('shp_1'), 'second', 'the carrier told it that it has bought')
  journal.writeDone('second', { ...DONE, shipmentId: 'shp_1' })
  t.equal(first.buyerOf('shp_1'), 'second', 'and it is written down')

  const third = begin('third', 'shp_3')
  begin('fourth', 'shp_3')
  journal.forget('third')
  t.equal(third.buyerOf('shp_3'), 'fourth', 'what was refused asks for nothing any more')
  t.end()
})
