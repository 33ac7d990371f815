import t from 'tap'
import type { PrinterReason } from '#labels'
import type { Job } from '../../../src/core/job.ts'
import { MOVED } from '../../../src/core/moves.ts'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import { jobEvent, listAddresses, printerEvents, readPrint } from '../../../src/plugins/qz/print.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { spoken } from '../../words/spoken.ts'

const PICTURE = { type: 'pixel', format: 'image', flavor: 'base64', data: 'AAEC' }
const readWith = (options: object, data: readonly unknown[] = [PICTURE]) =>
  readPrint({ printer: 'Bench 1', options, data })
const textsOf = (...data: readonly unknown[]): readonly string[] =>
  readPrint({ data }).labels.map((label) => Buffer.from(label as Uint8Array).toString('latin1'))

/** The event is JSON in JSON (qz-tray.js, `onmessage`). */
const eventOf = (text: string) => JSON.parse(JSON.parse(text).event)

t.test('lines of commands are one label, each picture is one', (t) => {
  t.same(textsOf('^XA', '^FDone^FS', '^XZ'), ['^XA^FDone^FS^XZ'])
  t.same(textsOf({ data: '^XA' }, { type: 'RAW', format: 'COMMAND', data: '^XZ' }), ['^XA^XZ'])
  t.same(textsOf(PICTURE, { ...PICTURE, format: 'PDF' }), ['\0\x01\x02', '\0\x01\x02'])
  t.same(textsOf({ ...PICTURE, type: 'raw' }), ['\0\x01\x02'])
  t.same(textsOf({ type: 'pixel', flavor: 'base64', data: 'AA==' }), ['\0'], 'pixels are images')
  t.throws(() => textsOf('^XA^XZ', PICTURE), { message: /commands beside pictures/ })
  for (const data of [[], undefined, 'x'])
    t.throws(() => readPrint({ data }), { message: /at least one item/ })
  for (const wrong of [
    { type: 'PIXEL', format: 'HTML' },
    { type: 'RAW', format: 'HTML' },
    { type: 'x' },
  ])
    t.throws(() => textsOf({ data: '', ...wrong }), { message: /wanted RAW COMMAND, PIXEL IMAGE/ })
  t.end()
})

t.test('bytes come as text, base64 or hex', (t) => {
  t.same(textsOf({ flavor: 'base64', data: 'XlhB' }), ['^XA'])
  for (const data of ['5e5841', '0x5E 0x58\n0x41', 'x5ex58x41']) {
    t.same(textsOf({ flavor: 'hex', data }), ['^XA'], data)
  }
  for (const data of ['5e5', '5g', '-1'])
    t.throws(() => textsOf({ flavor: 'hex', data }), { message: /damaged hex/ })
  t.throws(() => textsOf({ flavor: 'xml', data: '' }), { message: /wanted plain, base64 or hex/ })
  t.throws(() => textsOf({ data: 7 }), { message: /got "number", wanted a string/ })
  t.throws(() => textsOf({ ...PICTURE, flavor: 'plain' }), { message: /flavor: got "PLAIN"/ })
  const bytesOf = (encoding: unknown) =>
    Buffer.from(readWith({ encoding }, ['é']).labels[0] as Uint8Array).toString('hex')
  t.same(['', 'utf8', 'UTF-8', { to: 'utf-8' }, undefined].map(bytesOf), Array(5).fill('c3a9'))
  t.same(['latin1', 'ISO-8859-1', 'UTF-16LE'].map(bytesOf), ['e9', 'e9', 'e900'])
  const lost = '^FDbo\u017eja \u015eeker 10 \u20ac \u{1f600} caf\u00e9'
  for (const data of [lost, { data: lost }]) {
    const [label] = readWith({ encoding: 'ISO-8859-1' }, [data]).labels
    const text = Buffer.from(label as Uint8Array).toString('latin1')
    t.equal(text, '^FDbo?ja ?eker 10 ? ? caf\u00e9', 'no letter becomes a command')
  }
  for (const encoding of [
    'EBCDIC',
    'constructor',
    '__proto__',
    'Cp',
    'toString',
    'windows-1259',
    7,
    [],
  ])
    t.throws(() => readWith({ encoding }, ['x']), {
      message: /wanted a character set such as UTF-8/,
    })
  t.end()
})

