import t from 'tap'
import {
  checkUsbUri,
  findUsbPrinter,
  sharesSerial,
  type UsbPrinter,
  writeUsbUris,
} from '../../../../src/printers/devices/usb/printer.ts'

function make(more: Partial<UsbPrinter> = {}): UsbPrinter {
  return {
    port: '1-1',
    interfaceNumber: 0,
    bus: '1',
    address: 2,
    vendorId: 0x0a5f,
    productId: 0x9,
    driver: 'usblp',
    lp: 'lp0',
    deviceId: undefined,
    manufacturer: 'Zebra',
    product: 'LP2844',
    serial: '42A',
    ...more,
  }
}

const find = (uri: string, ...printers: readonly UsbPrinter[]) =>
  findUsbPrinter(new URL(uri), printers)

t.test('an address is checked in words', (t) => {
  const cases: readonly (readonly [string, RegExp | undefined])[] = [
    ['usb://Zebra/LP2844?serial=42A', undefined],
    ['usb://Zebra%20Technologies/ZTC%20GK420d?port=1-1.2&interface=1', undefined],
    ['usb:///?serial=42A', undefined],
    ['usb://Zebra/LP2844', /serial number or a port/],
    ['usb://Zebra/LP2844?serial=1&port=1-1', /serial number or a port/],
    ['usb://Zebra/LP2844?serial=', /blank/],
    ['usb://Zebra/LP2844?port=first one', /not a USB port/],
    ['usb://Zebra/LP2844?port=1-1&interface=x', /whole number/],
    ['usb://Zebra/LP2844?serial=1&color=red', /"color" is unknown/],
    ['usb://me@Zebra/LP2844?serial=1', /wanted usb:/],
    ['usb://Zebra/LP2844?serial=1#x', /wanted usb:/],
  ]
  for (const [text, wanted] of cases) {
    const fault = checkUsbUri(new URL(text))
    if (wanted === undefined) t.equal(fault, undefined, text)
    else t.match(fault, wanted, text)
  }
  t.end()
})

t.test('every address that is written is checked, found and means its printer', (t) => {
  const odd = ['Zebra Technologies', 'Müller & Söhne', 'a/b?c#d', '100% [x]', '株式会社', '']
  const printers = odd.flatMap((manufacturer, index) => [
    make({ manufacturer, product: 'one', port: `1-${index}`, serial: `S ${index}+/?&` }),
    make({ manufacturer, product: 'two', port: `2-${index}`, serial: '' }),
  ])
  for (const [index, uri] of writeUsbUris(printers).entries()) {
    t.equal(new URL(uri).href, uri, uri)
    t.equal(checkUsbUri(new URL(uri)), undefined, uri)
    t.equal(findUsbPrinter(new URL(uri), printers), printers[index], uri)
  }
  t.end()
})

t.test('a serial number that tells nothing is not used', (t) => {
  for (const serial of ['', '0', '00000000', '11', '123456789', '0123456789', '12345678901']) {
    t.match(writeUsbUris([make({ serial })])[0], /\?port=1-1$/, serial)
  }
  t.match(writeUsbUris([make({ serial: '42A' })])[0], /\?serial=42A$/)
  t.end()
})

t.test(
  'two printers of one serial number are told by their ports, others of that number not',
  (t) => {
    const twins = [make(), make({ port: '1-2' }), make({ port: '1-3', product: 'LP2844-Z' })]
    t.same(writeUsbUris(twins), [
      'usb://Zebra/LP2844?port=1-1',
      'usb://Zebra/LP2844?port=1-2',
      'usb://Zebra/LP2844-Z?serial=42A',
    ])
    t.match(find('usb://Zebra/LP2844?serial=42A', ...twins), /Several.*port=1-1 or .*port=1-2/)
    t.end()
  },
)

const at = (port: string) => `usb://Zebra/LP2844?port=${port}`
const own = 'usb://Zebra/LP2844?serial=42A'
const found = (uri: string, serial?: string) => ({ uri, isFound: true, serial })

t.test('twins are those that were found by their ports with one serial number', (t) => {
  const moved = make({ port: '1-9' })
  for (const printer of [make(), moved])
    t.equal(sharesSerial(printer, [found(at('1-1'), '42A'), found(own, '42A')]), true, printer.port)
  for (const serial of ['', '43'])
    t.equal(sharesSerial(make(), [found(at('1-1'), serial), found(at('1-2'), '')]), false, serial)
  t.equal(sharesSerial(make({ product: 'GK420d' }), [found(at('1-1'), '42A')]), false)
  t.end()
})

