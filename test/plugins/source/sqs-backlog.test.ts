import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeLabel, marksOf, plain } from '../../conformance/source.ts'
import { SlowPrinter } from '../../devices/slow-printer.ts'
import { isLong } from '../../suite/long.ts'
import { poll } from '../../until.ts'
import { CREDENTIALS, FauxqsDaemon } from './fauxqs-daemon.ts'

const CHILD = join(import.meta.dirname, 'backlog-child.ts')
// As in the field the long run's printer takes a sixth of the time that a message is ours (10 s of a minute).
const LABELS = isLong ? 200 : 60
const LABEL_MS = isLong ? 1_000 : 50
const RECEIVES = 3
const ALL_S = 300 + (2 * LABELS * LABEL_MS) / 1_000

t.setTimeout(4 * ALL_S * 1_000)

/** A queue that gives a message up after a few deliveries. */
async function makeQueue(t: Test) {
  const daemon = await FauxqsDaemon.start(t)
  const dead = await daemon.create('dead')
  const policy = {
    deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:000000000000:dead',
    maxReceiveCount: RECEIVES,
  }
  const RedrivePolicy = JSON.stringify(policy)
  const path = await daemon.create('labels', { RedrivePolicy, VisibilityTimeout: '30' })
  return { daemon, dead, path }
}

function start(t: Test, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [CHILD, ...args], {
    env: { ...process.env, ...CREDENTIALS },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.teardown(() => kill(child))
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

// Where labels leave the queue at once, a kill may hit a look at a message, which counts as a crash of its own.
for (const [ack, most] of [
  ['printed', 5],
  ['spooled', 0],
] as const) {
  t.test(`ack: ${ack}, a slow printer and ${most} kills cost no label`, async (t) => {
    const { daemon, dead, path } = await makeQueue(t)
    const marks = marksOf('B', LABELS)
    for (const mark of marks) await daemon.put(path, plain(makeLabel(mark, 900)))
    const printer = await SlowPrinter.open(t, LABEL_MS)
    const queue = { type: 'sqs', region: 'eu-central-1', url: daemon.urlOf(path), ack }
    const args = [t.testdir(), printer.uri, JSON.stringify({ queues: [queue] })]
    let child = start(t, args)
    let kills = 0
    const between = Math.floor(LABELS / (most + 1))
    printer.onLabel = async () => {
      // The label is in hand: neither looked at any more nor known to be printed.
      if (kills === most || printer.labels.length % between !== 0) return
      kills += 1
      await kill(child)
      child = start(t, args)
    }
    await poll('an empty queue', async () => (await daemon.count(path)) === 0, ALL_S)
    t.equal(await daemon.count(dead), 0, 'no dead letter')
    await poll('all labels', () => printer.labels.length >= LABELS, ALL_S)
    const printed = printer.labels.map((text) => /\^FX(B\d+)\^FS/.exec(text)?.[1])
    t.equal(kills, most)
    t.same(printed.sort(), [...marks].sort(), 'each came out once')
  })
}
