import t from 'tap'
import { Metrics } from '../../../src/core/metrics.ts'
import { collectSources } from '../../../src/plugins/source/figures.ts'

t.test('sources tell their contact, their state and what came of them', async (t) => {
  const quiet = { contactAt: 0, quietSeconds: 60, taken: 0, refused: 0, waiting: undefined }
  const metrics = new Metrics({
    version: '1.2.3',
    plugins: () =>
      collectSources([
        { ...quiet, type: 'mqtt', where: 'broker', state: 'failing' },
        {
          type: 'beanstalkd',
          where: 'queue:11300',
          state: 'waiting',
          contactAt: 12_500,
          quietSeconds: 60,
          taken: 7,
          refused: 2,
          waiting: 40,
        },
        { ...quiet, type: 'beanstalkd', where: 'twice:11300', state: 'running', taken: 1 },
        {
          type: 'beanstalkd',
          where: 'twice:11300',
          state: 'failing',
          contactAt: 3_000,
          quietSeconds: 90,
          taken: 2,
          refused: 1,
          waiting: 5,
        },
      ]),
  })
  const text = await metrics.text()
  t.match(text, 'platen_source_failing{source="mqtt",where="broker"} 1\n')
  t.match(text, 'platen_source_failing{source="beanstalkd",where="queue:11300"} 0\n')
  t.match(text, 'platen_source_waiting{source="beanstalkd",where="queue:11300"} 1\n')
  t.match(text, 'last_contact_seconds{source="beanstalkd",where="queue:11300"} 12.5\n')
  t.notMatch(text, 'last_contact_seconds{source="mqtt"', 'never is not a time')
  t.match(text, 'platen_source_quiet_seconds{source="mqtt",where="broker"} 60\n')
  t.match(text, 'platen_source_backlog_messages{source="beanstalkd",where="queue:11300"} 40\n')
  t.match(text, 'total{source="beanstalkd",where="queue:11300",result="taken"} 7\n')
  t.match(text, 'total{source="beanstalkd",where="queue:11300",result="refused"} 2\n')
  // Prometheus takes no series twice.
  t.equal(text.split('failing{source="beanstalkd",where="twice:11300"} 1\n').length, 2)
  t.match(text, 'last_contact_seconds{source="beanstalkd",where="twice:11300"} 3\n')
  t.match(text, 'quiet_seconds{source="beanstalkd",where="twice:11300"} 90\n')
  t.match(text, 'backlog_messages{source="beanstalkd",where="twice:11300"} 5\n')
  t.match(text, 'total{source="beanstalkd",where="twice:11300",result="taken"} 3\n')
})
