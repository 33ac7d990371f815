import { Hono } from 'hono'
import { readKey } from '../../core/intake/checks.ts'
import type { KeySender } from '../../core/intake/requests.ts'
import { timeText } from '../../core/job.ts'
import { findRemote } from '../../http/access/addresses.ts'
import type { AppParts, HttpContext, HttpEnv, PrintSender } from '../../http/parts.ts'
import { readObject } from '../../http/whole-body.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, NOTHING, saidJson } from '../../words/say.ts'
import type { PluginRoutes, RunningPlugin } from '../plugin.ts'
import { BECAUSE_HEADER, PEER_HEADER, TICKET_HEADER } from './client.ts'
import { readOutage } from './offer.ts'
import type { Self } from './pairing.ts'
import type { Peers, PeerView } from './peers.ts'

/** Most bytes of a request of another print server: they are small. */
const BODY_BYTES = 16_384

/** Other print servers, once the plugin was started. */
export interface RunningPeers extends RunningPlugin {
  /** Loads them when they are first needed. */
  open(): Promise<Peers>
  /** Describes this print server to others. */
  self(): Self
}

/** The parts of the routes. */
interface PeerParts extends Pick<AppParts, 'access' | 'limits'> {
  readonly peers: () => Promise<Peers>
  readonly peerSelf: () => Self
}

/** The routes of `/peers`, labels that a paired server hands over, and labels that go to one. */
export const peerRoutes: PluginRoutes<RunningPeers> = {
  create: ({ access, limits }, running) =>
    createPeerRoutes({
      access,
      limits,
      peers: async () => await running().open(),
      peerSelf: () => running().self(),
    }),
  hooks: (running) => ({
    findSender: (c) => findHandingPeer(c, async () => await running().open()),
    elsewhere: {
      move: async (id, box, printer) => await (await running().open()).move(id, box, printer),
      async moveWaiting(from, box, printer) {
        const peers = await running().open()
        const moved = await peers.moveWaiting(from, { box, printer })
        return { ...moved, where: `${printer} on ${peers.resolve(box).name}` }
      },
      async takeBack(id, wish, anyway) {
        const { handovers } = await running().open()
        return await handovers.takeBack(id, wish, { anyway, patienceMs: TAKE_BACK_MS })
      },
    },
  }),
}

/** Creates `/peers`: other print servers, paired with this one, for the page, the owner, and for each other. */
function createPeerRoutes(parts: PeerParts): Hono<HttpEnv> {
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

/** Adds the calls between print servers. */
function addCalls(app: Hono<HttpEnv>, parts: PeerParts): void {
  const { peers } = parts
  // Programs only; the Host was looked at before.
  const programs = parts.access.program()
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

/**
 * Finds the paired server that hands a label over by `POST /`; undefined for every other print request.
 * @throws PlatenError PEER_UNKNOWN
 */
async function findHandingPeer(
  c: HttpContext,
  open: () => Promise<Peers>,
): Promise<PrintSender | undefined> {
  if (c.req.header(PEER_HEADER) === undefined) return undefined
  const peers = await open()
  const peer = peers.caller(readShown(c))
  const ticket = c.req.header(TICKET_HEADER) ?? ''
  return {
    source: 'peer',
    user: peer.name,
    sender: senderOf(peer.id),
    onChecked: () => peers.checkTicket(ticket),
    hasChosenPages: true,
    refusesForeign: true,
    outage: readOutage(c.req.header(BECAUSE_HEADER), peer.name),
  }
}

/** Makes the sender of a peer's keys: they are its own, whatever address it has by then. */
function senderOf(id: string): KeySender {
  return { kind: `peer ${id}`, from: '' }
}

/** Reads the identification of a peer; over plain HTTP it counts as none. */
function readShown(c: HttpContext): string {
  const socket = c.env?.incoming?.socket
  const isSecure = socket !== undefined && 'encrypted' in socket && socket.encrypted === true
  return isSecure ? (c.req.header(PEER_HEADER) ?? '') : ''
}

const TAKE_BACK_MS = 8_000

async function readSmall(c: HttpContext, parts: Pick<AppParts, 'limits'>) {
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
  const printers = peer.printers.map((one) => ({
    ...one,
    message: inEnglish(one.message),
    ...saidJson(one.message, NOTHING),
  }))
  const [message, hint] = [inEnglish(peer.message), inEnglish(peer.hint)]
  const said = saidJson(peer.message, peer.hint)
  return { ...more, message, hint, printers, ...said, contact: timeText(contactAt) }
}
