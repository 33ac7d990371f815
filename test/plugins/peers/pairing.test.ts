import { createHmac, randomBytes, scryptSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import t from 'tap'
import { PlatenError } from '../../../src/words/errors.ts'
import { listen } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'
import { openBox, pair } from './rig.ts'

t.setTimeout(300_000)

const JSON_TYPE = { 'content-type': 'application/json' }

t.test('a code pairs both sides, once', async (t) => {
  const [a, b] = [await openBox(t, 'a'), await openBox(t, 'b')]
  const { code } = b.peers.pairing.show()
  t.match(code, /^[a-z2-9]{4}-[a-z2-9]{4}$/)
  const view = await a.peers.pair(b.place, ` ${code.toUpperCase().replace('-', ' ')}`)
  t.match(spoken(view), {
    name: 'b',
    message: '',
    printers: [{ name: 'Bench 1' }, { name: 'Bench 2' }],
  })
  const [back] = await b.peers.list()
  t.match(spoken(back), { name: 'a', message: '', address: a.place }, 'and the other way round')
  await t.rejects(a.peers.pair(b.place, code), {
    code: 'PEER_CODE',
    message: 'b shows no code now.',
  })
  const file = join(a.folder, 'peers.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const [kept] = JSON.parse(readFileSync(file, 'utf8')).peers
  t.notOk(readFileSync(join(b.folder, 'peers.json'), 'utf8').includes(`"theirs": "${kept.key}"`))

  // A second pairing takes the place of the first, once the side that showed the code no longer knows it.
  await t.rejects(pair(a, b), {
    code: 'PEER_CODE',
    message: 'a is already paired with the other print server.',
    hint: 'Remove it from the list of print servers there first, then pair it again.',
  })
  b.peers.unpair((await b.peers.list())[0]?.id ?? '')
  await pair(a, b)
  t.equal((await a.peers.list()).length, 1)
  t.equal((await b.peers.list()).length, 1)
})

t.test('a removed box is told so, and prints no longer', async (t) => {
  const [a, b] = [await openBox(t, 'a', { prints: false }), await openBox(t, 'b')]
  const box = await pair(a, b)
  const [peer] = await b.peers.list()
  b.peers.unpair(peer?.id ?? '')
  t.match(spoken(await a.peers.list()), [{ message: 'b no longer knows this print server.' }])
  const id = a.bench.print(['one'])[0] ?? ''
  await t.rejects(a.peers.move(id, box, 'Bench 1'), { code: 'PEER_UNKNOWN' })
  t.equal(a.bench.job(id).state, 'pending')
})

t.test('a code is good for five tries and two minutes', async (t) => {
  const [a, b] = [await openBox(t, 'a'), await openBox(t, 'b')]
  const { code } = b.peers.pairing.show()
  const wrong = code.startsWith('a') ? 'bbbb-bbbb' : 'aaaa-aaaa'
  const told = []
  for (let n = 0; n < 6; n += 1) {
    told.push(await a.peers.pair(b.place, wrong).catch(({ message }) => message))
  }
  t.same(told, [
    ...Array.from({ length: 5 }, () => 'The code is wrong.'),
    '127.0.0.1 has typed 5 wrong codes.',
  ])
  t.match(b.bench.faults, [{ message: '127.0.0.1 has typed 5 wrong codes.' }], 'the owner is told')
  await t.rejects(a.peers.pair(b.place, code), { code: 'PEER_CODE' }, 'the right one neither')
  t.same([...(await a.peers.list()), ...(await b.peers.list())], [])
  await t.rejects(a.peers.pair(b.place, 'short'), { code: 'PEER_CODE' })
  await t.rejects(a.peers.pair('http://', 'aaaa-aaaa'), { code: 'FIELD_INVALID' })
})

t.test('somebody in between gets nothing of a pairing', async (t) => {
  const [a, b, evil] = [await openBox(t, 'a'), await openBox(t, 'b'), await openBox(t, 'evil')]
  const { code } = b.peers.pairing.show()
  // It hands on what it hears under a certificate of its own.
  const heard: string[] = []
  const pem = readFileSync(join(evil.folder, 'tls/server.pem'), 'utf8')
  const server = createServer({ key: pem, cert: pem }, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', async (data) => {
      const text = data.toString()
      heard.push(text)
      const [, method = '', path = ''] = /^(\w+) (\S+)/.exec(text) ?? []
      const body = text.split('\r\n\r\n')[1] ?? ''
      const answer = await b.call(path, {
        method,
        ...(method === 'POST' && { body, headers: JSON_TYPE }),
      })
      const said = await answer.text()
      socket.end(`HTTP/1.1 ${answer.status} X\r\nContent-Length: ${said.length}\r\n\r\n${said}`)
    })
  })
  const place = `127.0.0.1:${await listen(t, server)}`
  await t.rejects(a.peers.pair(place, code), { code: 'PEER_CODE', message: 'The code is wrong.' })
  t.same([...(await a.peers.list()), ...(await b.peers.list())], [])
  t.notOk(
    heard.some((text) => text.includes(code.replace('-', ''))),
    'the code itself never travels',
  )
})

