// The address of a label comes from a carrier: whatever its path is, it is fetched from the host that was checked.
import { createServer } from 'node:http'
import t from 'tap'
import { type CarrierSuccess, fetchLabels } from '../../src/carriers/fetch-labels.ts'
import { SHIPPING_BOUNDS } from '../../src/plugins/shipping/bounds.ts'
import { Outbound } from '../../src/plugins/shipping/outbound.ts'
import { listen } from '../listen.ts'

const HOST = 'labels.example'

t.test('no path of a label leads to another host', async (t) => {
  const asked: string[] = []
  const own = await listen(
    t,
    createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('label')
    }),
  )
  const inner = await listen(
    t,
    createServer((request, response) => {
      t.fail(`the inner host was asked for ${request.url}`)
      response.end('secret')
    }),
  )
  const other = `127.0.0.1:${inner}`
  const ways = [
    `//${other}/x`,
    `///${other}/x`,
    `////${other}/x`,
    `/\\${other}/x`,
    `\\\\${other}/x`,
    `\\/${other}/x`,
    `/\t/${other}/x`,
    `\n//${other}/x`,
    `//user:word@${other}/x`,
    `//${other}`,
    `//${other}?x`,
    `//${other}?x=//${other}`,
    `?//${other}/x`,
    `/.//${other}/x`,
    `/a/..//${other}/x`,
    `/%2e//${other}/x`,
    `//${other}/../x`,
    `//${other}#x`,
    `/http://${other}/x`,
    `/@${other}/x`,
    `/;//${other}/x`,
    `//[::ffff:127.0.0.1]:${inner}/x`,
    `//localhost:${inner}/x`,
    '/usual/label.pdf?signature=a%2Fb&b=//c',
  ]
  const parts = {
    sender: new Outbound(),
    bounds: SHIPPING_BOUNDS,
    origins: { [`https://${HOST}`]: `http://127.0.0.1:${own}` },
    hosts: [HOST],
    endsAt: performance.now() + 60_000,
  }
  for (const way of ways) {
    const package_ = { label: '', tracking_number: '1', label_format: 'PDF' }
    const found = {
      data: { charges: [], packages: [package_] },
      fetch: [{ index: 0, url: `https://${HOST}${way}` }],
    }
    const result = await fetchLabels<'SubmitShipment'>(
      found as unknown as CarrierSuccess<'SubmitShipment'>,
      parts,
    )
    if (!('data' in result)) throw new Error('no data')
    const [{ label = '' } = {}] = result.data.packages ?? []
    t.equal(Buffer.from(label, 'base64').toString(), 'label', JSON.stringify(way))
    const { pathname, search } = new URL(`https://${HOST}${way}`)
    t.equal(asked.at(-1), `${pathname}${search}`, 'the address as it was given')
  }
})

t.test('nor does the path of a call', async (t) => {
  const asked: string[] = []
  const own = await listen(
    t,
    createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('ok')
    }),
  )
  const outbound = new Outbound()
  for (const path of ['//other.invalid/x?y=1', '/\\other.invalid/x', '/a?b=//c']) {
    const call = { method: 'GET', path, headers: {} } as const
    const { bytes } = await outbound.send(`http://127.0.0.1:${own}`, call, 60_000)
    t.equal(bytes.toString(), 'ok', path)
  }
  t.same(asked, ['//other.invalid/x?y=1', '//other.invalid/x', '/a?b=//c'])
})
