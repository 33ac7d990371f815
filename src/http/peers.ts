import { Hono } from 'hono'
import { readKey } from '../core/intake/checks.ts'
import type { KeySender } from '../core/intake/requests.ts'
import { isMoving, type Job, timeText } from '../core/job.ts'
import type { Because } from '../core/moving.ts'
import { BECAUSE_HEADER, PEER_HEADER, TICKET_HEADER } from '../plugins/peers/client.ts'
import type { Peers, PeerView } from '../plugins/peers/index.ts'
import { readBecause } from '../plugins/peers/offer.ts'
import { PlatenError } from '../words/errors.ts'
import { saidJson } from '../words/read-sentences.ts'
import { findRemote } from './access/addresses.ts'
import { readObject } from './body.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'

/** Requests of another print server are small. */
const BODY_BYTES = 16_384

/** `/peers`: other print servers, paired with this one, for the page, the owner, and for each other. */
export function createPeerRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  addCalls(app, parts)
  const { peers, access } = parts
  app.get('/peers', access.labels(), async (c) => {
    const { name, pin } = parts.peerSelf()
    const list = (await (await peers()).list()).map(peerJson)
    return c.json({ name, possible: pin !== '', peers: list })
  })
  app.use('/peers', access.admin())
  app.use('/peers/*', access.admin())
  app.post('/peers', async (c) => {
    const { address, code } = await readSmall(c, parts)
    const paired = await (await peers()).pair(textOf('address', address), textOf('code', code))
    return c.json({ Status: 'OK', Message: '', peer: peerJson(paired) }, 201)
  })
  app.post('/peers/code', async (c) => c.json((await peers()).pairing.show()))
  app.post('/peers/find', async (c) => c.json({ found: await (await peers()).find() }))
  app.post('/peers/:id/remove', async (c) => {
    ;(await peers()).unpair(c.req.param('id'))
    return c.json({ Status: 'OK', Message: '' })
  })
  return app
}

/** What print servers ask each other. */
function addCalls(app: Hono<HttpEnv>, parts: AppParts): void {
  const { peers } = parts
  // Programs only; the Host was looked at before.
  const programs = parts.access.dialog()
  app.get('/peers/hello', programs, (c) => c.json({ name: parts.peerSelf().name }))
  app.post('/peers/join', programs, async (c) => {
    const body = await readSmall(c, parts)
    return c.json({ ...(await (await peers()).pairing.welcome(body, findRemote(c).address)) })
  })
  app.get('/peers/printers', programs, async (c) => {
    const known = await peers()
    known.caller(readShown(c))
    return c.json(known.describe())
  })
  app.post('/peers/withdraw', programs, async (c) => {
    const known = await peers()
    const peer = known.caller(readShown(c))
    const { key, ticket } = await readSmall(c, parts)
    const repeat = readKey(textOf('key', key), senderOf(peer.id))
    const jobs = known.withdraw(repeat?.key ?? '', textOf('ticket', ticket))
    return c.json({ taken: jobs !== undefined, jobs: (jobs ?? []).map(({ id }) => ({ id })) })
  })
}

/** A print server that hands a label over by `POST /`. */
export interface HandingPeer {
  readonly name: string
  readonly sender: KeySender
  /** Left out = a person moves it. */
  readonly because?: Because | undefined
  /** @throws PlatenError PEER_UNSURE */
  checkTicket(): void
}

/**
 * The paired server that hands a label over; undefined for every other print request.
 * @throws PlatenError PEER_UNKNOWN
 */
export async function findHandingPeer(
  c: HttpContext,
  parts: Pick<AppParts, 'peers'>,
): Promise<HandingPeer | undefined> {
  if (c.req.header(PEER_HEADER) === undefined) return undefined
  const peers: Peers = await parts.peers()
  const peer = peers.caller(readShown(c))
  const ticket = c.req.header(TICKET_HEADER) ?? ''
  const checkTicket = (): void => peers.checkTicket(ticket)
  const because = readBecause(c.req.header(BECAUSE_HEADER), peer.name)
  return { name: peer.name, sender: senderOf(peer.id), checkTicket, because }
}

/** Its keys are its own, whatever address it has by then. */
function senderOf(id: string): KeySender {
  return { kind: `peer ${id}`, from: '' }
}

/** What a peer shows; over plain HTTP it counts as nothing. */
function readShown(c: HttpContext): string {
  const socket = c.env?.incoming?.socket
  const isSecure = socket !== undefined && 'encrypted' in socket && socket.encrypted === true
  return isSecure ? (c.req.header(PEER_HEADER) ?? '') : ''
}

/** Handed over to another print server, which has not yet said whether it has it. */
export function isOnItsWay(id: string, { spool }: AppParts): boolean {
  const job = spool.history.get(id)
  return job !== undefined && isMoving(job)
}

const TAKE_BACK_MS = 8_000

/**
 * A person wants such a label here after all, or not at all.
 * @throws PlatenError JOB_STATE when it is there, PEER_UNSURE
 */
export async function takeBack(
  id: string,
  { peers }: AppParts,
  wish: 'cancel' | 'release',
  anyway: boolean,
): Promise<Job> {
  const { handovers } = await peers()
  return await handovers.takeBack(id, wish, { anyway, patienceMs: TAKE_BACK_MS })
}

async function readSmall(c: HttpContext, parts: AppParts) {
  const body = parts.limits.body()
  return await readObject(c, { ...body, bounds: { ...body.bounds, bodyBytes: BODY_BYTES } })
}

/** @throws PlatenError FIELD_INVALID */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 300) return value
  throw new PlatenError('FIELD_INVALID', `${name}: wanted a text.`)
}

function peerJson(peer: PeerView): Readonly<Record<string, unknown>> {
  const { contactAt, ...more } = peer
  const printers = peer.printers.map((one) => ({ ...one, ...saidJson(one.message, '') }))
  return { ...more, printers, ...saidJson(peer.message, peer.hint), contact: timeText(contactAt) }
}
