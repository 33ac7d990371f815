import t, { type Test } from 'tap'
import { memoryOf } from '../bench/process.ts'
import { noMosquitto } from '../plugins/source/mosquitto-daemon.ts'
import { makeRandom } from '../random.ts'
import { until } from '../until.ts'
import { type Done, disturb } from './chaos.ts'
import { type Box, type Fleet, type Held, startFleet } from './fleet.ts'
import { Load, WAYS, wayOf } from './load.ts'
import { noPrometheus, Prometheus } from './prometheus.ts'

// `make fleet-test` sets them to 30, 50000 and 15. Without minutes it is only seen that the alerts begin.
const SERVERS = Number(process.env['SERVERS'] || 5)
const LABELS = Number(process.env['LABELS'] || 400)
const MINUTES = Number(process.env['MINUTES'] || 0)
const SEED = Number(process.env['SEED'] || Date.now() % 1_000_000)
/** The longest time of a rule, and a while to be sure. */
const RULES_MINUTES = 45
const SPEED = MINUTES > 0 ? RULES_MINUTES / MINUTES : 1
const SCRAPE_MS = MINUTES > 0 ? Math.round(Math.max(1_000, 30_000 / SPEED)) : 500
const CHAOS_MS = MINUTES > 0 ? (MINUTES * 60_000) / 1.5 : 4_000
const LIMIT_MS = 300_000 + 2 * MINUTES * 60_000 + LABELS * 20
/** Labels of the burst at the end, sent as fast as they are taken. */
const BURST = Math.floor(LABELS / 5)

const skip =
  process.platform === 'linux' ? noMosquitto || noPrometheus : 'memory is read from /proc'

t.setTimeout(2 * LIMIT_MS)

t.test(`${LABELS} labels for ${SERVERS} servers, seed ${SEED}`, { skip }, async (t) => {
  t.testdir()
  const random = makeRandom(SEED)
  const fleet = await startFleet(t, SERVERS)
  const { boxes, paper, presence, receiver } = fleet
  const [gone, jammed, asked, ...others] = boxes as [Box, Box, Box, ...Box[]]
  const targets = boxes.map(({ instance }) => instance)
  const prometheus = await Prometheus.start(t, targets, { everyMs: SCRAPE_MS, speed: SPEED })
  const isWell = (): boolean =>
    boxes.every(({ name }) => presence.get(name)?.online && presence.get(name)?.ready)
  const whole = async (what: string, is: () => boolean | Promise<boolean>): Promise<void> => {
    await until(what, async () => ((await is()) ? true : undefined), LIMIT_MS, 100)
  }
  await whole('all to be there', isWell)
  await whole('figures of all', async () => (await prometheus.query('up == 1')).length === SERVERS)
  const idleMb = sizes(boxes)

  const rings = async (alert: string, at: Box): Promise<void> => {
    const state = MINUTES > 0 ? 'firing' : 'pending|firing'
    const asked = `ALERTS{alertname="${alert}", instance="${at.instance}", alertstate=~"${state}"}`
    await whole(`${alert} at ${at.name}`, async () => (await prometheus.query(asked)).length > 0)
    t.comment(`${alert} rings at ${at.name}`)
  }

  const load = new Load(fleet)
  t.teardown(() => load.close())
  const began = performance.now()
  const offered = load.offer(LABELS - BURST, CHAOS_MS)
  const calm = new AbortController()
  const everyMs = MINUTES > 0 ? 6_000 : 400
  const restartQueue = (): Promise<void> => load.restartQueue()
  const chaos = disturb(fleet, others, { everyMs, random, restartQueue }, calm.signal)
  // What no short trouble rings for: each lasts until its alert does.
  await fleet.mqtt.publishAsync(
    asked.topic,
    JSON.stringify({ label: btoa('^XA^FXnobody^FS^XZ'), printer: 'Nobody' }),
    { qos: 1, properties: { userProperties: { id: 'nobody' } } },
  )
  const staged = Promise.all([
    (async () => {
      await gone.kill()
      await rings('PlatenDown', gone)
      await whole('its presence to end', () => presence.get(gone.name)?.online === false)
      await gone.start()
    })(),
    (async () => {
      const place = 2 * boxes.indexOf(jammed) + 1
      await paper.ask(`off ${place}`)
      await rings('PlatenPrinterStopped', jammed)
      await rings('PlatenLabelsWait', jammed)
      await paper.ask(`on ${place}`)
    })(),
    rings('PlatenLabelsHeld', asked),
  ])
  await Promise.all([offered, staged])
  calm.abort()
  const done = await chaos
  // A broker that stays away: all boxes say so, those that are never killed long enough.
  await fleet.mosquitto.kill()
  await rings('PlatenSourceFailing', jammed)
  await fleet.mosquitto.start()

  await settle(fleet, whole, LABELS - BURST)
  const chaosMs = performance.now() - began
  const burstAt = performance.now()
  await load.offer(BURST, 0)
  await settle(fleet, whole, LABELS)
  const burstMs = performance.now() - burstAt
  await whole('all to be well', isWell)
  await receiver.until(receiver.beats.length + 1)

  const came = await readPaper(fleet)
  checkPaper(t, came, boxes, done)
  checkBeats(t, fleet)
  await checkAlerts(t, prometheus, { gone, jammed, asked })
  t.comment(
    `${JSON.stringify(done)}, and ${boxes.reduce((sum, { starts }) => sum + starts, 0)} starts`,
  )
  t.comment(`${LABELS - BURST} labels in ${(chaosMs / 1_000).toFixed(0)} s of trouble`)
  t.comment(
    `${BURST} more in ${(burstMs / 1_000).toFixed(1)} s: ${((1_000 * BURST) / burstMs).toFixed(0)} labels/s`,
  )
  tellLags(t, came, load.offered)
  tellSizes(t, 'idle', idleMb)
  tellSizes(t, 'at last', sizes(boxes))
  t.comment(`prometheus ${memoryOf(prometheus.pid).rssMb.toFixed(0)} MB`)
  for (const box of boxes) t.equal(await box.stop(), 0, `${box.name} ends well`)
})

