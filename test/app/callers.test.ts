import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { judgeDoorCaller } from '../../src/plugins/door/caller.ts'
import { type FoundPlace, Peers } from '../../src/plugins/peers/peers.ts'
import { keepFile } from '../../src/settings/write.ts'
import { startRig } from '../http/rig.ts'

t.test('who calls a door that browsers can reach', (t) => {
  const shop = 'https://shop.example'
  const config = { allowed_origins: [shop], allowed_hosts: ['labels.example'], host: 'box.lan' }
  const own = { host: 'localhost:8080' }
  for (const [headers, caller] of [
    [{ ...own, origin: shop }, 'named'],
    [{ ...own, origin: 'https://evil.example' }, 'foreign'],
    [{ ...own, origin: 'null' }, 'foreign'],
    [{ host: 'evil.example', origin: shop }, 'named'],
    [own, 'program'],
    [{ host: '127.0.0.1' }, 'program'],
    [{ host: 'labels.example' }, 'program'],
    [{ host: 'box.lan:8080' }, 'program'],
    [{ host: 'bench.local' }, 'program'],
    [{ host: 'rebound.example' }, 'foreign'],
    [{}, 'foreign'],
    [{ host: 'not a host' }, 'foreign'],
    [{ ...own, 'sec-fetch-site': 'none' }, 'program'],
    [{ ...own, 'sec-fetch-site': 'Same-Origin' }, 'program'],
    [{ ...own, 'sec-fetch-site': 'same-site' }, 'foreign'],
    [{ ...own, 'sec-fetch-site': 'cross-site' }, 'foreign'],
  ] as const) {
    t.equal(
      judgeDoorCaller(headers, config, () => ['bench.local']),
      caller,
      JSON.stringify(headers),
    )
  }
  const none = judgeDoorCaller({ ...own, origin: shop }, {}, () => [])
  t.equal(none, 'foreign', 'no list of sites means no page')
  t.equal(
    judgeDoorCaller({ host: 'box.lan' }, {}, () => []),
    'foreign',
  )
  t.end()
})

t.test(
  'print servers that the network tells of are others, and paired where we know them',
  async (t) => {
    const rig = startRig(t)
    const [own = ''] = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).map(({ address }) => address),
    )
    const found: readonly FoundPlace[] = [
      { name: 'us', address: own, port: '8443' },
      { name: 'another program here', address: own, port: '9443' },
      { name: 'other', address: '192.0.2.9', port: '8443' },
      { name: 'sixth', address: '2001:db8::9', port: '8443' },
    ]
    const peers = new Peers({
      spool: rig.bench.spool,
      printers: rig.bench.printers,
      signal: rig.stopping.signal,
      self: () => ({ name: 'us', pin: '', securePort: '8443' }),
      file: keepFile(join(rig.folder, 'peers.json')),
      wake: () => undefined,
      fault: (error) => t.error(error),
      search: () => Promise.resolve(found),
    })
    t.match(await peers.find(), [
      { name: 'another program here', paired: false },
      { name: 'other', address: '192.0.2.9:8443', paired: false },
      { name: 'sixth', address: '[2001:db8::9]:8443', paired: false },
    ])
    t.equal((await peers.find()).length, 3)
  },
)

t.test('a form of another window arrives: a page says so, a program reads JSON', async (t) => {
  const { call, jobs } = startRig(t)
  const post = (headers: Record<string, string>) => call('/can-print', { method: 'POST', headers })
  t.strictSame(await (await post({ accept: 'application/json' })).json(), {
    Status: 'OK',
    Message: '',
  })
  const page = await post({ accept: 'text/html', 'sec-fetch-mode': 'navigate' })
  t.match(page.headers.get('content-type'), /^text\/html/)
  t.match(await page.text(), /data-to="".*Nothing was printed/)
  t.strictSame(jobs(), [])
})
