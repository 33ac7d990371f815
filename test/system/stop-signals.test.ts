import t from 'tap'
import { listStopSignals } from '../../src/system/process.ts'

t.test('the program ends in good order on the signals of its system', (t) => {
  t.same(listStopSignals('linux'), ['SIGINT', 'SIGTERM'])
  t.same(listStopSignals('darwin'), ['SIGINT', 'SIGTERM'])
  t.ok(listStopSignals('win32').includes('SIGHUP'), 'a closed console window')
  t.end()
})
