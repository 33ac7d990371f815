import type { Calls } from '../../http/call.ts'
import {
  done,
  flag,
  json,
  list,
  object,
  ok,
  orNull,
  ref,
  text,
  time,
  whole,
} from '../../http/json-schema.ts'

const BOX = 'The print server'
const ADMIN = { tag: 'Settings', security: 'admin' } as const
const BETWEEN = { tag: BOX, security: 'none' } as const

const offered = {
  name: text(),
  language: orNull(text()),
  state: text(),
  message: text(),
  waiting: whole(),
}

const peer = object({
  id: text(),
  name: text(),
  address: text(),
  paired: time(),
  message: text(),
  hint: text(),
  detail: text(),
  texts: ref('Texts'),
  contact: orNull(time()),
  printers: list(object({ ...offered, texts: ref('Texts') })),
  moving: whole('labels on their way'),
})

const key = [
  { name: 'X-Platen-Peer', about: 'identity and key of the pairing', schema: text() },
] as const

/** The calls about other print servers, paired with this one. */
export const peerCalls = {
  listPeers: {
    method: 'get',
    path: '/peers',
    tag: BOX,
    summary: 'The paired print servers and their printers, queried now',
    answers: () =>
      ok('Print servers.', object({ name: text(), possible: flag(), peers: list(peer) })),
  },
  pair: {
    method: 'post',
    path: '/peers',
    ...ADMIN,
    summary: 'Pair with the print server that shows a code',
    content: json(object({ address: text(), code: text() })),
    answers: () => [
      { status: 201, about: 'Paired.', schema: object({ Status: text(), Message: text(), peer }) },
    ],
  },
  showPairingCode: {
    method: 'post',
    path: '/peers/code',
    ...ADMIN,
    summary: 'Show a pairing code to type on the other print server',
    answers: () => ok('The code.', object({ code: text(), seconds: whole() })),
  },
  findPeers: {
    method: 'post',
    path: '/peers/find',
    ...ADMIN,
    summary: 'Look for print servers on the network (mDNS)',
    answers: () =>
      ok(
        'Print servers.',
        object({ found: list(object({ name: text(), address: text(), paired: flag() })) }),
      ),
  },
  removePeer: {
    method: 'post',
    path: '/peers/:id/remove',
    ...ADMIN,
    summary: 'Forget a paired print server',
    answers: done,
  },
  greetPeer: {
    method: 'get',
    path: '/peers/hello',
    ...BETWEEN,
    summary: 'Between print servers: who is there',
    answers: () => ok('Its name.', object({ name: text() })),
  },
  joinPeer: {
    method: 'post',
    path: '/peers/join',
    ...BETWEEN,
    summary: 'Between print servers: prove the pairing code',
    content: json({ type: 'object' }),
    answers: () => ok('Proof and key.', { type: 'object' }),
  },
  listPrintersForPeer: {
    method: 'get',
    path: '/peers/printers',
    ...BETWEEN,
    headers: key,
    summary: 'Between print servers: printers, and a ticket for handing over',
    answers: () =>
      ok(
        'Printers.',
        object({
          id: text(),
          name: text(),
          ticket: text(),
          printers: list(object({ ...offered, texts: ref('Texts') })),
        }),
      ),
  },
  withdrawLabel: {
    method: 'post',
    path: '/peers/withdraw',
    ...BETWEEN,
    headers: key,
    summary: 'Between print servers: refuse a label permanently, unless it was accepted',
    content: json(object({ key: text(), ticket: text() })),
    answers: () => ok('Whether it was.', object({ taken: flag(), jobs: list({ type: 'object' }) })),
  },
} as const satisfies Calls
