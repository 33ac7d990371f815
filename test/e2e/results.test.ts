import t from 'tap'
import { polite, startReceiver, until as untilTrue } from '../plugins/results/receiver.ts'
import { until } from '../until.ts'
import { type Answer, base64, jobIn, type Server, startServer, type WireJob } from './server.ts'

t.setTimeout(300_000)

const ROUNDS = 4
const LABELS = 12

async function print(server: Server, mark: string): Promise<string | undefined> {
  try {
    const label = base64(`^XA^FX${mark}^FS^XZ`)
    const response = await server.post('/', { label }, { prefer: 'respond-async' })
    return ((await response.json()) as Answer).jobs[0]?.id
  } catch {
    return undefined // the server was killed in the middle of it
  }
}

/** Sends labels and kills the server somewhere among them. */
async function disturb(server: Server, round: number, killAfter: number): Promise<void> {
  for (let n = 0; n < LABELS; n += 1) {
    if (n === killAfter) void server.kill()
    await print(server, `${round}-${n}`)
  }
  await server.kill()
}

t.test(
  'tells every end at least once and in order, however often the server is killed',
  async (t) => {
    const folder = t.testdir()
    let taken = 0
    const receiver = await startReceiver(t, (response, { events }) => {
      taken += events.length
      // Some answers never come: what was sent then comes again.
      if (taken % 5 === 0) response.socket?.destroy()
      else response.end()
    })
    const config = { result_url: receiver.url, result_secret: 'k', on_interrupt: 'reprint' }
    const start = () => startServer(t, { folder, config, flags: ['--demo'] })
    for (let round = 0; round < ROUNDS; round += 1) {
      await disturb(await start(), round, 1 + ((round * 5) % LABELS))
    }
    receiver.behave(polite)
    const server = await start()
    const ended = await until('all labels to end', async () => {
      const jobs = (await (await server.get('/jobs?limit=200')).json()) as readonly WireJob[]
      return jobs.every(({ state }) => state === 'completed') ? jobs : undefined
    })
    t.ok(ended.length > ROUNDS, `${ended.length} labels`)
    const seen = () => new Set(receiver.events().map(({ event_id }) => event_id))
    const told = () =>
      new Set(
        receiver
          .events()
          .filter(({ event }) => event === 'job')
          .map(({ id }) => id),
      )
    await untilTrue('every end to be told', () => ended.every(({ id }) => told().has(id)))
    t.equal(told().size, ended.length, 'and nothing else')
    const numbers = [...new Set(receiver.events().map(({ seq }) => seq))]
    t.same(
      numbers,
      numbers.map((_, index) => index + 1),
      'in order and without gaps',
    )
    t.equal(seen().size, numbers.length, 'a repeat has the id of the first')
    t.ok(receiver.requests.every(({ headers }) => headers['x-platen-signature'] !== undefined))
    // The server hears of it a moment after the receiver.
    const metrics = await until('the success to be noted', async () => {
      const text = await (await server.get('/metrics')).text()
      return /^platen_results_last_success_seconds \d/m.test(text) ? text : undefined
    })
    t.match(metrics, /^platen_results_dropped_total 0$/m)
    t.equal(await server.stop(), 0)
  },
)

t.test('without a result address nothing is loaded, sent or measured', async (t) => {
  const server = await startServer(t, { folder: t.testdir(), config: {}, flags: ['--demo'] })
  const id = await print(server, 'x')
  await jobIn(server, id ?? '', ['completed'])
  t.notMatch(await (await server.get('/metrics')).text(), 'platen_results')
  t.equal(await server.stop(), 0)
})
