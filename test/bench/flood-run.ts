import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Clients, type Load } from '../load/clients.ts'
import { makeLabel, timeMark } from '../load/label.ts'
import type { Paper } from '../load/paper.ts'
import { forMs } from './once.ts'
import { makeBox, memoryVariables, type Running, start } from './process.ts'

/** The flood of the field: 16 connections, 3 KB labels, no pause. */
const FLOOD = { clients: 16, from: ['127.0.1.1'], labelBytes: 3_000, first: 0, isKeyed: false }
const SETTLE_MS = 1_000
const FLOOD_MS = forMs(10_000)
/** All loopback addresses together may have half of the spool's 256 MB, which is 24,000 labels of 3 KB: the clients stop before. */
const ACCEPTED_MOST = 21_000
const QUIET_MS = forMs(5_000)
/** Labels that wait for each printer before: more than it prints until the flood is over. */
const WAITING_OF_ONE = 1_500
const WAITING_OF_MANY = 150
/** First numbers of these labels: no two labels are equal. */
const FLOOD_FIRST = 1_000_000
const WAKE_FIRST = 9_000_000
const HEALTH_EVERY_MS = 50
const LOOK_MS = 50
const LABEL_EVERY_MS = 200

type Variables = Readonly<Record<string, string>>

/** Measurements of one flood. */
export interface FloodSeen {
  /** Labels a second that were accepted. */
  readonly accepted: number
  /** Milliseconds that `/healthz` took on new connections. */
  readonly healthMs: readonly number[]
  /** Labels a second that each flooded printer got meanwhile, and before, when nobody sent. */
  readonly flooded: readonly number[]
  readonly quiet: readonly number[]
  /** Milliseconds from the start of a POST to paper, of labels for the other printers. */
  readonly othersMs: readonly number[]
}

/** Starts the bundle in a box of its own, with these printers; `disk` as `makeSlowDisk` gives it. */
export async function startBox(
  paper: Paper,
  disk: Variables = {},
): Promise<{ readonly program: Running; end(): Promise<void> }> {
  const box = makeBox({ host: '127.0.0.1', printers: paper.entries })
  const program = await start(['dist/platen.js', ...box.args], {
    ...memoryVariables(),
    ...disk,
    PLATEN_ANNOUNCE: '0',
  })
  const end = async (): Promise<void> => {
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')
    box.dispose()
  }
  return { program, end }
}

export const portOf = ({ address }: Running): number => Number(new URL(address).port)

/** Asks on a new connection; gives the milliseconds until the whole answer was there. */
async function askOnce(port: number, body?: string): Promise<number> {
  const began = performance.now()
  const agent = new Agent()
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
  const where = { host: '127.0.0.1', port, localAddress: '127.0.1.9', agent, headers }
  const outgoing = request({
    ...where,
    path: body === undefined ? '/healthz' : '/',
    method: body === undefined ? 'GET' : 'POST',
  })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  incoming.resume()
  await once(incoming, 'end')
  agent.destroy()
  return performance.now() - began
}

