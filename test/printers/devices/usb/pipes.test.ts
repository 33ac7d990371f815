import t from 'tap'
import { findPipes, type PackageAlternate } from '../../../../src/printers/devices/usb/package.ts'

const OUT = { endpointNumber: 2, direction: 'out', type: 'bulk', packetSize: 64 }
const BACK = { endpointNumber: 1, direction: 'in', type: 'bulk', packetSize: 32 }
const NOTICE = { endpointNumber: 3, direction: 'in', type: 'interrupt', packetSize: 8 }

function setting(number: number, protocol: number, endpoints = [OUT, NOTICE, BACK]) {
  return {
    alternateSetting: number,
    interfaceClass: 7,
    interfaceSubclass: 1,
    interfaceProtocol: protocol,
    endpoints,
  }
}

const find = (...alternates: readonly PackageAlternate[]) =>
  findPipes({ interfaces: [{ interfaceNumber: 1, alternates }] }, 1)

t.test('pipes are found by direction and type', (t) => {
  t.same(find(setting(0, 2)), {
    alternate: 0,
    isChoice: false,
    out: 2,
    in: 1,
    outPacketBytes: 64,
    inPacketBytes: 32,
  })
  t.match(find(setting(0, 1, [NOTICE, OUT])), { in: undefined, out: 2 })
  t.end()
})

t.test('of several settings the two-way one is chosen, never 1284.4 or IPP over USB', (t) => {
  const settings = [setting(0, 1), setting(1, 2), setting(2, 3), setting(3, 4)]
  t.match(find(...settings), { alternate: 1, isChoice: true })
  t.match(find(setting(0, 1), setting(1, 4)), { alternate: 0, isChoice: true })
  t.end()
})

t.test('what is not a printer has no pipes', (t) => {
  t.equal(find(setting(0, 4)), undefined)
  t.equal(find(setting(0, 2, [NOTICE, BACK])), undefined)
  t.equal(find({ ...setting(0, 2), interfaceClass: 8 }), undefined)
  t.equal(findPipes({ interfaces: [] }, 0), undefined)
  t.end()
})
