import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { listen } from '../../listen.ts'
import { Dice, type Story, testHistories } from '../../simulator/history.ts'
import { BAD, MARKS, QueueBox, write } from './queue-box.ts'

const HOLD_SECONDS = 0.03
const SOURCE = createSqs({
  connectMs: 60_000,
  replyMs: 60_000,
  pollSeconds: 1,
  settleMs: 20,
  countMs: 100,
  leaseSeconds: HOLD_SECONDS,
  badSeconds: 1,
})
const SECOND_MS = 2 // of a message that is given back or is bad
const SECONDS_MOST = 8

type Asked = Readonly<Record<string, unknown>>
type Answer = readonly [status: number, body: object]

interface Message {
  readonly id: string
  readonly mark: string
  /** A FIFO queue gives one of a group after the other. */
  readonly group: number
  receives: number
  /** The receipt of its last delivery; '' = it waits. */
  receipt: string
  hidden: NodeJS.Timeout | undefined
  state: 'there' | 'deleted' | 'dead'
}

/** A queue, and lines to it that break between any two steps; the time of its messages ends at random. */
class Queue {
  loss = 0
  /** Deliveries after which it sets a message aside; 0 = never. */
  receivesMost = 0
  visibility = HOLD_SECONDS
  readonly isFifo: boolean
  readonly #isDenied: boolean
  readonly messages: Message[] = []
  readonly #dice: Dice
  readonly #say: (line: string) => void
  #waiting: (() => boolean)[] = []
  #deliveries = 0

  constructor(dice: Dice, say: (line: string) => void) {
    this.#dice = dice
    this.#say = say
    this.isFifo = dice.chance(0.3)
    this.#isDenied = dice.chance(0.2)
  }

  get isDone(): boolean {
    return this.messages.every(({ state }) => state !== 'there')
  }

  add(mark: string): void {
    const id = `m${this.messages.length}`
    this.#say(`${mark} is put as ${id}`)
    const fresh = { receives: 0, receipt: '', hidden: undefined, state: 'there' } as const
    this.messages.push({ id, mark, group: this.#dice.below(2), ...fresh })
    this.#deliver()
  }

  /** The time of what was received is over. */
  expire(): void {
    for (const message of this.messages) if (message.hidden) this.#show(message)
    this.#deliver()
  }

  /** A standard queue gives a message once more now and then, though it is in hand or was deleted. */
  repeat(): void {
    const message = this.#dice.pick(this.messages)
    if (this.isFifo || message === undefined || message.state === 'dead') return
    this.#say(`  ${message.id} comes once more, it was ${message.state}`)
    message.state = 'there'
    this.#show(message)
    this.#deliver()
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      const name = String(request.headers['x-amz-target']).replace('AmazonSQS.', '')
      if (this.#isLost(`before ${name}`)) response.destroy()
      else this.#obey(name, JSON.parse(text) as Asked, response)
    })
  }

  #isLost(where: string): boolean {
    const isLost = this.#dice.chance(this.loss)
    if (isLost) this.#say(`  cut ${where}`)
    return isLost
  }

  #obey(name: string, asked: Asked, response: ServerResponse): void {
    if (name !== 'ReceiveMessage') {
      this.#send(name, response, this.#settle(name, asked))
      return
    }
    const most = Number(asked['MaxNumberOfMessages'])
    const seconds = Number(asked['VisibilityTimeout'])
    const give = (isLast: boolean): boolean => {
      if (response.destroyed) return true
      const Messages = this.#receive(most, seconds)
      if (Messages.length === 0 && !isLast) return false
      this.#send(name, response, [200, { Messages }])
      return true
    }
    const wait = (): boolean => give(false)
    this.#waiting.push(wait)
    setTimeout(() => {
      if (!this.#waiting.includes(wait)) return
      this.#waiting = this.#waiting.filter((each) => each !== wait)
      give(true)
    }, this.#dice.below(30))
    this.#deliver()
  }

  #deliver(): void {
    this.#waiting = this.#waiting.filter((give) => !give())
  }

