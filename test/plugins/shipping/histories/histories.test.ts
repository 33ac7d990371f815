import { testHistories } from '../../../simulator/history.ts'
import { playShop } from './shop.ts'

testHistories('a shop that buys labels', 'test/plugins/shipping/histories/histories.test.ts', () =>
  Promise.resolve(playShop),
)
