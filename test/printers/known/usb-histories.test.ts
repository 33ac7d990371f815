import { testHistories } from '../../simulator/history.ts'
import { playUsb } from './usb-world.ts'

testHistories(
  'USB printers that are carried from port to port',
  'test/printers/known/usb-histories.test.ts',
  () => Promise.resolve(playUsb),
)