  #receive(most: number, seconds: number): readonly object[] {
    const given: object[] = []
    const busy = new Set(this.messages.filter(({ hidden }) => hidden).map(({ group }) => group))
    for (const message of this.messages) {
      if (message.state !== 'there' || message.hidden || given.length === most) continue
      if (this.isFifo && busy.has(message.group)) continue
      message.receives += 1
      if (this.receivesMost > 0 && message.receives > this.receivesMost) {
        this.#say(`  ${message.id} is given up`)
        message.state = 'dead'
        continue
      }
      this.#deliveries += 1
      message.receipt = `${message.id} ${this.#deliveries}`
      this.#hide(message, seconds)
      const text = write(message.mark)
      given.push({
        MessageId: message.id,
        ReceiptHandle: message.receipt,
        Body: text,
        MD5OfBody: createHash('md5').update(text).digest('hex'),
        Attributes: { ApproximateReceiveCount: `${message.receives}` },
      })
      this.#say(`  gives ${message.id}, ${message.mark}, delivery ${message.receives}`)
    }
    return given
  }

  #settle(name: string, asked: Asked): Answer {
    if (this.#dice.chance(this.loss / 4)) return fault(503, 'ServiceUnavailable')
    if (name === 'GetQueueAttributes') return this.#tell()
    if (name === 'ChangeMessageVisibility') {
      const message = this.#find(asked['ReceiptHandle'])
      if (!message?.hidden) return fault(400, 'MessageNotInflight')
      this.#hide(message, Number(asked['VisibilityTimeout']))
      return [200, {}]
    }
    const Failed: object[] = []
    for (const { Id, ReceiptHandle } of asked['Entries'] as Record<string, string>[]) {
      const message = this.#find(ReceiptHandle)
      if (message === undefined || this.#dice.chance(this.loss / 2)) Failed.push({ Id })
      else {
        this.#say(`  ${message.id} is deleted`)
        message.state = 'deleted'
        clearTimeout(message.hidden)
        message.hidden = undefined
      }
    }
    setImmediate(() => this.#deliver())
    return [200, { Failed }]
  }

  /** The message of a receipt; an old one may still be good in a standard queue. */
  #find(receipt: unknown): Message | undefined {
    const id = String(receipt).split(' ')[0]
    const message = this.messages.find((each) => each.id === id && each.state === 'there')
    const isGood = message?.receipt === receipt && (message?.hidden || !this.isFifo)
    return isGood || (!this.isFifo && this.#dice.chance(0.5)) ? message : undefined
  }

  #tell(): Answer {
    if (this.#isDenied) return fault(403, 'AccessDenied')
    const most = { maxReceiveCount: this.receivesMost }
    const policy = this.receivesMost > 0 ? { RedrivePolicy: JSON.stringify(most) } : {}
    return [200, { Attributes: { VisibilityTimeout: `${this.visibility}`, ...policy } }]
  }

  #hide(message: Message, seconds: number): void {
    clearTimeout(message.hidden)
    const ms = seconds < 1 ? seconds * 1000 : Math.min(seconds, SECONDS_MOST) * SECOND_MS
    message.hidden = setTimeout(() => {
      this.#show(message)
      this.#deliver()
    }, ms)
  }

  #show(message: Message): void {
    clearTimeout(message.hidden)
    message.hidden = undefined
  }

  #send(name: string, response: ServerResponse, [status, body]: Answer): void {
    if (this.#isLost(`in the answer to ${name}`)) {
      response.destroy()
      return
    }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify(body))
  }
}

function fault(status: number, type: string): Answer {
  return [status, { __type: `com.amazonaws.sqs#${type}`, message: 'So it is.' }]
}

async function play(t: Test, parent: string, seed: number): Promise<Story> {
  const dice = new Dice(seed)
  const lines: string[] = []
  const folder = mkdtempSync(join(parent, 'history-'))
  const say = (line: string): void => {
    lines.push(line)
  }
  const queue = new Queue(dice, say)
  const listener = createServer((request, response) => queue.take(request, response))
  const url = `http://127.0.0.1:${await listen(t, listener)}/1/labels`
  const settings = { region: 'eu-central-1', url, access_key_id: 'a', secret_access_key: 'b' }
  const box = new QueueBox({
    folder,
    dice,
    say,
    type: 'sqs',
    run: ({ redelivered }, intake, signal) =>
      SOURCE.run({ ...settings, redelivered }, intake, signal),
  })
  const givesUp = dice.chance(0.4)
  const put = (): void => queue.add(dice.pick(MARKS) ?? '')
  const setQueue = (): void => {
    queue.loss = dice.pick([0, 0.05, 0.2]) ?? 0
    queue.visibility = dice.pick([0, HOLD_SECONDS, 0.01]) ?? 0
    if (givesUp) queue.receivesMost = dice.pick([0, 2, 3, 6]) ?? 0
  }
  const often = [...Array.from({ length: 6 }, () => put), setQueue, setQueue, () => queue.expire()]
  const cut = () => listener.closeAllConnections()
  const changes = [() => box.change(), () => box.restart(cut), () => box.fill()]
  const deeds = [...often, ...changes, () => queue.repeat(), () => queue.repeat()]
  setQueue()
  box.start()
  for (let steps = 6 + dice.below(14); steps > 0; steps -= 1) {
    await dice.pick(deeds)?.()
    await sleep(dice.below(6))
  }
  queue.loss = 0
  queue.visibility = 0.5 // less than a busy machine needs would never end
  await box.settle(() => queue.isDone)
  const faults = queue.isDone ? judge(folder, box, queue) : ['messages stay in the queue']
  listener.close()
  cut()
  await box.end()
  rmSync(folder, { recursive: true })
  return { seed, faults, lines }
}

/** Labels of this mark that came out. */
function countPrinted(folder: string, mark: string): number {
  const out = join(folder, 'a')
  const names = existsSync(out) ? readdirSync(out).filter((name) => name.endsWith('.prn')) : []
  return names.filter((name) => readFileSync(join(out, name)).includes(`^FD${mark}^FS`)).length
}

/** Judges a history: deleted messages are on disk, each at most once; of a bad one a person is told, and it never comes out. */
function judge(folder: string, box: QueueBox, { messages }: Queue): readonly string[] {
  const marks = MARKS.flatMap((mark) => {
    const put = messages.filter((each) => each.mark === mark)
    const deleted = put.filter(({ state }) => state === 'deleted').length
    const [taken, printed] = [box.count(mark), countPrinted(folder, mark)]
    const most = BAD.includes(mark) ? 0 : taken
    const isGood = deleted <= taken && taken <= put.length && printed <= most
    return isGood ? [] : [`${mark}: ${deleted} deleted, ${taken} of ${put.length}, ${printed} out`]
  })
  const untold = messages
    .filter(({ id, mark, state }) => {
      const isTold = box.told.some((sentence) => sentence.startsWith(`Message ${id} of `))
      return BAD.includes(mark) ? state === 'deleted' && !isTold : isTold
    })
    .map(({ id, mark }) => `${id}, ${mark}: nobody was told, or without need`)
  return [...marks, ...untold]
}

testHistories('an SQS queue', 'test/plugins/source/sqs-histories.test.ts', (t) =>
  Promise.resolve((folder, seed) => play(t, folder, seed)),
)