t.test('a pinned box whose key is another one gets no byte', async (t) => {
  const [a, b] = [await openBox(t, 'a', { prints: false }), await openBox(t, 'b')]
  const other = await openBox(t, 'other')
  await pair(a, b)
  const file = join(a.folder, 'peers.json')
  t.match(spoken(await a.peers.list()), [{ message: '' }])
  const text = readFileSync(file, 'utf8').replace(b.place, other.place)
  const { PeerStore } = await import('../../../src/plugins/peers/store.ts')
  const { PeerClient } = await import('../../../src/plugins/peers/client.ts')
  const store = new PeerStore({ load: () => text, save: () => undefined })
  const { signal } = new AbortController()
  const [peer] = store.list()
  const search = () => Promise.resolve([])
  const client = new PeerClient({ store, search, signal })
  const answer = await client.call(peer ?? { id: '' }, { method: 'GET', path: '/peers/printers' })
  t.match(spoken(answer), {
    kind: 'lost',
    isSent: false,
    error: { message: 'b shows another certificate than when it was paired.' },
  })
  // At another address, it is found again by its key.
  const [address = '', port = ''] = b.place.split(':')
  const found = () =>
    Promise.resolve([
      { address: '127.0.0.1', port: '9' },
      { address, port },
    ])
  let kept = text
  const save = (now: string): void => {
    kept = now
  }
  const moved = new PeerStore({ load: () => text, save })
  const finder = new PeerClient({ store: moved, search: found, signal })
  const again = await finder.call(peer ?? { id: '' }, { method: 'GET', path: '/peers/printers' })
  t.match(again, { kind: 'answer', status: 200, json: { name: 'b' } })
  t.ok(kept.includes(b.place), 'which is kept')
  const fail = (): never => {
    throw new PlatenError('STATE_UNWRITABLE', 'The disk is full.')
  }
  const full = new PeerClient({
    store: new PeerStore({ load: () => text, save: fail }),
    search: found,
    signal,
  })
  const reached = await full.call(peer ?? { id: '' }, { method: 'GET', path: '/peers/printers' })
  t.match(reached, { kind: 'answer', status: 200 }, 'also where nothing can be kept')
})

