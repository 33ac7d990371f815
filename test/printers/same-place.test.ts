import t from 'tap'
import { isSameKind, isSamePlace } from '../../src/printers/places.ts'

t.test('tells which device URIs lead to one printer', (t) => {
  const cases = [
    ['usb://Zebra/LP2844?serial=1', 'usb://Zebra/LP2844?serial=1', true],
    ['usb://Zebra/LP2844?serial=1', 'usb://Zebra/LP2844?serial=2', false],
    [
      'usb://Zebra%20Technologies/ZTC%20GC420d%20(EPL)?serial=9',
      'usb://Zebra/GC420d?serial=9',
      true,
    ],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?port=1-1', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?port=1-2', false],
    ['usb://A/B?serial=0&port=1-1', 'usb://A/B?serial=0&port=1-2', false],
    ['usb://A/B?serial=0&port=1-1', 'usb://A/B?serial=0', true],
    ['usb://A/B?serial=7', 'usb://A/B?port=1-1', false],
    ['usb://Zebra/LP2844', 'usb://Zebra/LP2844', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/ZD220?port=1-1', false],
    ['serial:/dev/ttyUSB0?baud=9600', 'serial:/dev/ttyUSB0', true],
    ['serial:/dev/ttyUSB0', 'serial:/dev/ttyUSB1', false],
    ['socket://10.0.0.7', 'socket://10.0.0.8', false],
    ['socket://Bench-1.local:9100/', 'socket://bench-1.local', true],
    ['socket://10.0.0.7:9101', 'socket://10.0.0.7', false],
    ['ipp://localhost/printers/A', 'usb://A/B', false],
    ['nonsense', 'usb://A/B', false],
  ] as const
  for (const [one, other, isSame] of cases) {
    t.equal(isSamePlace(one, other), isSame, `${one} ${other}`)
    t.equal(isSamePlace(other, one), isSame, `${other} ${one}`)
  }
  t.end()
})

t.test('tells which printers are of one kind', (t) => {
  const cases = [
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?serial=7', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844-Z?port=1-2', false],
    ['usb://Zebra/LP2844?port=1-1', 'ipp://localhost/printers/LP2844', false],
    ['serial:/dev/ttyUSB0', 'serial:/dev/ttyUSB0', false],
    ['usb://a/?port=1', 'nonsense', false],
    ['usb://a/?port=1', 'usb://a/?port=2', false],
  ] as const
  for (const [one, other, is] of cases) t.equal(isSameKind(one, other), is, `${one} ${other}`)
  t.end()
})
