import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { memoryOf, memoryVariables } from '../bench/process.ts'
import { findClosedPort } from '../listen.ts'
import { Clients } from '../load/clients.ts'
import { Paper } from '../load/paper.ts'
import { until } from '../until.ts'
import { ENTRIES, type Server, startServer } from './server.ts'

// `make soak-test` sets it to 100000.
const LABELS = Number(process.env['LABELS'] ?? 2_000)
const PRINTERS = 20
const RESTARTS = 3
const MEMORY_MB = 10 // that it may keep of a flood that is over
const MEMORY_LABELS = 20_000 // a short run says little: the collector has had no reason to give anything back
const MEMORY_MS = LABELS >= MEMORY_LABELS ? 120_000 : 0
const LIMIT_MS = 300_000 + LABELS * 100

t.setTimeout(2 * LIMIT_MS)

const residentMb = ({ pid }: Server): number => memoryOf(pid).rssMb

t.test(`${LABELS} labels for ${PRINTERS} printers, ${RESTARTS} restarts`, async (t) => {
  const paper = await Paper.open(PRINTERS)
  t.teardown(() => paper.close())
  const port = await findClosedPort()
  const [folder, entry = ''] = [t.testdir(), ENTRIES.at(-1)]
  const config = { port: String(port), host: '127.0.0.1', printers: paper.entries }
  const env = { ...memoryVariables(), PLATEN_ANNOUNCE: '0', NODE_ENV: 'production' }
  const start = (): Promise<Server> => startServer(t, { folder, entry, config, env })

  let server = await start()
  await server.get('/healthz')
  await sleep(2_000) // its start is over by then
  const idleMb = residentMb(server)
  const clients = new Clients({
    port,
    clients: 16,
    from: ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.1.4'],
    printers: paper.names,
    labelBytes: 3_000,
    first: 0,
    labels: LABELS,
    isKeyed: true,
  })
  t.teardown(() => clients.stop())
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    const wanted = (LABELS * restart) / (RESTARTS + 1)
    await until(
      'labels',
      async () => ((await paper.total()) >= wanted ? true : undefined),
      LIMIT_MS,
    )
    t.equal(await server.stop(), 0, `restart ${restart} at ${Math.round(wanted)} labels`)
    server = await start()
  }
  await until('all', async () => ((await paper.total()) >= LABELS ? true : undefined), LIMIT_MS)
  await until(
    'answers',
    async () => ((await clients.ask()).accepted >= LABELS ? true : undefined),
    LIMIT_MS,
  )

  const { marks } = await paper.ask('marks')
  const numbers = marks.map((list) => list.map((mark) => Number(mark.slice(1))))
  const all = numbers.flat().sort((a, b) => a - b)
  t.equal(all.length, LABELS, 'each came out once')
  t.ok(all.every((number, index) => number === index))
  t.ok(
    numbers.every((list, printer) => list.every((number) => number % PRINTERS === printer)),
    'on its own printer',
  )
  const moreMb = (): number => residentMb(server) - idleMb
  const isBack = async (): Promise<true | undefined> => (moreMb() <= MEMORY_MB ? true : undefined)
  await until('memory', isBack, MEMORY_MS, 500).catch(() => undefined)
  t.comment(`resident: ${idleMb.toFixed(1)} MB at first, ${moreMb().toFixed(1)} MB more at last`)
  if (LABELS >= MEMORY_LABELS) t.ok(moreMb() <= MEMORY_MB, `at most ${MEMORY_MB} MB more`)
})
