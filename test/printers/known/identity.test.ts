import t from 'tap'
import { identify, type PrinterIdentity } from '../../../src/printers/known/identity.ts'

type Wanted = Partial<PrinterIdentity>

const ZPL203 = { language: 'zpl', dpi: 203 } as const
const EPL203 = { language: 'epl', dpi: 203 } as const
const RASTER = { language: 'tspl', rasterOnly: true } as const

/** Ids of real printers, as they stand in public logs and code, and what has to be made of them. */
const IDS: readonly (readonly [string, Wanted])[] = [
  ['MFG:Zebra ;CMD:None;MDL:LP2844 ;', { makeAndModel: 'Zebra LP2844', ...EPL203 }],
  [
    'MANUFACTURER:Zebra Technologies ;COMMAND SET:EPL;MODEL:ZTC GC420d (EPL);CLASS:PRINTER;',
    { makeAndModel: 'Zebra GC420d', ...EPL203, z64: undefined },
  ],
  [
    'MANUFACTURER:Zebra Technologies ;COMMAND SET:EPL;MODEL:ZTC ZP 450-200dpi;CLASS:PRINTER;',
    { makeAndModel: 'Zebra ZP 450', ...EPL203 },
  ],
  [
    'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZP 450;CLASS:PRINTER;',
    { makeAndModel: 'Zebra ZP 450', ...ZPL203, z64: true },
  ],
  [
    'MFG:Zebra Technologies;CMD:EPL,ZPL;MDL:ZP 505;CLS:PRINTER;',
    { makeAndModel: 'Zebra ZP 505', ...ZPL203 },
  ],
  [
    'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZD220-203dpi ZPL;',
    { makeAndModel: 'Zebra ZD220', ...ZPL203, z64: true, rasterOnly: false },
  ],
  [
    'SERN:99J1;MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT411-300dpi ZPL;CLASS:PRINTER;OPTIONS:XML;',
    { makeAndModel: 'Zebra ZT411', language: 'zpl', dpi: 300, z64: true },
  ],
  [
    'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT220-200dpi ZPL;CLASS:PRINTER;OPTIONS:XML;',
    { makeAndModel: 'Zebra ZT220', ...ZPL203 },
  ],
  [
    'MANUFACTURER:Zebra Technologies;COMMAND SET:ZPL;MODEL:ZTC GX420d;',
    { makeAndModel: 'Zebra GX420d', ...ZPL203 },
  ],
  ['MFG:Printer;MDL:Thermal Printer;CMD:XPP,XL;', { makeAndModel: 'Thermal Printer', ...RASTER }],
  ['MFG:<img src=x>;MDL:a"b\u202ec;CMD:ZPL;', { makeAndModel: '<img src=x> a"b c' }],
  ['MFG:Marklife ;MDL:X4;CMD:XPP,XL;', { makeAndModel: 'Marklife X4', ...RASTER }],
  [
    'MFG:VEVOR ;CMD: ;MODEL:Y428BT;DES:LabelPrinter;',
    { makeAndModel: 'VEVOR Y428BT', language: undefined, isOther: false },
  ],
  [
    'MFG:4BARCODE;CMD:CEZD;MDL:4B-2054A;',
    { makeAndModel: '4BARCODE 4B-2054A', language: 'zpl', z64: undefined },
  ],
  [
    'MFG:HP ;CMD:Bixolon_01;MODEL:KE103;',
    { makeAndModel: 'HP KE103', language: 'zpl', z64: undefined },
  ],
  [
    'MANUFACTURER:HPRT;COMMAND SET:CPCL;MODEL:HM-A300E;',
    { makeAndModel: 'HPRT HM-A300E', language: undefined, isOther: true },
  ],
  [
    'MFG:Munbyn;CMD:TSPL;MDL:RW403B;CMT:Label Printer;',
    { makeAndModel: 'Munbyn RW403B', language: 'tspl', rasterOnly: false },
  ],
  ['MFG:4BARCODE;CMD:TSPL2;MDL:3B-363B;CLS:PRINTER;', { language: 'tspl' }],
  [
    'MFG: ;CMD:XPP,XL;MDL:PM2411BT;CLS:PRINTER;DES:PM2411BT;',
    { makeAndModel: 'PM2411BT', ...RASTER },
  ],
  ['MFG:iDPRT;MDL:SP410;CMD:TSPL;', { makeAndModel: 'iDPRT SP410', language: 'tspl' }],
  [
    'MFG:DYMO;CMD: ;MDL:LabelWriter 450;CLASS:PRINTER;DESCRIPTION:DYMO LabelWriter 450;SERN:1;',
    { makeAndModel: 'DYMO LabelWriter 450', language: undefined, isOther: true },
  ],
  ['MFG:DYMO;MDL:LabelWriter 550;CID:DYMOLabelWriter_550B;', { isOther: true }],
  ['MFG:Brother;CMD:PT-CBP;MDL:QL-800;', { makeAndModel: 'Brother QL-800', isOther: true }],
  [
    'MFG:EPSON;CMD:ESC/POS;MDL:TM-T88V;CLS:PRINTER;',
    { makeAndModel: 'EPSON TM-T88V', isOther: true },
  ],
  ['MFG:Canon;CMD:BJL,BJRaster3,BSCCe;MDL:GX6000 series;', { language: undefined, isOther: true }],
  ['MFG:Canon;MDL:GX6000 series;', { language: undefined }],
  ['MFG:Zebra;CMD:ESC/POS,CPCL;MDL:ZQ110;', { language: undefined, isOther: true }],
  ['MFG:Zebra;CMD:CPCL,ZPL;MDL:ZQ520;', { language: 'zpl', isOther: false }],
  ['MFG:Hewlett-Packard;CMD:PJL,MLC,PCLXL,PCL,POSTSCRIPT;MDL:LaserJet 4;', { isOther: true }],
  ['MFG:Zebra ;CMD:None;MDL:LP2844-Z;', { makeAndModel: 'Zebra LP2844-Z', ...ZPL203, z64: true }],
  [
    'MFG:Nobody;CMD:None;MDL:Box;',
    { makeAndModel: 'Nobody Box', language: undefined, isOther: false },
  ],
]

