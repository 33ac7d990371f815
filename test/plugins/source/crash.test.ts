import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { poll } from '../../until.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'
import { POISON } from './crash-contract.ts'
import { CREDENTIALS, FauxqsDaemon } from './fauxqs-daemon.ts'
import { MosquittoDaemon, noMosquitto } from './mosquitto-daemon.ts'
import { gives, Receiver } from './receiver.ts'

const CHILD = join(import.meta.dirname, 'crash-child.ts')
const bad = base64(`^XA^FX${POISON}^FS^XZ`)
const good = base64('^XA^FXneighbor^FS^XZ')
const printed = `completed  ${Buffer.from(good, 'base64').length}`
const TWICE = 'The print server ended 2 times while it looked at this message.'

t.setTimeout(300_000)

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A start of the program. */
class Life {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>

  constructor(t: Test, folder: string, config: object) {
    const env = { ...process.env, ...CREDENTIALS }
    this.#child = spawn(process.execPath, [CHILD, folder, JSON.stringify(config)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#ended = once(this.#child, 'close')
    t.teardown(() => this.kill())
    if (this.#child.stdout === null) throw new Error('no standard output')
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.lines.push(line))
  }

  /** Resolves once a line of this beginning was told. */
  async until(beginning: string): Promise<void> {
    await poll(beginning, () => this.lines.some((line) => line.startsWith(beginning)))
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

/** Two lives that end in the look, and the third. */
async function crashTwice(t: Test, config: object): Promise<Life> {
  const folder = t.testdir()
  for (let times = 0; times < 2; times += 1) {
    const life = new Life(t, folder, config)
    await life.until('looks')
    await life.kill()
  }
  return new Life(t, folder, config)
}

/** The message is told of and not looked at; the one beside it prints, once. */
async function goesOn(t: Test, life: Life): Promise<void> {
  await life.until(printed)
  await life.until('message set aside')
  t.notOk(life.lines.includes('looks'), 'not looked at again')
  t.equal(life.lines.filter((line) => line === printed).length, 1, 'the one beside it prints')
  const told = life.lines.find((line) => line.startsWith('message set aside')) ?? ''
  t.match(told, TWICE)
}

t.test('beanstalkd: buried', { skip: noBeanstalkd }, async (t) => {
  const daemon = await BeanstalkdDaemon.start(t)
  await daemon.put('labels', bad)
  await daemon.put('labels', good)
  const queue = { type: 'beanstalkd', endpoint: daemon.endpoint, tube: 'labels', ack: 'spooled' }
  await goesOn(t, await crashTwice(t, { queues: [queue] }))
  await poll('an empty tube', async () => {
    const { waiting, buried } = await daemon.count('labels')
    return waiting === 0 && buried === 1
  })
})

t.test('MQTT: held here', { skip: noMosquitto }, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  await daemon.reserve('bench', 'labels')
  await daemon.put('labels', bad)
  await daemon.put('labels', good)
  const { url } = daemon
  const queue = { type: 'mqtt', url, topic: 'labels', client_id: 'bench', ack: 'spooled' }
  const life = await crashTwice(t, { queues: [queue] })
  await goesOn(t, life)
  await life.until('pending-held LABEL_CRASHED')
  await poll('an empty queue', () => daemon.waiting('bench') === 0)
})

t.test('SQS: left to the dead letters of the queue', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const path = await daemon.create('labels', { VisibilityTimeout: '1' })
  await daemon.put(path, bad)
  const queue = { type: 'sqs', region: 'eu-central-1', url: daemon.urlOf(path), ack: 'spooled' }
  const life = await crashTwice(t, { queues: [queue] })
  // Not before: a standard queue has no order, and a label that prints when the program is killed is held.
  await daemon.put(path, good)
  await goesOn(t, life)
})

t.test('heartbeat: held here', async (t) => {
  const receiver = await Receiver.open(t, gives({ labels: [bad, good], ids: ['bad', 'good'] }))
  const life = await crashTwice(t, { heart_beat_url: receiver.origin, heart_beat_interval: 1 })
  await goesOn(t, life)
  await life.until('pending-held LABEL_CRASHED')
})
