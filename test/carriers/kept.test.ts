import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { shortPhone } from '../../src/carriers/shipment.ts'
import { CONTRACTS, callsOf, OWN_CONTRACTS, orderOf } from '../contracts/carriers.ts'
import { LONG_LINES, listKept } from './kept.ts'
import { digestOddAnswers, digestOddOrders } from './odd-answers.ts'

t.setTimeout(300_000)
const folder = new URL('kept/', import.meta.url)

// What a carrier is asked costs money: a person sees each change of it. When one is meant: `make golden`, then read the difference.

t.test('what carriers are sent, and what their answers mean, is what was kept', (t) => {
  const made = listKept()
  for (const [name, kept] of made) {
    t.same(kept, JSON.parse(readFileSync(new URL(name, folder), 'utf8')), name)
  }
  t.same(readdirSync(folder).sort(), [...made.keys()].sort(), 'one file for each carrier')
  t.end()
})

t.test('what odd orders become, and what odd answers mean, is what was kept', (t) => {
  const kept: unknown = JSON.parse(
    readFileSync(new URL('odd-answers.json', import.meta.url), 'utf8'),
  )
  t.same({ orders: digestOddOrders(), answers: digestOddAnswers() }, kept)
  t.end()
})

t.test('no carrier gets a part of an address for a label', (t) => {
  const refusing: string[] = []
  for (const contract of [...CONTRACTS, ...OWN_CONTRACTS]) {
    const { carrier, shipments } = contract
    const order = orderOf(contract, { ...shipments[0], ...LONG_LINES })
    const next = carrier.actions.SubmitShipment?.request(order)
    if (next === undefined || !('errors' in next)) {
      const sent = callsOf(contract, 'GetAllRates', order).map(({ body }) => String(body))
      t.ok(
        sent.some((body) => body.includes(LONG_LINES.to_city)),
        `${carrier.name} gets all of it`,
      )
      continue
    }
    refusing.push(carrier.name)
    const fields = next.errors.map(({ code, field }) => `${code} ${field}`)
    const wanted = ['1101 ship_addr1', '1101 ship_addr2', '1101 to_addr2', '1101 to_city']
    t.same(fields, wanted, carrier.name)
    t.match(
      next.errors[0]?.description,
      /^ship_addr1: got 120 characters, wanted at most \d\d; put/,
    )
  }
  t.same(refusing.sort(), ['DHL', 'FedEx-REST', 'UPS-REST', 'USPS-REST'])
  t.end()
})

t.test('a long telephone number keeps its digits', (t) => {
  t.equal(shortPhone('555 010-0000', 15), '555 010-0000')
  t.equal(shortPhone('+1 (555) 010-0000 ext. 12', 15), '+15550100000')
  t.equal(shortPhone('555 010-0000 x1234', 15), '555 010-0000')
  t.equal(shortPhone('5'.repeat(40), 15), '5'.repeat(15))
  t.end()
})
