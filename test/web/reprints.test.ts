import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { importPage } from './in-node.ts'

interface Label {
  readonly id: string
  readonly reprint_of: string
  readonly created: string
  readonly state: 'completed'
}

const HOUR_MS = 3_600_000

const label = (number: number, of = '', ms = Date.now()): Label => ({
  id: `p-${number}`,
  reprint_of: of,
  created: new Date(ms).toISOString(),
  state: 'completed',
})

t.test('a copy that came just now is not one that a person has seen', async (t) => {
  const { createStore } = await importPage<{
    createStore(api: object): { putJob(job: Label): void }
  }>('shell/store.js')
  const { createReprints } = await importPage<{
    createReprints(store: object): { newestOf(job: Label): string }
  }>('labels/reprints.js')
  for (const [clocks, ms] of [
    ['the clocks agree', 0],
    ['the clock of the print server is behind', -HOUR_MS],
    ['it is ahead', HOUR_MS],
  ] as const) {
    const store = createStore({})
    const reprints = createReprints(store)
    const first = label(1, '', Date.now() + ms)
    store.putJob(first)
    store.putJob(label(2, first.id, Date.now() + ms))
    t.equal(reprints.newestOf(first), first.id, clocks)
    await sleep(2_500)
    t.equal(reprints.newestOf(first), 'p-2', `${clocks}: it has been on the page for a while`)
  }
})
