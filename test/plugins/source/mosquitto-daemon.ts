import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  connectAsync,
  type IClientOptions,
  type IClientPublishOptions,
  type MqttClient,
} from 'mqtt'
import type { Test } from 'tap'
import { findClosedPort } from '../../listen.ts'
import { Daemon } from './daemon.ts'

const MOSQUITTO = '/usr/sbin/mosquitto'

/** The reason to skip, or false. */
export const noMosquitto =
  spawnSync(MOSQUITTO, ['-h']).error === undefined ? false : 'mosquitto is not installed'

/** A real mosquitto with its data on disk, and a producer. */
export class MosquittoDaemon extends Daemon {
  readonly port: number
  readonly #folder: string
  #producer: MqttClient | undefined

  private constructor(port: number, folder: string) {
    super()
    this.port = port
    this.#folder = folder
  }

  /** `more` are lines of mosquitto.conf(5) after those of the listener; `{folder}` stands for the daemon's own. */
  static async start(t: Test, more: readonly string[] = []): Promise<MosquittoDaemon> {
    const folder = mkdtempSync(join(tmpdir(), 'mosquitto-'))
    chmodSync(folder, 0o755)
    const port = await findClosedPort()
    const lines = [
      `listener ${port} 127.0.0.1`,
      ...(more.some((line) => line.startsWith('password_file')) ? [] : ['allow_anonymous true']),
      'persistence true',
      `persistence_location ${folder}/`,
      // The default of 1,000 would drop what comes on top, without a word.
      'max_queued_messages 0',
      'log_type all',
      `log_dest file ${folder}/log`,
      'user root',
      ...more,
    ]
    const text = lines.join('\n').replaceAll('{folder}', folder)
    writeFileSync(join(folder, 'conf'), `${text}\n`)
    const daemon = new MosquittoDaemon(port, folder)
    t.teardown(async () => {
      await daemon.#producer?.endAsync(true)
      await daemon.kill()
      rmSync(folder, { recursive: true })
    })
    await daemon.start()
    return daemon
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    this.child = spawn(MOSQUITTO, ['-c', join(this.#folder, 'conf')], { stdio: 'ignore' })
    while (!(await isListening(this.port))) {
      if ((this.child.exitCode ?? this.child.signalCode) !== null)
        throw new Error(`mosquitto ended:\n${this.log()}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  /** SIGTERM: mosquitto writes its data at a regular end only. */
  override async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await super.kill(signal)
  }

  /** Ends it and starts it on the same data, between two puts. */
  restart(signal?: NodeJS.Signals): Promise<void> {
    return this.inTurn(async () => {
      await this.#producer?.endAsync(true)
      this.#producer = undefined
      await this.kill(signal)
      await this.start()
    })
  }

  /** A client beside the source. */
  async connect(options: IClientOptions = {}): Promise<MqttClient> {
    return await connectAsync(this.url, { protocolVersion: 5, reconnectPeriod: 0, ...options })
  }

  /** Makes the broker keep what is published there for this client, as if it had been there before. */
  async reserve(clientId: string, topic: string): Promise<void> {
    const properties = { sessionExpiryInterval: 3_600 }
    const client = await this.connect({ clientId, clean: false, properties })
    await client.subscribeAsync(topic, { qos: 1 })
    await client.endAsync()
  }

  put(topic: string, message: string, options: IClientPublishOptions = {}): Promise<void> {
    return this.inTurn(async () => {
      this.#producer ??= await this.connect({ clientId: 'producer' })
      await this.#producer.publishAsync(topic, message, { qos: 1, ...options })
    })
  }

  /** Returns the retained message of a topic; '' = none. */
  async retained(topic: string): Promise<string> {
    const client = await this.connect()
    let seen = ''
    client.on('message', (_, payload) => {
      seen = payload.toString()
    })
    await client.subscribeAsync(topic)
    // Its answer comes after what is retained.
    await client.publishAsync('nobody/listens', '', { qos: 1 })
    await client.endAsync(true)
    return seen
  }

  /** Messages that a client has not acknowledged, of all those that were published to it. */
  waiting(clientId: string): number {
    const count = (line: string): number => this.log().split(line).length - 1
    return count(': Received PUBLISH from producer ') - count(`: Received PUBACK from ${clientId} `)
  }

  /** Returns its log so far. */
  log(): string {
    return readFileSync(join(this.#folder, 'log'), 'latin1')
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
