import t from 'tap'
import { findInternalAddress, findPageAddress } from '../../src/system/address.ts'

t.test('the printed address can be opened, also where the server listens everywhere', (t) => {
  const inner = findPageAddress(findInternalAddress(), '8080')
  for (const host of ['', '::', '::0', '0:0:0:0:0:0:0:0']) {
    t.equal(findPageAddress(host, '8080'), inner, host)
  }
  for (const host of ['0.0.0.0', '::ffff:0.0.0.0']) {
    t.match(findPageAddress(host, '8080'), /^http:\/\/[1-9][\d.]+:8080\/$/, host)
  }
  for (const [host, address] of [
    ['localhost', 'http://localhost:8080/'],
    ['10.0.0.7', 'http://10.0.0.7:8080/'],
    ['fd00::5', 'http://[fd00::5]:8080/'],
    ['constructor', 'http://constructor:8080/'],
  ] as const) {
    t.equal(findPageAddress(host, '8080'), address)
  }
  t.end()
})