t.test('where nobody remembers numbers, twins are those without one of their own', (t) => {
  const both = [at('1-1'), at('1-2')]
  for (const known of [both, [...both, own], [...both, 'usb://Zebra/GK420d?serial=7', 'file:a']]) {
    const all = known.map((uri) => found(uri))
    t.equal(sharesSerial(make(), all), true, known.join())
  }
  const others = [own, 'usb://Zebra/LP2844?serial=43']
  for (const known of [[], [own], [at('1-1')], [at('1-2'), at('1-3')], [...both, ...others]]) {
    const all = known.map((uri) => found(uri))
    t.equal(sharesSerial(make(), all), false, known.join())
  }
  t.end()
})

t.test('in the port of a printer that was found there another number is another printer', (t) => {
  const uri = new URL(at('1-1'))
  const isNow = /port 1-1 is now usb:\/\/Zebra\/LP2844\?serial=42A/
  const printer = make()
  t.match(findUsbPrinter(uri, [printer], [found(at('1-1'), '')]), isNow, 'it had none')
  t.match(findUsbPrinter(uri, [printer], [found(at('1-1'), '43')]), isNow, 'it had another one')
  t.match(findUsbPrinter(uri, [printer], [found(at('1-1')), found(own)]), isNow, 'known by itself')
  t.equal(findUsbPrinter(uri, [printer], [found(at('1-1'))]), printer, 'nobody remembers')
  const set = { uri: at('1-1'), isFound: false, serial: undefined }
  t.equal(findUsbPrinter(uri, [printer], [set, found(own)]), printer, 'a person wrote the port')
  t.end()
})

t.test('a printer found by its serial number may be written shorter', (t) => {
  const printer = make({ manufacturer: 'Zebra Technologies', product: 'ZTC LP2844' })
  const named = make({ manufacturer: '', product: '', deviceId: 'MFG:Zebra ;MDL:LP2844 ;' })
  for (const uri of ['usb://Zebra/LP2844?serial=42A', 'usb://zebra/lp-2844?serial=42A']) {
    t.equal(find(uri, printer), printer)
    t.equal(find(uri, named), named, 'by the names of the device id')
  }
  t.equal(find('usb:///?serial=42A', printer), printer)
  t.equal(
    find('usb://%E0%A4%A/x?serial=42A', printer),
    'The USB printer with serial number 42A is now usb://Zebra%20Technologies/ZTC%20LP2844?serial=42A.',
  )
  t.end()
})

t.test('another printer at the same port is not printed on', (t) => {
  const other = make({ product: 'LP2844-Z' })
  t.equal(
    find('usb://Zebra/LP2844?port=1-1', other),
    'The USB printer at USB port 1-1 is now usb://Zebra/LP2844-Z?serial=42A.',
  )
  t.equal(
    find('usb://Zebra/LP2844?port=1-1', make({ serial: '' })).valueOf() instanceof Object,
    true,
  )
  t.match(find('usb://Zebra/LP2844?port=1-7', other), /No USB printer at USB port 1-7/)
  t.match(find('usb://Zebra/LP2844?serial=43', other), /No USB printer with serial number 43/)
  t.match(find('usb://TSC/TTP?serial=42A', other), /is now usb:\/\/Zebra/)
  t.equal(
    find('usb://Zebra/LP2844-Z?port=1-7', other),
    'No USB printer at USB port 1-7 is plugged in or switched on; one of its kind is now usb://Zebra/LP2844-Z?serial=42A.',
  )
  t.equal(
    find(
      'usb://Zebra/LP2844-Z?serial=41',
      other,
      make({ product: 'LP2844-Z', serial: '7X', port: '1-2' }),
    ),
    'No USB printer with serial number 41 is plugged in or switched on; one of its kind is now usb://Zebra/LP2844-Z?serial=42A or usb://Zebra/LP2844-Z?serial=7X.',
  )
  t.end()
})

t.test('an interface is chosen, or it is the first', (t) => {
  const both = [make({ interfaceNumber: 1 }), make({ interfaceNumber: 3 })]
  t.equal(find('usb://Zebra/LP2844?serial=42A', ...both), both[0])
  t.equal(find('usb://Zebra/LP2844?serial=42A&interface=3', ...both), both[1])
  t.match(find('usb://Zebra/LP2844?serial=42A&interface=2', ...both), /has no interface 2/)
  t.end()
})