t.test('commands are written in the character set that a page names', (t) => {
  for (const [encoding, text, hex] of [
    ['Cp1252', 'Caf\u00e9', '436166e9'],
    ['windows-1252', '\u20ac 12', '80203132'],
    ['Cp852', '\u0141\u00f3d\u017a', '9da264ab'],
    ['GBK', '"\u5317\u4eac"', '22b1b1bea922'],
    [{ from: 'UTF-8', to: 'cp437' }, '\u00bd', 'ab'],
  ] as const) {
    const { labels, warning } = readWith({ encoding }, [text])
    t.equal(Buffer.from(labels[0] as Uint8Array).toString('hex'), hex)
    t.equal(warning, undefined)
  }
  t.match(spoken(readWith({ encoding: 'Cp1252' }, ['\u0141\u00f3d\u017a'])), {
    labels: [Buffer.from('?\xf3d?', 'latin1')],
    warning: /^Some letters of this label are not in Cp1252/,
  })
  t.end()
})

t.test('addresses are fetched once each; a file of the computer is refused', (t) => {
  const page = 'https://shop.example/label.png'
  const data = [
    { ...PICTURE, flavor: 'file', data: page },
    { type: 'pixel', format: 'pdf', data: page },
    { flavor: 'FILE', data: 'HTTP://shop.example/label.zpl' },
    { data: 'https://shop.example/is-text' },
    { ...PICTURE, data: page },
    { flavor: 'file', data: '/etc/passwd' },
    'https://shop.example/short',
  ]
  t.same(listAddresses({ data }), [page, 'HTTP://shop.example/label.zpl'])
  for (const none of [undefined, 7, {}, { data: 'x' }, { data: [null] }])
    t.same(listAddresses(none), [])
  const files = new Map([[page, Buffer.from('fetched')]])
  const { labels } = readPrint({ data: [{ ...PICTURE, flavor: 'file', data: page }] }, files)
  t.same(labels, [Buffer.from('fetched')])
  t.throws(() => textsOf({ flavor: 'file', data: '/etc/passwd' }), {
    message: /got "a file", wanted/,
  })
  t.same(textsOf({ flavor: 'file', data: 'data:;base64,XlhB' }), ['^XA'])
  t.end()
})

t.test('options of a picture are those of the print request', (t) => {
  const optionsOf = (options: object) => readWith(options).options
  const size = { width: 101.6, height: 50.8 }
  t.same(optionsOf({ size, units: 'mm' }), { printer: 'Bench 1', labelWidth: 4, labelHeight: 2 })
  t.match(optionsOf({ size: { width: 10.16 }, units: 'CM' }), { labelWidth: 4 })
  for (const units of ['in', undefined, 'constructor', '__proto__'])
    t.match(optionsOf({ size: { width: 4 }, units }), { labelWidth: 4 }, String(units))
  t.match(optionsOf({ size: { width: '4', height: ' 2.5 ' } }), { labelWidth: 4, labelHeight: 2.5 })
  for (const none of [{ width: 0, height: -1 }, { width: '', height: 'x' }, 'x', null])
    t.same(optionsOf({ size: none }), { printer: 'Bench 1' })
  const turnOf = (config: object) => (optionsOf(config) as { rotate?: string }).rotate
  const turns = [90, 180, 270, -90, 450, '90', 0, 360, '', null].map((rotation) =>
    turnOf({ rotation }),
  )
  const none = undefined
  t.same(turns, ['90', '180', '270', '270', '90', '90', none, none, none, none])
  const laid = [null, '', 'portrait', 'landscape', 'REVERSE_LANDSCAPE', 'reverse-portrait']
  t.same(
    laid.map((orientation) => turnOf({ orientation })),
    [none, none, '0', '270', '90', '180'],
  )
  t.equal(turnOf({ orientation: 'landscape', rotation: 180 }), '90')
  t.match(optionsOf({ darkness: '30', area: 'top' }), { darkness: 30, area: 'top' })
  t.match(optionsOf({ scaleContent: false }), { scaling: 'none' })
  t.notHas(optionsOf({ scaleContent: true }), { scaling: 'none' })
  t.same(readWith({ size, rotation: 45 }, ['^XA^XZ']).options, { printer: 'Bench 1' })
  t.end()
})

