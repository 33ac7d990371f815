import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { makeLabel, marksOf, plain } from '../../conformance/source.ts'
import { poll } from '../../until.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'
import { type Pulled, pull } from './intake-bench.ts'

t.setTimeout(300_000)

const COUNT = 5

/** A printer that stops when the server has answered, and goes on at its next answer: at the touch of a job in hand. */
function makeFitful(): Pick<SourceIntake, 'isReady' | 'ready' | 'report'> {
  const events = new EventEmitter()
  let isReady = true
  return {
    isReady: () => isReady,
    ready: async (signal) => {
      while (!isReady) await once(events, 'ready', { signal })
    },
    report: ({ kind }) => {
      if (kind !== 'contact') return
      isReady = !isReady
      if (isReady) events.emit('ready')
    },
  }
}

t.test(
  'jobs wait in hand for a printer that stops for a moment: none is released',
  { skip: noBeanstalkd },
  async (t) => {
    const daemon = await BeanstalkdDaemon.start(t)
    for (const mark of marksOf('W', COUNT)) await daemon.put('labels', plain(makeLabel(mark)))
    const seen: string[] = []
    const accept: SourceIntake['accept'] = async (message) => {
      // The server forgets a job once it is acknowledged.
      seen.push(await daemon.ask(`stats-job ${seen.length + 1}`, /^OK/))
      return await pulled.bench.intake.forSource('beanstalkd').accept(message)
    }
    const source = createBeanstalkd({ reserveSeconds: 1, countMs: 100 })
    const settings = { endpoint: daemon.endpoint, tube: 'labels' }
    const pulled: Pulled = pull(t, source, settings, { ...makeFitful(), accept })
    await poll('all labels', () => pulled.bench.spool.history.counts().completed === COUNT)
    for (const stats of seen) {
      t.match(stats, /^releases: 0$/m)
      t.match(stats, /^reserves: 1$/m)
    }
    t.equal(seen.length, COUNT)
    await poll('an empty tube', async () => (await daemon.count('labels')).waiting === 0)
    t.equal((await daemon.count('labels')).buried, 0)
  },
)
