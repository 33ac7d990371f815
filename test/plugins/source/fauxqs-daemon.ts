import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Test } from 'tap'
import { bareEnvironment } from '../../bare-environment.ts'
import { Daemon } from './daemon.ts'

const CHILD = join(import.meta.dirname, 'fauxqs-child.ts')

/** For whoever talks to the server, which takes any. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }

/** An SQS server with its data on disk, and the real SDK as a producer. */
export class FauxqsDaemon extends Daemon {
  readonly #folder: string
  #port = 0
  #client: SQSClient | undefined

  private constructor(folder: string) {
    super()
    this.#folder = folder
  }

  static async start(t: Test): Promise<FauxqsDaemon> {
    const folder = mkdtempSync(join(tmpdir(), 'fauxqs-'))
    const daemon = new FauxqsDaemon(folder)
    t.teardown(async () => {
      await daemon.kill()
      rmSync(folder, { recursive: true })
    })
    await daemon.start()
    return daemon
  }

  get port(): number {
    return this.#port
  }

  /** For a producer. */
  get client(): SQSClient {
    if (this.#client === undefined) throw new Error('the server has not been started')
    return this.#client
  }

  async start(): Promise<void> {
    const child = fork(CHILD, ['--port', String(this.#port), '--data', this.#folder], {
      env: bareEnvironment(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.child = child
    const ended = new AbortController()
    child.once('exit', (code) => ended.abort(new Error(`the SQS server ended with ${code}`)))
    const [port] = (await once(child, 'message', { signal: ended.signal })) as [number]
    this.#port = port
    this.#client ??= new SQSClient({
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    })
  }

  /** Kills it and starts it on the same data, between two puts. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.kill()
      await this.start()
    })
  }

  /** Makes a queue and gives the path of its address. */
  async create(name: string, attributes: Record<string, string> = {}): Promise<string> {
    const command = new CreateQueueCommand({ QueueName: name, Attributes: attributes })
    const { QueueUrl = '' } = await this.client.send(command)
    return new URL(QueueUrl).pathname
  }

  /** The address of a queue for whoever talks to the server without a proxy. */
  urlOf(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`
  }

  async put(path: string, body: string, group?: string): Promise<void> {
    const command = new SendMessageCommand({
      QueueUrl: this.urlOf(path),
      MessageBody: body,
      ...(group === undefined ? {} : { MessageGroupId: group }),
    })
    await this.inTurn(() => this.client.send(command))
  }

  /** Messages that nobody has deleted. */
  async count(path: string): Promise<number> {
    const command = new GetQueueAttributesCommand({
      QueueUrl: this.urlOf(path),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    })
    const { Attributes = {} } = await this.client.send(command)
    return Object.values(Attributes).reduce((sum, number) => sum + Number(number), 0)
  }
}
