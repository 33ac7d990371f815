import t from 'tap'
import { SourceReader } from '../../src/sources/run.ts'

t.test('each queue and the heartbeat have a policy of their own about printer commands', (t) => {
  const facts = () => {
    throw new Error('nobody asks')
  }
  const queue = { type: 'beanstalkd', endpoint: '127.0.0.1:11300', ack: 'spooled' } as const
  const entries = new SourceReader(facts).readAll({
    queues: [{ ...queue, printer_commands: 'refuse' }, queue],
    heart_beat_url: 'http://127.0.0.1/',
    heart_beat_interval: 60,
    heart_beat_printer_commands: 'allow',
  })
  t.same(
    entries.map(({ commands }) => commands),
    ['refuse', undefined, 'allow'],
  )
  t.end()
})
