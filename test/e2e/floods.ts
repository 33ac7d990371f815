import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { loadavg, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { findInternalAddress } from '../../src/system/address.ts'
import { findClosedPort } from '../listen.ts'
import { makeRandom } from '../random.ts'
import { FLOODS, type Flood, type FloodName } from './flood-child.ts'

// All floods in turn against the program as it is shipped, within the memory that its unit gives it, beside one honest
// client that prints a label every second. Everything is on the loopback interface; each client has an address of its own.

const ROOT = join(import.meta.dirname, '../..')
const UNIT = readFileSync(join(ROOT, 'systemd/platen.service'), 'utf8')
// A bench of the network where this machine has one: to the intake all of 127.0.0.0/8 is one client.
const HONEST = findInternalAddress({ family: 'IPv4' })
const HEALTH = '127.0.0.10'
const CONNECTIONS = 250
const LATE_MS = 5_000
const SLOW_HEALTH_MS = 1_000
const LOST_MS = 60_000
const STOP_MS = 20_000 // TimeoutStopSec of the unit

/** Faults, in words; empty = none. */
const faults: string[] = []

function fault(text: string): void {
  faults.push(text)
  console.log(`FAULT ${new Date().toISOString().slice(11, 19)} ${text}`)
}

/** A memory cgroup with the unit's limits, where this machine lets us make one. */
class Box {
  readonly #folder: string
  readonly #isV1: boolean

  private constructor(folder: string, isV1: boolean) {
    this.#folder = folder
    this.#isV1 = isV1
  }

  static open(): Box | undefined {
    const own = readFileSync('/proc/self/cgroup', 'utf8')
    const v1 = /^\d+:memory:(.*)$/m.exec(own)?.[1]
    const v2 = /^0::(.*)$/m.exec(own)?.[1]
    const parent = v1 === undefined ? join('/sys/fs/cgroup', v2 ?? '') : '/sys/fs/cgroup/memory'
    for (const base of v1 === undefined ? [parent] : [join(parent, v1), parent]) {
      const box = new Box(join(base, `platen-floods-${process.pid}`), v1 !== undefined)
      if (box.#make()) return box
    }
    return undefined
  }

  #make(): boolean {
    const most = readUnit('MemoryMax')
    try {
      mkdirSync(this.#folder)
      if (this.#isV1) this.#write('memory.limit_in_bytes', most)
      else {
        this.#write('memory.max', most)
        this.#write('memory.high', readUnit('MemoryHigh'))
      }
      return true
    } catch (error) {
      console.log(`no memory cgroup in ${this.#folder}: ${(error as Error).message}`)
      return false
    }
  }

  #write(name: string, value: string): void {
    writeFileSync(join(this.#folder, name), value)
  }

  get processes(): string {
    return join(this.#folder, 'cgroup.procs')
  }

  get kills(): number {
    const file = this.#isV1 ? 'memory.oom_control' : 'memory.events'
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.#folder, file), 'utf8'))?.[1])
  }

  close(): void {
    rmdirSync(this.#folder)
  }
}

function readUnit(key: string): string {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1] ?? ''
}

/** A printer that takes everything and tells what it gets. */
async function openPrinter(
  take: (text: string) => void,
): Promise<{ readonly uri: string; readonly server: NetServer }> {
  const server = createServer((socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const end = text.lastIndexOf('^XZ')
      if (end < 0) return
      take(text.slice(0, end + 3))
      text = text.slice(end + 3)
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { uri: `socket://127.0.0.1:${portOf(server)}`, server }
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port
}

/** The program in its box, started again whenever it ends, as the unit does. */
class Program {
  readonly #box: Box | undefined
  readonly #config: string
  readonly #folder: string
  #child: ChildProcess | undefined
  #isOver = false
  peakMb = 0
  restarts = 0

  constructor(folder: string, config: object, box: Box | undefined) {
    this.#folder = folder
    this.#box = box
    this.#config = join(folder, 'config.json')
    writeFileSync(this.#config, JSON.stringify(config))
  }

  async start(): Promise<void> {
    const program = [process.execPath, 'dist/platen.js', '--config', this.#config]
    const enter = this.#box === undefined ? '' : `echo $$ > '${this.#box.processes}'; `
    const malloc = readUnit('Environment=MALLOC_ARENA_MAX').split(' ')
    const [arenas = '', ...more] = malloc
    const allocator = {
      MALLOC_ARENA_MAX: arenas,
      ...Object.fromEntries(more.map((one) => one.split('='))),
    }
    const child = spawn('sh', ['-c', `${enter}exec "$@"`, 'sh', ...program], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        PLATEN_ANNOUNCE: '0',
        STATE_DIRECTORY: join(this.#folder, 'state'),
        ...allocator,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let last = ''
    child.stderr.on('data', (chunk: Buffer) => {
      last = `${last}${chunk.toString()}`.slice(-2_000)
    })
    child.once('exit', (code, signal) => {
      if (this.#isOver) return
      this.restarts += 1
      fault(
        `the server ended by itself (${signal ?? code}): ${last.split('\n').slice(-4).join(' | ')}`,
      )
      setTimeout(() => void this.start(), 1_000)
    })
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('http://')) break
    }
    child.stdout.resume()
  }

  look(): number {
    try {
      const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8')
      const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
      this.peakMb = Math.max(this.peakMb, peak)
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    } catch {
      return 0 // between two lives
    }
  }

  /** Milliseconds from SIGTERM to the end. */
  async stop(): Promise<number> {
    this.#isOver = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return 0
    const start = performance.now()
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = (await ended) as [number | null]
    clearTimeout(timer)
    const ms = performance.now() - start
    if (code !== 0) fault(`SIGTERM in a flood: ended with ${code} after ${Math.round(ms)} ms`)
    return ms
  }
}

/** Calls from an address of one's own, on a connection of its own; gives the status with the code of a refusal, or why there is none. */
function call(from: string, port: number, path: string, body?: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { host: 'localhost', 'content-type': 'application/json', prefer: 'wait=1' }
    const options = {
      host: from === HONEST ? HONEST : '127.0.0.1',
      port,
      path,
      localAddress: from,
      agent: false,
      headers,
    }
    const method = body === undefined ? 'GET' : 'POST'
    const req = request({ ...options, method, timeout: 30_000 }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      const code = (): string => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? ''
      res.on('end', () => resolve(`${res.statusCode} ${code()}`.trim()))
      res.on('error', (error) => resolve(error.message))
    })
    req.on('timeout', () => req.destroy(new Error('no answer for 30 s')))
    req.on('error', (error) => resolve(error.message))
    req.end(body)
  })
}

/** The client that everything is done for: a label every second, each to print once and soon. */
class HonestClient {
  readonly #open = new Map<string, number>()
  readonly #printed = new Set<string>()
  readonly #port: number
  sent = 0
  slowestMs = 0
  slotSlowestMs = 0

  constructor(port: number) {
    this.#port = port
  }

  get printed(): number {
    return this.#printed.size
  }

  /** The printer got this. */
  take(text: string): void {
    for (const [, name = ''] of text.matchAll(/honest-(\d+)-/g)) {
      const at = this.#open.get(name)
      if (this.#printed.has(name)) fault(`label ${name} was printed twice`)
      this.#printed.add(name)
      if (at === undefined) continue
      this.#open.delete(name)
      const ms = performance.now() - at
      this.slowestMs = Math.max(this.slowestMs, ms)
      this.slotSlowestMs = Math.max(this.slotSlowestMs, ms)
      if (ms > LATE_MS) fault(`label ${name} was printed after ${Math.round(ms)} ms`)
    }
  }

  async print(): Promise<void> {
    this.sent += 1
    const name = String(this.sent)
    this.#open.set(name, performance.now())
    const label = Buffer.from(`^XA^FO30,30^FDhonest-${name}-^FS^XZ`).toString('base64')
    const status = await call(HONEST, this.#port, '/', JSON.stringify({ label, printer: 'Honest' }))
    if (status !== '200' && status !== '202') fault(`label ${name} was refused: ${status}`)
  }

  /** Resolves when nothing is open any more, and says what was lost. */
  async settle(): Promise<void> {
    const end = performance.now() + LOST_MS
    while (this.#open.size > 0 && performance.now() < end) await sleep(100)
    for (const name of this.#open.keys()) fault(`label ${name} was never printed`)
  }
}

/** Measures how long the server takes to report that it is well. */
class Health {
  readonly #port: number
  asked = 0
  slow = 0
  slowestMs = 0
  slotSlowestMs = 0

  constructor(port: number) {
    this.#port = port
  }

  async ask(): Promise<void> {
    this.asked += 1
    const start = performance.now()
    const status = await call(HEALTH, this.#port, '/healthz')
    const ms = performance.now() - start
    this.slowestMs = Math.max(this.slowestMs, ms)
    this.slotSlowestMs = Math.max(this.slotSlowestMs, ms)
    if (status !== '200') fault(`/healthz: ${status}`)
    if (ms <= SLOW_HEALTH_MS) return
    this.slow += 1
    fault(`/healthz took ${Math.round(ms)} ms`)
  }
}

function startFlood(flood: Flood): ChildProcess {
  const child = fork(join(import.meta.dirname, 'flood-child.ts'), [JSON.stringify(flood)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // The attacker's machine is another one: it takes no processor time from the server.
  if (child.pid !== undefined) setPriority(child.pid, 19)
  return child
}

async function endFlood(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Chooses addresses: one has all the connections, or several share them. */
function listAddresses(random: () => number): readonly string[] {
  const count = random() < 0.5 ? 1 : 8
  return Array.from({ length: count }, (_, index) => `127.0.1.${index + 1}`)
}

function readFloods(text: string): readonly FloodName[] {
  if (text === '') return FLOODS
  return text.split(/[ ,]+/).map((name) => {
    const found = FLOODS.find((one) => one === name)
    if (found === undefined) throw new Error(`FLOODS: ${name}; there are ${FLOODS.join(' ')}`)
    return found
  })
}

/** A box has nothing else to do; what else runs here is not to be measured. Only root may say so. */
function goFirst(): void {
  try {
    setPriority(-10)
  } catch (error) {
    console.log(`at the usual priority: ${(error as Error).message}`)
  }
}

async function run(): Promise<void> {
  goFirst()
  const { MINUTES = '60', SECONDS = '30', FLOODS: chosen = '' } = process.env
  const SEED = process.env['SEED'] || String(Date.now() % 1_000_000)
  const names = readFloods(chosen)
  const slotMs = Number(SECONDS) * 1_000
  const random = makeRandom(Number(SEED))
  const end = performance.now() + Number(MINUTES) * 60_000
  const folder = mkdtempSync(join(tmpdir(), 'platen-floods-'))
  const box = Box.open()
  const port = await findClosedPort()
  const securePort = await findClosedPort()
  const honest = new HonestClient(port)
  const health = new Health(port)
  const sink = await openPrinter((text) => honest.take(text))
  const crowd = await openPrinter(() => undefined)
  const off = `socket://127.0.0.1:${await findClosedPort()}`
  const printers = Object.entries({ Honest: sink.uri, Crowd: crowd.uri, Off: off })
  const program = new Program(
    folder,
    {
      port: String(port),
      secure_port: String(securePort),
      use_ssl: true,
      host: '0.0.0.0',
      open_browser: false,
      printer: 'Honest',
      job_retention_hours: 1,
      printers: printers.map(([name, uri]) => ({ name, uri, language: 'zpl' })),
    },
    box,
  )
  await program.start()
  console.log(`SEED=${SEED} MINUTES=${MINUTES}, ${names.length} floods of ${SECONDS} s`)
  const work = setInterval(() => {
    void honest.print()
    void health.ask()
    program.look()
  }, 1_000)
  let floods = 0
  for (let at = 0; performance.now() < end; at += 1) {
    const name = names[at % names.length] ?? 'idle'
    const from = listAddresses(random)
    const flood = startFlood({ name, port, securePort, from, connections: CONNECTIONS })
    await sleep(Math.max(0, Math.min(slotMs, end - performance.now())))
    await endFlood(flood)
    floods += 1
    const rss = Math.round(program.look())
    console.log(
      `${name}, ${from.length} address(es): slowest label ${Math.round(honest.slotSlowestMs)} ms, slowest /healthz ${Math.round(health.slotSlowestMs)} ms, memory ${rss} MB, peak ${Math.round(program.peakMb)} MB`,
    )
    honest.slotSlowestMs = 0
    health.slotSlowestMs = 0
  }
  clearInterval(work)
  await honest.settle()
  const last = { name: 'pipelined-read', port, securePort, from: ['127.0.1.1'] } as const
  const flood = startFlood({ ...last, connections: CONNECTIONS })
  await sleep(3_000)
  const stopMs = await program.stop()
  await endFlood(flood)
  const kills = box?.kills ?? 0
  if (kills > 0) fault(`the kernel killed it ${kills} times for its memory`)
  box?.close()
  for (const { server } of [sink, crowd]) server.close()
  rmSync(folder, { recursive: true, force: true })
  console.log(
    [
      `floods ${floods} (SEED=${SEED})`,
      `honest labels: ${honest.sent} sent, ${honest.printed} printed, slowest ${Math.round(honest.slowestMs)} ms`,
      `/healthz: ${health.asked} asked, slowest ${Math.round(health.slowestMs)} ms, ${health.slow} slower than ${SLOW_HEALTH_MS} ms`,
      `memory: peak ${Math.round(program.peakMb)} MB${box === undefined ? ', no cgroup here' : ` of ${readUnit('MemoryMax')}`}`,
      `restarts: ${program.restarts}; SIGTERM in a flood: ended after ${Math.round(stopMs)} ms`,
      `load of this machine: ${loadavg().map(Math.round).join(' ')}`,
      `faults: ${faults.length}`,
    ].join('\n'),
  )
  process.exit(faults.length === 0 ? 0 : 1)
}

await run()
