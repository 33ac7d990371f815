import { testHistories } from '../../histories.ts'
import { playHall } from './usb-hall.ts'

testHistories(
  'USB printers that are carried from port to port',
  'test/printers/known/usb-histories.test.ts',
  () => Promise.resolve(playHall),
)