interface Came {
  readonly mark: string
  readonly at: number
  readonly printer: number
}

async function readPaper({ paper }: Fleet): Promise<readonly Came[]> {
  const { marks, times } = await paper.ask('marks')
  return marks.flatMap((list, printer) =>
    list.map((mark, n) => ({ mark, at: times[printer]?.[n] ?? 0, printer })),
  )
}

/**
 * Until labels 0 to `count` are on paper. A person looks at the paper and says whether labels are there that were cut off, or
 * that another server had before; the latter once nothing is on its way any more.
 */
async function settle(
  fleet: Fleet,
  whole: (what: string, is: () => Promise<boolean>) => Promise<void>,
  count: number,
): Promise<void> {
  let missing: readonly string[] = []
  let waiting: readonly string[] = []
  let movedAt = performance.now()
  // What a print server has sent, a printer on a busy computer has on paper a while later.
  const isCalm = (moves: boolean): boolean => {
    if (moves) movedAt = performance.now()
    return performance.now() - movedAt > 2_000
  }
  const isThere = async (): Promise<boolean> => {
    const held = (await Promise.all(fleet.boxes.map((box) => box.held())))
      .flat()
      .filter(({ mark }) => mark !== 'nobody')
    const [hadBefore, cut] = [held.filter(isDoubtful), held.filter((one) => !isDoubtful(one))]
    const prints = await Promise.all(fleet.boxes.map((box) => box.prints()))
    const isOver = isCalm(cut.length > 0 || prints.includes(true))
    const there = new Set((await readPaper(fleet)).map(({ mark }) => mark))
    for (const { box, job, mark } of cut) {
      await box.press(job.id, 'resolve', { printed: there.has(mark) })
    }
    for (const { box, job, mark } of hadBefore) {
      if (there.has(mark)) await box.press(job.id, 'cancel')
      else if (isOver) await box.press(job.id, 'release')
    }
    missing = Array.from({ length: count }, (_, number) => `L${number}`).filter(
      (mark) => !there.has(mark),
    )
    waiting = held.map(({ box, mark, job }) => `${mark} at ${box.name} (${job.reasons})`)
    return missing.length === 0
  }
  await whole('every label to be on paper', isThere).catch((cause: Error) => {
    throw new Error(`${cause.message}; not there: ${missing}; held: ${waiting}`, { cause })
  })
}

const isDoubtful = ({ job }: Held): boolean => job.reasons.includes('platen-duplicate')

