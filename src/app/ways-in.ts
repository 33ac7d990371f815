import { X509Certificate } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { loadNetwork } from '#printers'
import { judgeHost, listOwnNames, ownerOfSocket, parseHost } from '../http/access/addresses.ts'
import type { AccessConfig } from '../http/access/gatekeeper.ts'
import { isAllowedOrigin } from '../http/access/origin.ts'
import { countBodies, Doors } from '../plugins/door/door.ts'
import { doors } from '../plugins/door/index.ts'
import { tellPrinters } from '../plugins/heartbeat/settings.ts'
import type { Peers } from '../plugins/peers/index.ts'
import type { Self } from '../plugins/peers/pairing.ts'
import { pinOf } from '../plugins/peers/store.ts'
import type { Plugins } from '../plugins/plugin.ts'
import { shipping } from '../plugins/shipping/index.ts'
import { openMemory } from '../plugins/source/memory.ts'
import { Sources } from '../plugins/source/run.ts'
import { keepFile, openHandFile } from '../settings/write.ts'
import { version } from '../system/process.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** The ways in that speak another product's protocol; a saved configuration opens and closes them at once. */
export function buildDoors(core: Core, jobs: Jobs, plugins: Plugins) {
  const { store, log, station, fault } = core
  const { intake, printers, spool, scheduler, renderer } = jobs
  const running = new Doors({
    list: doors,
    box: {
      ...countBodies(intake, core.bodies),
      printers,
      spool,
      scheduler,
      renderer,
      log,
      fault,
      config: () => store.current,
      info: () => station.info(),
      certificates: () => station.listening?.certificates(),
      ownerOf: ownerOfSocket,
      callerOf: (headers) => judgeDoorCaller(headers, store.current, () => station.ownNames()),
      keys: async () => (await plugins.running(shipping).open()).keys,
    },
  })
  store.onChange((config) => running.configure(config))
  return {
    doors: running,
    /** Once the HTTP port is there: names and certificates are known then. */
    start: () => running.configure(store.current),
    /** Resolves when what was in hand is settled. */
    stop: () => running.stop(),
  }
}

/** Who calls a door that browsers can reach: a page whose site the settings name, another page, or a program. */
type DoorCaller = 'named' | 'foreign' | 'program'

/**
 * Who calls. A browser sends `Origin` with every WebSocket (RFC 6455, 4.1) and every POST of a page (Fetch, 3.2), so what
 * has none and says nothing of a foreign site is a program, or a page's GET; that must name the box by a name of its own,
 * as a page under a rebound name does not. Other than at `POST /` no list of sites means no page.
 */
export function judgeDoorCaller(
  headers: IncomingHttpHeaders,
  { allowed_origins: allowed = [], allowed_hosts: hosts = [], host = '' }: AccessConfig,
  ownNames: () => readonly string[] = listOwnNames,
): DoorCaller {
  const { origin } = headers
  if (origin !== undefined) return isAllowedOrigin(origin, allowed) ? 'named' : 'foreign'
  const site = String(headers['sec-fetch-site'] ?? 'none').toLowerCase()
  if (site !== 'none' && site !== 'same-origin') return 'foreign'
  const name = parseHost(headers.host ?? '')?.name
  if (name === undefined) return 'foreign'
  return judgeHost(name, () => [...hosts, host, ...ownNames()]) === 'foreign'
    ? 'foreign'
    : 'program'
}

/** Where labels come from besides HTTP; a saved configuration changes them at once. */
export function buildSources(core: Core, { intake, printers }: Jobs) {
  const { store, log, metrics, station } = core
  const { stateFolder } = core.environment
  const sources = new Sources({
    memory: openMemory(keepFile(join(stateFolder, 'sources.json'))),
    version,
    hand: openHandFile(join(stateFolder, 'in-hand')),
    openDoor: (type, printer, commands) => intake.forSource(type, printer, commands),
    messageBytes: () => store.current.max_body_mb * 2 ** 20,
    facts: () => ({ ...station.info(), ...tellPrinters(printers.list()) }),
    log,
  })
  metrics.register({ sources: () => sources.list() })
  store.onChange((config) => sources.configure(config))
  return {
    sources,
    start: () => sources.configure(store.current),
    /** Resolves when what was under way is settled. */
    stop: () => sources.stop(),
  }
}

const UNDER_WAY = "SELECT 1 FROM meta WHERE key >= 'move:' AND key < 'move;' LIMIT 1"

/** Other print servers, paired with this one: nothing of it is loaded while there are none. */
export function buildPeers(core: Core, { spool, printers, scheduler, intake }: Jobs) {
  const { environment, station, stopping, fault } = core
  const file = keepFile(join(environment.stateFolder, 'peers.json'))
  const self = (): Self => {
    const { hostName, securePort } = station.info()
    const cert = station.listening?.certificates()?.cert
    return { name: hostName.split('.')[0] ?? hostName, securePort, pin: pinOfPem(cert) }
  }
  let opened: Promise<Peers> | undefined
  const open = async (): Promise<Peers> => {
    opened ??= load()
    const own = opened
    try {
      return await own
    } catch (error) {
      if (opened === own) opened = undefined // as with shipping
      throw error
    }
  }
  const load = async (): Promise<Peers> => {
    const { Peers } = await import('../plugins/peers/index.ts')
    const peers = new Peers({
      file,
      spool,
      printers,
      self,
      fault,
      signal: stopping.signal,
      wake: (printer) => scheduler.wake(printer),
      search: async (signal) =>
        environment.announces ? (await loadNetwork()).findBoxes(signal) : [],
    })
    peers.handovers.start()
    return peers
  }
  let hasRules = false
  const followRules = async (): Promise<void> => {
    if (hasRules || printers.list().every(({ backup }) => backup === undefined)) return
    hasRules = true
    const { Backups } = await import('../plugins/peers/backup.ts').catch((error: unknown) => {
      hasRules = false // tried again at the next change, also of a printer
      throw error
    })
    new Backups({
      printers,
      spool,
      intake,
      peers: open,
      fault,
      signal: stopping.signal,
      warn: (printer, warning) => core.log.warn({ printer, warning }, 'backup'),
    }).start()
  }
  return {
    self,
    peers: open,
    /** Goes on with labels that were on their way when the program last ended, and follows the rules of the printers. */
    start(): void {
      followRules().catch(fault)
      core.store.onChange(() => void followRules().catch(fault))
      printers.onChange(() => void followRules().catch(fault))
      const { records } = spool
      const isUnderWay = records.read(() => records.prepare(UNDER_WAY).get()) !== undefined
      if (isUnderWay) open().catch(fault)
    },
  }
}

let known: { readonly cert: string; readonly pin: string } | undefined

/** '' without a certificate. */
function pinOfPem(cert: string | undefined): string {
  if (cert === undefined) return ''
  if (known?.cert !== cert) {
    known = { cert, pin: pinOf(new X509Certificate(cert)) }
  }
  return known.pin
}