/** Does it again and again, with a pause, until the signal; a fault is a second of its own kind, not an end. */
async function repeat(
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await work()
    await wait(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Asks for health while the flood lasts. */
async function followHealth(port: number, signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = []
  await repeat(HEALTH_EVERY_MS, signal, async () => times.push(await askOnce(port)))
  return times
}

function printOne(port: number, printer: string): Promise<number> {
  const label = Buffer.from(makeLabel(timeMark(), 500)).toString('base64')
  return askOnce(port, JSON.stringify({ printer, label }))
}

/** Labels a second of each of the first printers, over so long. */
async function rates(paper: Paper, first: number, ms: number): Promise<readonly number[]> {
  const [before, began] = [await paper.ask('counts'), performance.now()]
  await wait(ms)
  const after = await paper.ask('counts')
  const seconds = (performance.now() - began) / 1_000
  return after.counts
    .slice(0, first)
    .map((count, index) => (count - (before.counts[index] ?? 0)) / seconds)
}

/** Sends so many labels, and waits until they are accepted. */
export async function send(load: Load & { readonly labels: number }): Promise<void> {
  const clients = new Clients(load)
  while ((await clients.ask()).accepted < load.labels) await wait(20)
  await clients.stop()
}

/** Printers that were off are asked again at once when a label comes for them. */
export async function switchOn(paper: Paper, load: Load): Promise<void> {
  await paper.ask('up')
  await send({ ...load, first: WAKE_FIRST, labels: load.printers.length })
}

/** Leaves so many labels waiting for each of the printers, then lets them print. */
async function fill(paper: Paper, load: Load, each: number): Promise<void> {
  await paper.ask('down')
  await send({ ...load, labels: load.printers.length * each })
  await switchOn(paper, load)
  while (
    (await paper.ask('counts')).counts.filter((count) => count > 0).length < load.printers.length
  )
    await wait(20)
}

/** Floods the first printers of the program; a label every 200 ms goes to each of the others. */
export async function floodBox(
  paper: Paper,
  flooded: number,
  disk?: Variables,
): Promise<FloodSeen> {
  const { program, end } = await startBox(paper, disk)
  const port = portOf(program)
  const load = { ...FLOOD, port, printers: paper.names.slice(0, flooded) }
  await fill(paper, load, flooded === 1 ? WAITING_OF_ONE : WAITING_OF_MANY)
  const quiet = await rates(paper, flooded, QUIET_MS)
  const over = new AbortController()
  const health = followHealth(port, over.signal)
  const others = paper.names
    .slice(flooded)
    .map((name) => repeat(LABEL_EVERY_MS, over.signal, () => printOne(port, name)))
  const clients = new Clients({ ...load, first: FLOOD_FIRST })
  const accepted = measureAccepts(clients)
  await wait(SETTLE_MS)
  const printed = await rates(paper, flooded, FLOOD_MS)
  const rate = await accepted
  over.abort()
  await clients.stop()
  const [healthMs] = await Promise.all([health, ...others])
  const { ages } = await paper.ask('ages')
  await end()
  return { accepted: rate, healthMs, flooded: printed, quiet, othersMs: ages }
}

/** Measurements of a server that only accepts. */
export type Accepting = Pick<FloodSeen, 'accepted' | 'healthMs'>

/** The same for a bare server that only accepts: `accepts` appends bodies to a file, `spool` keeps rows in a database. */
export async function floodBare(
  which: 'accepts' | 'spool',
  file: string,
  disk?: Variables,
): Promise<Accepting> {
  const program = await start([`${import.meta.dirname}/bare-${which}.ts`, file], disk)
  const seen = await floodAccepts(program, ['A'])
  await program.stop()
  return seen
}

/** Floods the program while its printers are off, so that it only accepts. */
export async function floodQuiet(paper: Paper, disk?: Variables): Promise<Accepting> {
  const { program, end } = await startBox(paper, disk)
  await paper.ask('down')
  const seen = await floodAccepts(program, paper.names)
  await end()
  return seen
}

async function floodAccepts(program: Running, printers: readonly string[]): Promise<Accepting> {
  const port = portOf(program)
  const over = new AbortController()
  const health = followHealth(port, over.signal)
  const clients = new Clients({ ...FLOOD, port, printers } satisfies Load)
  const accepted = await measureAccepts(clients)
  over.abort()
  await clients.stop()
  return { accepted, healthMs: await health }
}

/** Labels a second, the first second left out; until the spool's share of the clients is nearly full. */
async function measureAccepts(clients: Clients): Promise<number> {
  await wait(SETTLE_MS)
  const [before, began] = [await clients.ask(), performance.now()]
  let after = before
  while (performance.now() - began < FLOOD_MS && after.accepted < ACCEPTED_MOST) {
    await wait(LOOK_MS)
    after = await clients.ask()
  }
  if (after.failed > 0) process.stdout.write(`  ${after.failed} failed: ${after.fault}\n`)
  return ((after.accepted - before.accepted) / (performance.now() - began)) * 1_000
}