/** Each once, on its own box where it had one. */
function checkPaper(
  t: Test,
  came: readonly Came[],
  boxes: readonly Box[],
  { kills, queueKills }: Done,
): void {
  const twice = [...Map.groupBy(came, ({ mark }) => mark).values()].filter(
    ({ length }) => length > 1,
  )
  const [shared, own] = [
    twice.filter(([one]) => wayOf(numberOf(one)) === 'queue'),
    twice.filter(([one]) => wayOf(numberOf(one)) !== 'queue'),
  ]
  t.same(own, [], 'nothing that was sent to a box came out twice')
  t.same(
    shared.filter((list) => new Set(list.map(({ printer }) => printer >> 1)).size < list.length),
    [],
    'nothing of the queue came out twice at a box',
  )
  // Each server may have had one in its hands.
  t.ok(
    shared.length <= queueKills * SERVERS,
    `${shared.length} at two boxes, as the queue was killed and forgot that one had it`,
  )
  t.comment(
    `${kills} kills, ${queueKills} of the queue: ${shared.length} labels of the queue at two boxes`,
  )
  t.same(
    came.filter(({ mark, printer }) => {
      const number = numberOf({ mark })
      if (wayOf(number) === 'queue') return false
      const box = Math.floor(number / 10) % boxes.length
      return printer !== 2 * box + (number % 2)
    }),
    [],
    'each on its own printer',
  )
}

const numberOf = (came: { readonly mark: string } | undefined): number =>
  Number(came?.mark.slice(1))

function checkBeats(t: Test, { receiver, boxes }: Fleet): void {
  const told = new Set(
    receiver.beats.map(({ body }) => JSON.parse(body).printer.params.bench as string),
  )
  t.same([...told].sort(), boxes.map(({ name }) => name).sort(), 'heartbeats of all')
}

/** Alerts about this computer, not about the disturbances of the fleet. */
const OF_THE_COMPUTER = ['PlatenCommitSlow', 'PlatenMemoryLow', 'PlatenHot', 'PlatenDiskLow']
/**
 * Alerts that are right anywhere: after a kill in the middle of printing the label waits for a person; the broker that stayed away fails
 * all.
 */
const RIGHT_ANYWHERE = ['PlatenLabelsHeld', 'PlatenSourceFailing', ...OF_THE_COMPUTER]

/** Checks the alerts that rang, and that no others did. */
async function checkAlerts(
  t: Test,
  prometheus: Prometheus,
  { gone, jammed, asked }: { readonly gone: Box; readonly jammed: Box; readonly asked: Box },
): Promise<void> {
  const rang = await prometheus.query('count_over_time(ALERTS{alertstate="firing"}[1d])')
  const seen = new Set(rang.map(({ metric }) => `${metric['alertname']} ${metric['instance']}`))
  const wanted = [
    `PlatenDown ${gone.instance}`,
    `PlatenPrinterStopped ${jammed.instance}`,
    `PlatenLabelsWait ${jammed.instance}`,
    `PlatenLabelsHeld ${asked.instance}`,
  ]
  const others = [...seen].filter((one) => !wanted.includes(one))
  const unwanted = others.filter((one) => !RIGHT_ANYWHERE.some((name) => one.startsWith(name)))
  for (const name of OF_THE_COMPUTER) {
    const count = others.filter((one) => one.startsWith(name)).length
    if (count > 0) t.comment(`${name} rang at ${count} servers: it is true of this computer`)
  }
  t.same(unwanted, [], 'no other alert rang')
  const sources = new Set(rang.flatMap(({ metric }) => metric['source'] ?? []))
  t.same(
    [...sources],
    MINUTES > 0 ? ['mqtt'] : [],
    'of the sources only the broker that stayed away',
  )
}

function tellLags(t: Test, came: readonly Came[], offered: readonly number[]): void {
  for (const way of WAYS) {
    const lags = came
      .filter((one) => wayOf(numberOf(one)) === way)
      .map((one) => one.at - (offered[numberOf(one)] ?? 0))
      .sort((a, b) => a - b)
    const at = (part: number): string =>
      `${(lags[Math.floor(part * (lags.length - 1))] ?? 0).toFixed(0)} ms`
    t.comment(
      `${way}: on paper after ${at(0.5)} (median), ${at(0.95)} (p95), ${at(0.99)} (p99), ${at(1)} at most`,
    )
  }
}

const sizes = (boxes: readonly Box[]): readonly number[] =>
  boxes.map(({ residentMb }) => residentMb).sort((a, b) => a - b)

function tellSizes(t: Test, when: string, list: readonly number[]): void {
  const sum = list.reduce((total, one) => total + one, 0)
  const at = (part: number): string => (list[Math.floor(part * (list.length - 1))] ?? 0).toFixed(0)
  t.comment(
    `memory ${when}: ${at(0)} to ${at(1)} MB each (median ${at(0.5)}), ${sum.toFixed(0)} MB together`,
  )
}
