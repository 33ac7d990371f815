import { join } from 'node:path'
import type { MqttClient } from 'mqtt'
import type { Test } from 'tap'
import { memoryOf, memoryVariables } from '../bench/process.ts'
import { ENTRIES, type Server, startServer, type WireJob } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import { markOf } from '../load/label.ts'
import { Paper } from '../load/paper.ts'
import { BeanstalkdDaemon } from '../plugins/source/beanstalkd-daemon.ts'
import { MosquittoDaemon } from '../plugins/source/mosquitto-daemon.ts'
import { Receiver } from '../plugins/source/receiver.ts'

export const TUBE = 'fleet'
const BEAT_SECONDS = 5
const STARTS_AT_ONCE = 4

/** A label that waits for a person at a box. */
export interface Held {
  readonly box: Box
  readonly job: WireJob
  readonly mark: string
}

/** A print server with two printers; it keeps its port, its folder and its names over every restart. */
export class Box {
  readonly name: string
  readonly port: number
  readonly printers: readonly [string, string]
  starts = 0
  #server: Server | undefined
  readonly #start: () => Promise<Server>
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    name: string,
    port: number,
    printers: readonly [string, string],
    start: () => Promise<Server>,
  ) {
    this.name = name
    this.port = port
    this.printers = printers
    this.#start = start
  }

  get topic(): string {
    return `platen/${this.name}/print`
  }

  get instance(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Starts the server; steps follow one another. */
  start(): Promise<void> {
    return this.#queueUp(async () => {
      this.#server = await this.#start()
      this.starts += 1
    })
  }

  /** SIGKILL. */
  kill(): Promise<void> {
    return this.#queueUp(async () => {
      await this.#server?.kill()
      this.#server = undefined
    })
  }

  get residentMb(): number {
    return this.#server === undefined ? Number.NaN : memoryOf(this.#server.pid).rssMb
  }

  /** Exit code of a regular end. */
  async stop(): Promise<number | null | undefined> {
    return await this.#server?.stop()
  }

  /** True when the label is on its disk. */
  async post(label: string, printer: string, key: string): Promise<boolean> {
    const answer = await fetch(`http://${this.instance}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        prefer: 'respond-async',
        'idempotency-key': key,
      },
      body: JSON.stringify({ printer, label: Buffer.from(label).toString('base64') }),
    })
    await answer.arrayBuffer()
    return answer.ok
  }

  /** Labels wait for one of its printers, or one prints. */
  async prints(): Promise<boolean> {
    const states = 'pending,processing,processing-stopped'
    const found = (await this.#get(`/jobs?state=${states}&limit=1`)) as readonly WireJob[]
    return found.length > 0
  }

  /** Labels that wait for a person. */
  async held(): Promise<readonly Held[]> {
    const found = (await this.#get('/jobs?state=pending-held&limit=200')) as readonly WireJob[]
    return await Promise.all(
      found.map(async (job) => {
        const { lines } = (await this.#get(`/jobs/${job.id}/label`)) as { lines: string[] }
        return { box: this, job, mark: markOf(lines.join('\n')) }
      }),
    )
  }

  /** Presses a button as a person does. */
  async press(
    id: string,
    what: 'resolve' | 'release' | 'cancel',
    body: object = {},
  ): Promise<boolean> {
    const answer = await ask(`http://${this.instance}/jobs/${id}/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    return answer.ok
  }

  async #get(path: string): Promise<unknown> {
    return await (await ask(`http://${this.instance}${path}`)).json()
  }

  #queueUp(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

/** A connection that fetch keeps may be closed just as it is used again, on a machine that is busy. */
export async function ask(address: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(address, init).catch(() => fetch(address, init))
}

/** All that a fleet needs, as programs of this computer. */
export interface Fleet {
  readonly boxes: readonly Box[]
  readonly paper: Paper
  readonly beanstalkd: BeanstalkdDaemon
  readonly mosquitto: MosquittoDaemon
  readonly receiver: Receiver
  /** A client that comes back by itself, and sends again what nobody acknowledged. */
  readonly mqtt: MqttClient
  /** The presence that each box has at the broker now. */
  readonly presence: ReadonlyMap<string, { readonly online: boolean; readonly ready: boolean }>
}

export async function startFleet(t: Test, count: number): Promise<Fleet> {
  const paper = await Paper.open(2 * count)
  t.teardown(() => paper.close())
  // It is killed, never the computer: what it wrote is there without a flush for each label.
  const beanstalkd = await BeanstalkdDaemon.start(t, '-F')
  const mosquitto = await MosquittoDaemon.start(t)
  const receiver = await Receiver.open(t)
  const mqtt = await mosquitto.connect({ clientId: 'warehouse', reconnectPeriod: 200 })
  mqtt.on('error', () => undefined)
  t.teardown(() => mqtt.endAsync(true))
  const presence = new Map<string, { online: boolean; ready: boolean }>()
  mqtt.on('message', (topic, text) => {
    presence.set(topic.split('/')[1] ?? '', JSON.parse(text.toString()))
  })
  await mqtt.subscribeAsync('platen/+/status', { qos: 1 })
  const boxes: Box[] = []
  for (let index = 0; index < count; index += 1) {
    const config = (port: number, name: string, printers: readonly object[]): object => ({
      host: '127.0.0.1',
      port: String(port),
      printer: paper.names[2 * index],
      printers,
      queues: [
        { type: 'beanstalkd', endpoint: beanstalkd.endpoint, tube: TUBE },
        {
          type: 'mqtt',
          url: mosquitto.url,
          client_id: name,
          topic: `platen/${name}/print`,
        },
      ],
      heart_beat_url: `${receiver.origin}/beat`,
      heart_beat_interval: BEAT_SECONDS,
      heart_beat_params: { bench: name },
    })
    const [port, name] = [await findClosedPort(), `bench-${index + 1}`]
    const own = paper.entries.slice(2 * index, 2 * index + 2)
    const [one = '', two = ''] = paper.names.slice(2 * index)
    const folder = join(t.testdirName, name)
    const start = (): Promise<Server> =>
      startServer(t, {
        folder,
        entry: ENTRIES.at(-1) ?? '',
        config: config(port, name, own),
        env: { PLATEN_ANNOUNCE: '0', NODE_ENV: 'production', ...memoryVariables() },
      })
    boxes.push(new Box(name, port, [one, two], start))
  }
  for (let at = 0; at < count; at += STARTS_AT_ONCE)
    await Promise.all(boxes.slice(at, at + STARTS_AT_ONCE).map((box) => box.start()))
  return { boxes, paper, beanstalkd, mosquitto, receiver, mqtt, presence }
}
