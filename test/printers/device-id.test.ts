import t from 'tap'
import { nameMakeAndModel, parseDeviceId } from '../../src/printers/device-id.ts'

/** The answer of a printer: the id behind a length that a test may get wrong. */
function answer(text: string, length = text.length + 2, order: 'big' | 'little' = 'big') {
  const bytes = Buffer.alloc(text.length + 2)
  if (order === 'big') bytes.writeUInt16BE(length)
  else bytes.writeUInt16LE(length)
  bytes.write(text, 2, 'latin1')
  return bytes
}

const ZEBRA = 'MFG:Zebra Technologies ;CMD:EPL,ZPL;MDL:ZTC GK420d;CLS:PRINTER;'

t.test('the ids of real printers are read', (t) => {
  const cases = [
    ['MFG:Zebra ;CMD:None;MDL:LP2844 ;', 'Zebra LP2844', []],
    [
      'MANUFACTURER:Zebra Technologies ;COMMAND SET:EPL;MODEL:ZTC GC420d (EPL);CLASS:PRINTER;',
      'Zebra Technologies ZTC GC420d (EPL)',
      ['EPL'],
    ],
    [
      'SERN:99J1;MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT411-300dpi ZPL;CLASS:PRINTER;OPTIONS:XML;',
      'Zebra Technologies ZTC ZT411-300dpi ZPL',
      ['ZPL'],
    ],
    ['MFG:Printer;MDL:Thermal Printer;CMD:XPP,XL;', 'Printer Thermal Printer', ['XPP', 'XL']],
    ['MFG:VEVOR ;CMD: ;MODEL:Y428BT;DES:LabelPrinter;', 'VEVOR Y428BT', []],
    ['MFG: ;CMD:XPP,XL;MDL:PM2411BT;CLS:PRINTER;DES:PM2411BT;', 'PM2411BT', ['XPP', 'XL']],
    ['MFG:4BARCODE;CMD:TSPL2;MDL:3B-363B;CLS:PRINTER;', '4BARCODE 3B-363B', ['TSPL2']],
    ['MFG:EPSON;CMD:ESC/POS;MDL:EPSON TM-T88V;', 'EPSON TM-T88V', ['ESC/POS']],
  ] as const
  for (const [text, makeAndModel, commands] of cases) {
    const id = parseDeviceId(text)
    t.equal(id && nameMakeAndModel(id), makeAndModel, text)
    t.same(id?.commands, commands, text)
    t.same(parseDeviceId(answer(text)), id, 'the same behind its length bytes')
  }
  t.end()
})

t.test('a length in the wrong byte order, off by two, too large or nonsense does no harm', (t) => {
  const id = parseDeviceId(ZEBRA)
  const right = ZEBRA.length + 2
  const cases = [
    ['little-endian', answer(ZEBRA, right, 'little')],
    ['without its own bytes', answer(ZEBRA, right - 2)],
    ['little-endian without its own bytes', answer(ZEBRA, right - 2, 'little')],
    ['two too many', answer(ZEBRA, right + 2)],
    ['far too many', answer(ZEBRA, 0x0400)],
    ['zero', answer(ZEBRA, 0)],
    ['no length at all', Buffer.from(ZEBRA)],
    ['a whole buffer of zeros behind it', Buffer.concat([answer(ZEBRA), Buffer.alloc(900)])],
  ] as const
  for (const [title, bytes] of cases) t.same(parseDeviceId(bytes), id, title)
  t.end()
})

t.test('what stands behind the length is not read', (t) => {
  const bytes = Buffer.concat([answer(ZEBRA), Buffer.from('DES:old rubbish;SN:1;')])
  t.equal(parseDeviceId(bytes)?.description, '')
  t.end()
})

t.test('a field that was cut off, a missing end and colons in values are borne', (t) => {
  t.equal(parseDeviceId('MFG:Zebra;MDL:LP2844;DES:Tes')?.description, 'Tes')
  t.equal(parseDeviceId('MFG:Zebra;MDL:LP2844')?.model, 'LP2844')
  t.equal(parseDeviceId('MFG:Zebra;MDL:LP2844;DE')?.model, 'LP2844')
  t.equal(parseDeviceId('MFG:Zebra;MDL:X;DES:at http://zebra/;')?.description, 'at http://zebra/')
  t.end()
})

t.test('a serial number behind a bar is no part of the field before it', (t) => {
  const glued = parseDeviceId('MFG:DYMO;DESCRIPTION:DYMO LabelWriter 450|SERN:0123;')
  t.equal(glued?.description, 'DYMO LabelWriter 450')
  t.end()
})

t.test('of two fields of one name the first counts, and blank ones do not', (t) => {
  const id = parseDeviceId('MFG: ;MANUFACTURER:Zebra;MDL:LP2844;MODEL:other;')
  t.match(id, { manufacturer: 'Zebra', model: 'LP2844' })
  t.equal(id && nameMakeAndModel({ ...id, model: '', description: 'a printer' }), 'Zebra a printer')
  t.end()
})

t.test('what is not a device id is left out', (t) => {
  for (const text of ['', ' ', ';;;', 'no colon here', 'MFG:Ze\u0007bra;MDL:LP2844;']) {
    t.equal(parseDeviceId(text), undefined, JSON.stringify(text))
  }
  for (const bytes of [[], [0], [0, 2], [0xff, 0xff], [0, 16, 1, 2, 3]]) {
    t.equal(parseDeviceId(Uint8Array.from(bytes)), undefined, String(bytes))
  }
  t.end()
})

t.test('line ends count as blanks, letters beyond ASCII are kept', (t) => {
  t.equal(parseDeviceId('MFG:Zebra;\r\nMDL:LP\t2844;\n')?.model, 'LP 2844')
  t.equal(parseDeviceId(answer('MFG:M\xfcller;MDL:Drucker;'))?.manufacturer, 'Müller')
  const utf8 = Buffer.from('MFG:Müller;MDL:Drucker;')
  t.equal(parseDeviceId(utf8)?.manufacturer, 'Müller')
  t.end()
})

t.test('no bytes whatever make it fail', (t) => {
  for (let seed = 1; seed < 2_000; seed++) {
    const bytes = Uint8Array.from(
      { length: seed % 40 },
      (_, index) => (seed * 31 * (index + 7)) % 256,
    )
    parseDeviceId(bytes)
  }
  t.pass()
  t.end()
})
