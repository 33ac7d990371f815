import { testHistories } from '../../histories.ts'
import { playShop } from './shop.ts'

testHistories('a shop that buys labels', 'test/shipping/histories/histories.test.ts', () =>
  Promise.resolve(playShop),
)
