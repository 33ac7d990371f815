import { testHistories } from '../../../simulator/history.ts'
import { play } from './history.ts'

testHistories(
  'boxes that hand labels over',
  'test/plugins/peers/races/races.test.ts',
  async () => play,
)
