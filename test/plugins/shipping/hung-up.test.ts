import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { ups } from '../../../src/carriers/ups/index.ts'
import { serve } from '../../../src/http/server.ts'
import { Turns } from '../../../src/plugins/shipping/turns.ts'
import { poll } from '../../until.ts'
import { type Answer, startShipping, TWO_PARCELS } from './http/calls.ts'
import { type Manner, UpsStandIn } from './ups-stand-in.ts'

const ACCOUNT = { client_id: 'id', client_secret: 'secret', account_number: 'A1B2C3' }
/** At once under way (SHIPPING_BOUNDS.atOnce). */
const AT_ONCE = 4

/** A box on a real port, whose UPS is the stand-in. */
async function startBox(t: Test, manners: Manner[]) {
  const ups_ = await UpsStandIn.open()
  t.teardown(() => ups_.close())
  tls.setDefaultCACertificates([ups_.authority])
  ups_.manners = manners
  const hosts = Object.values(ups.hosts ?? {})
  const origins = Object.fromEntries(hosts.map((host) => [host, ups_.origin]))
  const rig = startShipping(t, { origins })
  const listener = await serve(rig.app, { host: '127.0.0.1', port: 0 })
  t.teardown(() => listener.close(0))
  const { port } = listener.address

  /** A call over a connection of its own, which `hangUp` ends. */
  const send = (body: unknown) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: '/v1',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
    })
    const answer = new Promise<Answer | Answer[] | undefined>((resolve) => {
      outgoing.on('error', () => resolve(undefined))
      outgoing.on('response', (incoming) => {
        text(incoming).then(
          (body) => resolve(JSON.parse(body)),
          () => resolve(undefined),
        )
      })
    })
    outgoing.end(JSON.stringify(body))
    return { answer, hangUp: () => outgoing.destroy() }
  }
  const callOf = (request_id: string, timeout: number) => ({
    carrier: 'UPS',
    action: 'SubmitShipment',
    request_id,
    params: { ...TWO_PARCELS, ...ACCOUNT, service: '03', test: true, timeout },
  })
  const buy = (request_id: string, timeout = 3_000) => send(callOf(request_id, timeout))
  return { ...rig, standIn: ups_, send, callOf, buy }
}

t.test('a purchase whose caller hung up while it waited is not begun', async (t) => {
  const hanging = Array.from({ length: AT_ONCE }, () => 'hang' as const)
  const { standIn, buy, shipping } = await startBox(t, [...hanging, 'ok'])
  const first = hanging.map((_, n) => buy(`first-${n}`))
  await poll('all places are taken', () => standIn.bought.size === AT_ONCE)
  const gone = [buy('gone-1'), buy('gone-2')]
  const stays = buy('stays')
  const { journal } = await shipping()
  // They have come, as far as anybody can see from here.
  await new Promise((resolve) => setTimeout(resolve, 300))
  for (const one of gone) one.hangUp()
  t.match(await stays.answer, { data: { errors: [{ type: 'NOTE' }], charges: 47.48 } })
  for (const { answer } of first) t.match(await answer, { data: { packages: [{}, {}] } })
  t.same([...standIn.bought.keys()].toSorted(), [
    'first-0',
    'first-1',
    'first-2',
    'first-3',
    'stays',
  ])
  t.equal(journal.find('gone-1'), undefined)
  t.match(await buy('gone-1').answer, { data: { packages: [{}, {}] } }, 'it can be asked for again')
  for (const numbers of standIn.bought.values()) t.equal(numbers.length, 2, 'each once')
})

t.test('one that has begun is finished, though nobody waits for it', async (t) => {
  const { standIn, buy, shipping } = await startBox(t, ['hang', 'ok'])
  const call = buy('begun', 1_500)
  await poll('it is bought', () => standIn.bought.has('begun'))
  call.hangUp()
  const { journal } = await shipping()
  await poll('it is written down', () => journal.find('begun')?.state === 'done')
  t.match(await buy('begun', 1_500).answer, { data: { packages: [{ label: /./ }, {}] } })
  t.equal(standIn.purchases, 2)
})

t.test('one that another caller asks for as well is begun', async (t) => {
  const hanging = Array.from({ length: AT_ONCE }, () => 'hang' as const)
  const { standIn, buy } = await startBox(t, [...hanging, 'ok'])
  const first = hanging.map((_, n) => buy(`first-${n}`))
  await poll('all places are taken', () => standIn.bought.size === AT_ONCE)
  const gone = buy('both')
  await new Promise((resolve) => setTimeout(resolve, 200))
  const again = buy('both')
  await new Promise((resolve) => setTimeout(resolve, 200))
  gone.hangUp()
  t.match(await again.answer, { data: { packages: [{}, {}] } })
  t.equal(standIn.bought.get('both')?.length, 2)
  await Promise.all(first.map(({ answer }) => answer))
})

t.test('the rest of a list of calls is not begun', async (t) => {
  const { standIn, send, callOf, shipping } = await startBox(t, ['hang'])
  const ids = Array.from({ length: 12 }, (_, n) => `list-${n}`)
  const call = send(ids.map((id) => callOf(id, 1_000)))
  await poll('the first are under way', () => standIn.bought.size === AT_ONCE)
  call.hangUp()
  const { journal } = await shipping()
  const isDone = (id: string): boolean => journal.find(id)?.state === 'done'
  await poll('they are finished', () => ids.filter(isDone).length >= AT_ONCE)
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.equal(standIn.bought.size, AT_ONCE)
})

t.test('turns: so many at once, in order, and none is lost to one that gave up', async (t) => {
  const turns = new Turns(2)
  t.ok(turns.tryTake())
  t.ok(await turns.take(1))
  t.notOk(turns.tryTake())
  t.equal(await turns.take(1), false)
  const order: number[] = []
  const waiting = [1, 2, 3].map(async (n) => {
    t.equal(await turns.take(60_000), true)
    order.push(n)
    turns.leave()
  })
  turns.leave()
  await Promise.all(waiting)
  t.same(order, [1, 2, 3])
  turns.leave()
  t.ok(turns.tryTake())
  t.ok(turns.tryTake())
  t.notOk(turns.tryTake())
})