t.test('the density is that of a picture that is not scaled', (t) => {
  const optionsOf = (density: unknown, more = {}) => readWith({ density, ...more }).options
  const own = { scaleContent: false }
  for (const [density, units, dpi] of [
    [300, 'in', 300],
    ['203', 'in', 203],
    [8, 'mm', 203],
    [80, 'cm', 203],
    [[600, 300], 'in', 600],
    [{ cross: 203, feed: 203 }, 'in', 203],
  ] as const) {
    t.match(optionsOf(density, { ...own, units }), { scaling: 'none', dpi })
    t.notMatch(optionsOf(density, { units }), { dpi: Number }, 'dots of the head')
  }
  for (const none of [0, '0', '', null, undefined, 'best', 'draft', []])
    t.notMatch(optionsOf(none, own), { dpi: Number }, String(none))
  t.end()
})

t.test('what cannot be done with a picture is refused by its name', (t) => {
  for (const [name, value, more] of [
    ['rotation', 45],
    ['rotation', '30.5'],
    ['rotation', 'x'],
    ['rotation', {}],
    ['orientation', 'sideways'],
    ['orientation', 'constructor'],
    ['density', 'fine'],
    ['density', -203],
    ['density', { cross: 203, feed: 300 }],
    ['density', {}],
    ['density', 20, { scaleContent: false }],
    ['density', 203, { scaleContent: false, units: 'mm' }],
    ['darkness', 120],
    ['darkness', 'x'],
    ['area', 'middle'],
  ] as const) {
    const refused = { code: 'FIELD_INVALID', message: new RegExp(`^${name}: got `) }
    t.throws(() => readWith({ [name]: value, ...more }), refused, `${name} ${value}`)
  }
  t.end()
})

t.test('the pages of a PDF are those that its options name', (t) => {
  const pdf = (pageRanges?: unknown) => ({ ...PICTURE, format: 'pdf', options: { pageRanges } })
  const pagesOf = (...data: readonly unknown[]) =>
    (readWith({}, data).options as { pages?: string }).pages
  t.equal(pagesOf(pdf('1')), '1')
  t.equal(pagesOf(pdf('1-3, 5,')), '1-3, 5', 'QZ Tray skips what is empty')
  t.equal(pagesOf(pdf(2)), '2')
  t.equal(pagesOf(pdf('1'), pdf('1'), { ...PICTURE, options: { pageRanges: '4' } }), '1')
  for (const all of [pdf(), pdf(''), pdf(null), { ...PICTURE, format: 'pdf' }])
    t.equal(pagesOf(all), undefined)
  for (const other of [pdf('2'), pdf()])
    t.throws(() => pagesOf(pdf('1'), other), { message: /pageRanges: got "several"/ })
  t.throws(() => pagesOf(pdf('last')), { message: /wanted pages as in 2/ })
  t.end()
})