t.test('a box that is removed or paired again while it is looked for stays so', async (t) => {
  const { PeerStore } = await import('../../../src/plugins/peers/store.ts')
  const { PeerClient } = await import('../../../src/plugins/peers/client.ts')
  const [a, b] = [await openBox(t, 'a'), await openBox(t, 'b')]
  const id = await pair(a, b)
  const [address = '', port = ''] = b.place.split(':')
  const text = readFileSync(join(a.folder, 'peers.json'), 'utf8')
  const { signal } = new AbortController()
  for (const isRemoved of [true, false]) {
    const store = new PeerStore({
      load: () => text.replace(b.place, '127.0.0.1:9'),
      save: () => undefined,
    })
    const before = store.get(id)
    if (before === undefined) throw new Error('it is not paired')
    const search = () => {
      if (isRemoved) store.remove(id)
      else store.put({ ...before, key: 'new' })
      return Promise.resolve([{ address, port }])
    }
    const call = { method: 'GET', path: '/peers/printers' } as const
    t.match(await new PeerClient({ store, search, signal }).call(before, call), { kind: 'lost' })
    t.equal(store.get(id)?.key, isRemoved ? undefined : 'new')
  }
})

t.test('without its key, over plain http and from a page a peer is nobody', async (t) => {
  const [a, b] = [await openBox(t, 'a'), await openBox(t, 'b')]
  await pair(a, b)
  const { id, peers } = JSON.parse(readFileSync(join(a.folder, 'peers.json'), 'utf8'))
  const right = { 'X-Platen-Peer': `${id}.${peers[0].key}` }
  const plain = await b.call('/peers/printers', { headers: right })
  t.equal(plain.status, 403, 'a right key over plain http')
  const page = { ...right, origin: 'https://shop.example' }
  t.equal((await b.call('/peers/printers', { headers: page })).status, 403)
  const print = {
    method: 'POST',
    headers: { ...right, ...JSON_TYPE },
    body: '{"label":"XlhBXlha"}',
  }
  t.equal((await b.call('/', print)).status, 403)
  t.equal(b.jobs().length, 0)
  t.equal((await b.call('/peers/hello')).status, 200)
  const join_ = {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ id: 'x'.repeat(20_000) }),
  }
  t.equal((await b.call('/peers/join', join_)).status, 413)
})

t.test('boxes without HTTPS, of one identity, and a seventeenth are not paired', async (t) => {
  const { Pairing } = await import('../../../src/plugins/peers/pairing.ts')
  const { PeerStore, PEERS_MOST } = await import('../../../src/plugins/peers/store.ts')
  const memory = () => {
    let text: string | undefined
    const save = (now: string): void => {
      text = now
    }
    return { load: () => text, save }
  }
  const store = new PeerStore(memory())
  const pairing = new Pairing({
    store,
    self: () => ({ name: 'x', pin: '', securePort: '' }),
    fault: () => undefined,
  })
  t.throws(() => pairing.show(), { code: 'PEER_CODE', message: /HTTPS, which is off here/ })
  const peer = { name: 'n', address: 'h:1', pin: 'p', key: 'k', theirs: 't', paired: 'now' }
  for (let n = 0; n < PEERS_MOST; n += 1) store.put({ ...peer, id: `id-${n}` })
  t.throws(() => store.put({ ...peer, id: 'one more' }), { code: 'FIELD_INVALID' })
  store.put({ ...peer, id: 'id-3', name: 'again' })
  t.equal(store.list().length, PEERS_MOST)
  for (const text of ['{"peers":[1]}', 'null', '']) {
    const broken = new PeerStore({ load: () => text, save: () => undefined })
    t.throws(() => broken.list(), { code: 'CONFIG_BROKEN' }, text)
  }
})

