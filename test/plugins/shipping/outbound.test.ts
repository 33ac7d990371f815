import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { CarrierFault } from '../../../src/carriers/fault.ts'
import { type CarrierSuccess, fetchLabels } from '../../../src/carriers/fetch-labels.ts'
import { SHIPPING_BOUNDS } from '../../../src/plugins/shipping/bounds.ts'
import { isSent, Outbound, toFault } from '../../../src/plugins/shipping/outbound.ts'
import { listen } from '../../listen.ts'

/** The origin of a web server that answers so. */
async function serve(t: Test, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(t, createServer(listener))}`
}

t.test('why a call failed is told by its code alone, never by words of the request', (t) => {
  const failed = 'The connection to the carrier failed'
  const coded = (code: unknown) => Object.assign(new Error('Bearer secret'), { code })
  const late = 'The carrier did not answer in time.'
  for (const [code, name, message] of [
    ['ECONNRESET', 'CARRIER_FAULT', `${failed} (ECONNRESET).`],
    ['ERR_LATE_ANSWER', 'CARRIER_TIMEOUT', late],
  ] as const) {
    const fault = toFault(coded(code))
    t.ok(fault instanceof CarrierFault)
    t.match(fault, { code: name, message, isSent: true })
  }
  for (const odd of [new Error('Bearer secret'), 'Bearer secret', undefined, null, { code: 'X' }])
    t.equal(toFault(odd), odd, 'of which the engine says nothing but that it failed')
  t.end()
})

t.test('a call is not sent where no connection was made, and may be sent everywhere else', (t) => {
  const coded = (code: string) => Object.assign(new Error(code), { code })
  for (const code of [
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_NOT_YET_VALID',
  ]) {
    t.equal(isSent(coded(code)), false, code)
  }
  for (const code of ['ECONNRESET', 'EPIPE', 'ERR_LATE_ANSWER', 'ERR_LONG_REPLY', '']) {
    t.equal(isSent(coded(code)), true, code)
  }
  t.equal(isSent(new Error('no code')), true)
  t.end()
})

t.test(
  'labels that a carrier keeps are fetched from its own hosts, three times at most',
  async (t) => {
    const asked: string[] = []
    const origin = await serve(t, (request, response) => {
      const { url = '', headers } = request
      asked.push(url)
      t.equal(headers.authorization, undefined, 'no credentials')
      const count = asked.filter((one) => one === url).length
      if (url.startsWith('/reset')) return response.destroy()
      if (url.startsWith('/moved')) return response.writeHead(302, { location: '/good' }).end()
      if (url.startsWith('/late') && count < 3) return response.writeHead(503).end()
      if (url.startsWith('/none')) return response.writeHead(404).end('no')
      return response.end('^XA^XZ')
    })
    const hosts = ['labels.example', '.bucket.example']
    const names = ['labels.example', 'a.bucket.example', 'bucket.example', 'evil.example']
    const parts = {
      sender: new Outbound(),
      bounds: SHIPPING_BOUNDS,
      origins: Object.fromEntries(names.map((name) => [`https://${name}`, origin])),
      hosts,
      endsAt: 0, // the time of the call is over
    }
    const fetchOne = async (url: string, index = 0) => {
      asked.length = 0
      const packages = [{ tracking_number: '1', label: '', label_format: 'ZPL' }]
      const remarks = [{ code: 1, description: 'A note.', type: 'NOTE' }]
      const found = { data: { charges: 1, packages }, remarks, fetch: [{ index, url }] }
      const result = await fetchLabels<'SubmitShipment'>(
        found as unknown as CarrierSuccess<'SubmitShipment'>,
        parts,
      )
      if (!('data' in result)) throw new Error('no data')
      const [{ label = '' } = {}] = result.data.packages ?? []
      const [note, ...warnings] = result.remarks ?? []
      t.equal(note?.description, 'A note.')
      return { label: Buffer.from(label, 'base64').toString(), warnings }
    }
    const cases: readonly (readonly [url: string, isThere: boolean, calls: number])[] = [
      ['https://labels.example/good?a=1', true, 1],
      ['https://a.bucket.example/good', true, 1],
      ['https://labels.example/late', true, 3],
      ['https://labels.example/none', false, 3],
      ['https://labels.example/reset', false, 3],
      ['https://labels.example/moved', false, 3],
      ['https://bucket.example/good', false, 0],
      ['https://evil.example/good', false, 0],
      ['http://labels.example/good', false, 0],
      ['nonsense', false, 0],
    ]
    for (const [url, isThere, calls] of cases) {
      const { label, warnings } = await fetchOne(url)
      t.equal(label, isThere ? '^XA^XZ' : '', url)
      t.equal(asked.length, calls, `${url}: calls`)
      if (isThere) t.same(warnings, [])
      else
        t.match(warnings, [{ type: 'WARNING', description: `package 1 was bought and could not` }])
    }
    const { label, warnings } = await fetchOne('https://labels.example/good?b', 3)
    t.equal(label, '')
    t.match(warnings, [{ type: 'WARNING', description: /^The label of package 1 .* not in the/ }])
    t.same(asked, ['/good?b'])
    const voided = { data: { status: 'Voided', status_code: '1' }, remarks: [], fetch: [] }
    t.same(await fetchLabels(voided as CarrierSuccess<'VoidShipment'>, parts), {
      data: voided.data,
      remarks: [],
    })
  },
)

t.test(
  'so many calls are under way at once, and the next one goes when one is through',
  async (t) => {
    const open: (() => void)[] = []
    const origin = await serve(t, (_, response) => open.push(() => response.end('ok')))
    const outbound = new Outbound()
    const call = { method: 'GET', path: '/', headers: {} } as const
    const { atOnce } = SHIPPING_BOUNDS
    let done = 0
    const calls = Array.from({ length: atOnce + 3 }, async () => {
      const { status, bytes } = await outbound.send(origin, call, 60_000)
      t.same([status, bytes.toString()], [200, 'ok'])
      done += 1
    })
    for (let n = 0; n < calls.length; n += 1) {
      while (open.length <= n && n < atOnce) await new Promise(setImmediate)
      if (n >= atOnce) {
        // Each that is through lets one more in.
        t.equal(open.length, n, 'the others wait')
        open[n - atOnce]?.()
        while (open.length <= n) await new Promise(setImmediate)
      }
    }
    t.equal(done, calls.length - atOnce)
    for (const end of open) end()
    await Promise.all(calls)
  },
)