t.test('a device id tells make and model, language, head and what is safe', (t) => {
  for (const [deviceId, wanted] of IDS) {
    const identity = identify({ makeAndModel: '', deviceId })
    for (const [key, value] of Object.entries(wanted)) {
      t.equal(identity[key as keyof PrinterIdentity], value, `${deviceId} ${key}`)
    }
  }
  t.end()
})

t.test('without a device id the USB ids tell what they can', (t) => {
  const cases: readonly (readonly [number, number, Wanted])[] = [
    [0x0a5f, 0x0009, { makeAndModel: 'Zebra LP2844', ...EPL203, z64: undefined }],
    [0x0a5f, 0x0080, { makeAndModel: 'Zebra GK420d', ...ZPL203, z64: true }],
    [0x0a5f, 0x0164, { makeAndModel: 'Zebra ZD220', language: 'zpl' }],
    [0x0a5f, 0x0165, { language: undefined, isOther: true }],
    [0x0a5f, 0xffff, { makeAndModel: '', language: undefined, isOther: false }],
    [0x1203, 0x9999, { language: 'tspl', rasterOnly: false }],
    [0x0922, 0x0020, { isOther: true }],
    [0x09c6, 0x0426, { makeAndModel: 'Beeprt BY-480BT', ...RASTER }],
    [0x0483, 0x5740, { language: undefined }],
  ]
  for (const [vendorId, productId, wanted] of cases) {
    const identity = identify({ makeAndModel: 'USB printer', vendorId, productId })
    t.match(identity, wanted, `${vendorId.toString(16)}:${productId.toString(16)}`)
  }
  t.end()
})

t.test('USB ids tell the head of models that are made with one, and no other', (t) => {
  const headOf = (productId: number, vendorId = 0x0a5f): number | undefined =>
    identify({ makeAndModel: '', vendorId, productId }).dpi
  const with203 = [0x09, 0x27, 0x62, 0x80, 0x81, 0x84, 0x8c, 0xa1, 0xa3, 0xd1]
  t.same(
    with203.map((id) => headOf(id)),
    with203.map(() => 203),
  )
  t.same([headOf(0x0140, 0x1203), headOf(0x7008, 0x20d1)], [203, 203])
  // A ZM400, an HC100, a ZD500 and a ZD220 are sold with several.
  t.same(
    [0x65, 0x8b, 0x0110, 0x0164].map((id) => headOf(id)),
    [undefined, undefined, undefined, undefined],
  )
  t.end()
})

t.test('the device id counts more than the USB ids', (t) => {
  const found = { makeAndModel: '', vendorId: 0x0a5f, productId: 0x0009 }
  const deviceId = 'MANUFACTURER:Zebra Technologies;COMMAND SET:ZPL;MODEL:ZTC GX420d;'
  t.match(identify({ ...found, deviceId }), { makeAndModel: 'Zebra GX420d', language: 'zpl' })
  t.end()
})

t.test('a queue’s driver or a product’s name tells it too', (t) => {
  const cases: readonly (readonly [string, Wanted])[] = [
    ['Zebra ZPL Label Printer', { language: 'zpl', z64: true }],
    ['Zebra EPL2 Label Printer', { language: 'epl' }],
    ['ZTC ZD421-203dpi ZPL', { makeAndModel: 'ZD421', ...ZPL203 }],
    ['ZTC GK420d', { language: 'zpl' }],
    ['Local Raw Printer', { language: undefined, isOther: false }],
    ['LabelWriter 450', { isOther: true }],
    // As drivers of cheap 4x6 printers for Windows name themselves.
    ...['MUNBYN ITPP941', 'iDPRT SP410', 'Xprinter XP-460B', 'HPRT N41', '4BARCODE 4B-2054A'].map(
      (driver) => [driver, { language: 'tspl', dpi: 203 }] as const,
    ),
    ['Rollo Printer', { language: 'tspl', rasterOnly: true }],
    ['ZDesigner ZP 450-200 dpi (ZPL)', { language: 'zpl' }],
    ['ZDesigner GK420d', { language: 'zpl' }],
    ['HP LaserJet 4', { language: undefined }],
  ]
  for (const [makeAndModel, wanted] of cases)
    t.match(identify({ makeAndModel }), wanted, makeAndModel)
  t.end()
})