t.test('of two boxes with one name each is reached by a name of its own', async (t) => {
  const { Peers } = await import('../../../src/plugins/peers/peers.ts')
  const { PeerStore } = await import('../../../src/plugins/peers/store.ts')
  const { bench, stopping } = await openBox(t, 'a')
  const rest = { address: 'h:1', pin: 'p', key: 'k', theirs: 't', paired: 'now' }
  const kept = ['x', 'y', 'z'].map((id, n) => ({ id, name: n < 2 ? 'Hall' : 'Hall 2', ...rest }))
  const file = {
    text: JSON.stringify({ id: 'own', peers: kept }),
    load: () => file.text,
    save(text: string) {
      file.text = text
    },
  }
  const open = () =>
    new Peers({
      file,
      spool: bench.spool,
      printers: bench.printers,
      signal: stopping.signal,
      self: () => ({ name: 'a', pin: '', securePort: '' }),
      wake: () => undefined,
      fault: (error) => bench.faults.push(error),
      search: () => Promise.resolve([]),
    })
  const idsOf = (...names: string[]) => names.map((name) => open().resolve(name).id)
  t.same(idsOf('Hall', 'Hall 2', 'Hall 3'), ['x', 'z', 'y'], 'as an earlier version kept them')
  open().unpair('x')
  t.throws(() => open().resolve('Hall'), { code: 'PEER_UNKNOWN' }, 'the other one is not it')
  t.same(idsOf('Hall 2', 'Hall 3'), ['z', 'y'])
  new PeerStore(file).put({ id: 'v', name: 'Hall 2', ...rest })
  t.same(idsOf('Hall 2', 'Hall 2 2'), ['z', 'v'], 'one that is paired now')
})

t.test('wrong codes of one address leave the code to others, within a bound for all', async (t) => {
  const { pairing, guess } = await openPairing()
  const { code } = pairing.show()
  for (let n = 0; n < 7; n += 1) {
    const refusal = { code: 'PEER_CODE' }
    await t.rejects(guess('10.9.0.66', 'aaaaaaaa'), refusal)
  }
  const welcome = await guess('10.9.0.7', code.replace('-', ''))
  t.equal(welcome.name, 'b', 'another address pairs all the same')
  pairing.show()
  for (let n = 0; n < 40; n += 1) await guess(`10.9.0.${n}`, 'aaaaaaaa').catch(() => undefined)
  await t.rejects(guess('10.9.0.99', 'aaaaaaaa'), { message: 'b shows no code now.' })
})

t.test('nobody is paired under an identity or a name of another print server', async (t) => {
  const { pairing, guess, store } = await openPairing()
  const id = 'k'.repeat(22)
  const name = 'printserver-a1b2-hall1'
  store.put({ id, name, address: 'h:1', pin: 'p', key: 'k', theirs: 't', paired: 'now' })
  for (const taken of [id, name]) {
    const code = pairing.show().code.replace('-', '')
    await t.rejects(guess('10.9.0.66', code, { id: taken, pin: 'p' }), {
      code: 'PEER_CODE',
      message: `${name} is already paired with the other print server.`,
    })
    t.match(store.list(), [{ id, key: 'k', address: 'h:1' }], 'and what was known stays')
    t.equal(store.list().length, 1)
  }
  const code = pairing.show().code.replace('-', '')
  await t.rejects(guess('10.9.0.66', code, { id: 'printserver-a1b2' }), { code: 'FIELD_INVALID' })
})

/** The side that shows a code, and a caller that proves what it says as `Pairing.join` does. */
async function openPairing() {
  const { Pairing } = await import('../../../src/plugins/peers/pairing.ts')
  const { PeerStore } = await import('../../../src/plugins/peers/store.ts')
  const store = new PeerStore({ load: () => undefined, save: () => undefined })
  const pin = 'the pin of b'
  const pairing = new Pairing({
    store,
    self: () => ({ name: 'b', pin, securePort: '8443' }),
    fault: () => undefined,
  })
  const guess = (host: string, code: string, over: { id?: string; pin?: string } = {}) => {
    const join = { id: randomBytes(16).toString('base64url'), pin: 'mine', ...over }
    const nonce = randomBytes(16).toString('base64url')
    const salt = `platen pairing ${join.pin} ${pin} ${nonce}`
    const secret = scryptSync(code, salt, 32, { N: 2 ** 14, r: 8, p: 1 })
    const facts = ['join', join.id, 'evil', '443', join.pin, pin, nonce, 'key']
    const proof = createHmac('sha256', secret).update(JSON.stringify(facts)).digest('base64url')
    return pairing.welcome({ ...join, name: 'evil', port: '443', nonce, key: 'key', proof }, host)
  }
  return { pairing, guess, store }
}
