import t from 'tap'
import { readUsbFault } from '../../../../src/printers/devices/usb/package.ts'

t.test('the texts of the package, as measured, have their meaning', (t) => {
  const cases = [
    ['transferOut error: Cancelled', 'timeout'],
    ['transferIn error: Cancelled', 'timeout'],
    ['transferOut error: Fault', 'broken'],
    ['transferOut error: Disconnected', 'gone'],
    ['controlTransferIn error: device disconnected', 'gone'],
    ['clearHalt error: device disconnected (errno 19)', 'gone'],
    ['open error: device not found (errno 2)', 'gone'],
    ['transferOut error: Stall', 'stall'],
    ['controlTransferIn error: endpoint stalled', 'stall'],
    ['claimInterface error: interface is busy (errno 16)', 'busy'],
    ['transferOut error: Unknown(16)', 'busy'],
    ['open error: permission denied (errno 13)', 'denied'],
    ['transferOut error: endpoint not found', 'unknown'],
    ['claimInterface error: invalid state', 'unknown'],
    ['Error: EAGAIN: resource temporarily unavailable, write', 'unknown'],
    ['Error: EBUSY: resource busy or locked, open', 'busy'],
    ['Error: EIO: i/o error, write', 'broken'],
    ['Error: ENODEV: no such device, write', 'gone'],
    ['Error: EACCES: permission denied, open', 'denied'],
  ] as const
  for (const [text, fault] of cases) t.equal(readUsbFault(new Error(text)), fault, text)
  t.equal(readUsbFault('open error: permission denied (errno 13)'), 'denied')
  t.end()
})