t.test('titles and copies, and what goes around the printers of the box', (t) => {
  t.match(readWith({ jobName: 'Order 7', copies: 3 }, [PICTURE, PICTURE]), {
    titles: ['Order 7', 'Order 7'],
    copies: 3,
  })
  for (const [jobName, title] of [
    ['Order\n 7\u202e', 'Order 7'],
    ['x'.repeat(300_000), 'x'.repeat(255)],
    [' \u0000 ', ''],
  ])
    t.same(readWith({ jobName }).titles, [title], 'one line of the page')
  t.match(readWith({ jobName: 7, copies: '3' }), { titles: ['7'], copies: 3 }, 'as in a form')
  for (const options of [{}, { copies: 1 }, { copies: '1' }, { copies: 'x', jobName: {} }])
    t.same(Object.keys(readWith(options)), ['labels', 'options'])
  const printerOf = (printer: unknown) =>
    (readPrint({ printer, data: ['x'] }).options as { printer?: string }).printer
  t.same([undefined, null, 'A', { name: 'B' }, {}].map(printerOf), [
    undefined,
    undefined,
    'A',
    'B',
    undefined,
  ])
  t.throws(() => printerOf({ file: '/dev/usb/lp0' }), { message: /printer: got "a file"/ })
  t.throws(() => printerOf({ host: '10.0.0.1' }), { message: /printer: got "a host"/ })
  for (const printer of [7, []]) t.throws(() => printerOf(printer), { message: /an object/ })
  t.end()
})

t.test('events have the words and codes that pages made for QZ Tray look for', (t) => {
  const eventsOf = (state: KnownPrinter['status']['state'], ...reasons: PrinterReason[]) =>
    printerEvents({
      ...makePrinter('Bench 1'),
      isDefault: true,
      isPaused: false,
      status: { state, reasons, message: quoteEnglish('Why.'), hint: NOTHING },
    }).map(eventOf)
  const codesOf = (...args: Parameters<typeof eventsOf>) =>
    eventsOf(...args).map((one) => [one.statusText, one.code, one.severity])
  t.same(codesOf('idle', 'none'), [['OK', 0, 'INFO']])
  t.same(codesOf('processing', 'none'), [['PRINTING', 0x400, 'INFO']])
  // winspool.h, PRINTER_STATUS_*.
  const codes: readonly (readonly [PrinterReason, string, number])[] = [
    ['paused', 'PAUSED', 1],
    ['other', 'ERROR', 2],
    ['media-jam', 'PAPER_JAM', 8],
    ['media-empty', 'PAPER_OUT', 16],
    ['offline', 'OFFLINE', 128],
    ['marker-supply-empty', 'NO_TONER', 262_144],
    ['cover-open', 'DOOR_OPEN', 4_194_304],
  ]
  for (const [reason, text, code] of codes)
    t.same(codesOf('stopped', reason), [[text, code, 'WARN']])
  t.equal(codesOf('stopped', 'media-empty', 'cover-open').length, 2, 'one for each trouble')
  t.match(spoken(eventsOf('stopped', 'offline')), [{ printerName: 'Bench 1', message: 'Why.' }])
  t.end()
})

t.test('... and those of a job, winspool.h JOB_STATUS_*', (t) => {
  const jobEventOf = (state: Job['state'], reasons: Job['reasons'] = ['none']) => {
    const job = {
      id: '7',
      printer: 'Bench 1',
      title: 'Order 7',
      state,
      reasons,
      message: quoteEnglish('Why.'),
    }
    return eventOf(jobEvent(job as Job))
  }
  const codes: Readonly<Record<Job['state'], readonly [string, number, string]>> = {
    pending: ['SPOOLING', 8, 'INFO'],
    'pending-held': ['PAUSED', 1, 'WARN'],
    processing: ['PRINTING', 16, 'INFO'],
    'processing-stopped': ['USER_INTERVENTION', 1024, 'INFO'],
    canceled: ['CANCELED', 1_048_576, 'INFO'],
    aborted: ['ABORTED', 2_097_152, 'WARN'],
    completed: ['COMPLETE', 4096, 'INFO'],
  }
  for (const [state, [text, code, severity]] of Object.entries(codes))
    t.match(jobEventOf(state as Job['state']), { statusText: text, code, severity })
  t.match(jobEventOf('completed'), { eventType: 'JOB', jobId: '7', jobName: 'Order 7' })
  t.match(spoken(jobEventOf('canceled', MOVED)), { statusText: 'COMPLETE', message: 'Why.' })
  t.end()
})
