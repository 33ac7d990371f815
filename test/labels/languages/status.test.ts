import t from 'tap'
import { findCalibration } from '../../../src/core/printers/calibration.ts'
import { parseErrorReport, parseForm } from '../../../src/labels/languages/epl/index.ts'
import { findLanguage, languageNames } from '../../../src/labels/languages/index.ts'
import { type Talk, untilQuiet } from '../../../src/labels/languages/status.ts'
import { parsePaperSize, parseStatusByte } from '../../../src/labels/languages/tspl/index.ts'
import {
  parseErrors,
  parseHostIdentity,
  parseHostStatus,
} from '../../../src/labels/languages/zpl/index.ts'

const [zpl, epl, tspl] = [
  findLanguage('zpl').status,
  findLanguage('epl').status,
  findLanguage('tspl').status,
]

/** An answer to `~HS`; fields are those of the manual. */
function hostStatus(first: Record<number, string>, second: Record<number, string> = {}): string {
  const fill = (base: readonly string[], more: Record<number, string>) =>
    `\u0002${base.map((field, index) => more[index] ?? field).join(',')}\u0003\r\n`
  return (
    fill('030,0,0,1225,000,0,0,0,000,0,0,0'.split(','), first) +
    fill('001,0,0,0,1,2,6,0,00000000,1,000'.split(','), second) +
    '\u00021234,0\u0003\r\n'
  )
}

/** A printer that answers each question with what the table says. */
function answering(answers: Readonly<Record<string, string>>): { talk: Talk; asked: string[] } {
  const asked: string[] = []
  const talk: Talk = (question) => {
    asked.push(question)
    return Promise.resolve(answers[question] ?? '')
  }
  return { talk, asked }
}

t.test('every language that pictures are drawn in can be asked and calibrated', (t) => {
  for (const language of languageNames) {
    t.ok(findCalibration({ name: 'A', language }).length > 2)
  }
  t.throws(() => findCalibration({ name: 'A', language: undefined }), { code: 'PRINTER_LANGUAGE' })
  t.end()
})

t.test('~HS tells what keeps a ZPL printer', (t) => {
  const cases = [
    [hostStatus({}), [], false],
    [hostStatus({ 1: '1' }), ['media-empty'], false],
    [hostStatus({ 2: '1' }), ['paused'], false],
    [hostStatus({}, { 2: '1' }), ['cover-open'], false],
    [
      hostStatus({ 1: '1' }, { 2: '1', 3: '1' }),
      ['cover-open', 'media-empty', 'marker-supply-empty'],
      false,
    ],
    [hostStatus({ 10: '1' }), ['other'], false],
    [hostStatus({ 4: '002' }), [], true],
    [hostStatus({ 7: '1' }), [], true],
    [hostStatus({}, { 8: '00000003' }), [], true],
  ] as const
  for (const [answer, reasons, isBusy] of cases) {
    t.match(parseHostStatus(answer), { reasons, isBusy }, answer)
  }
  t.same(parseHostStatus(hostStatus({}))?.media, { lengthDots: 1225 })
  t.same(parseHostStatus(hostStatus({ 3: '0000' }, { 0: '129' }))?.media, {
    tracking: 'continuous',
  })
  for (const noise of [
    '',
    'hello',
    '\u0002a,b\u0003',
    '\u0002030,0,0,1225',
    hostStatus({}).slice(0, 40),
  ]) {
    t.equal(parseHostStatus(noise), undefined, JSON.stringify(noise))
  }
  t.match(parseHostStatus(`x\u0003${hostStatus({})}`), { reasons: [] }, 'what was left of before')
  t.end()
})

t.test('~HQES tells it where ~HS is silent', (t) => {
  const line = (errors: string) =>
    `\u0002\r\n\r\n  PRINTER STATUS                             \r\n   ERRORS:         ${errors} \r\n   WARNINGS:       1 00000000 00000002 \r\n\u0003\r\n`
  const cases = [
    ['0 00000000 00000000', []],
    ['1 00000000 00000005', ['cover-open', 'media-empty']],
    ['1 00000000 00000002', ['marker-supply-empty']],
    ['1 00000000 00010000', ['paused']],
    ['1 00000000 00001000', ['media-jam']],
    ['1 00000000 00000020', ['other']],
    ['1 00000001 00000000', ['other']],
  ] as const
  for (const [errors, reasons] of cases) t.same(parseErrors(line(errors))?.reasons, reasons, errors)
  t.equal(parseErrors('nothing of the kind'), undefined)
  t.end()
})

t.test('a ZPL printer is asked by ~HS, and by ~HQES only when that is silent', async (t) => {
  const well = answering({ '~HS': hostStatus({}) })
  t.match(await zpl.ask(well.talk), { reasons: [] })
  t.same(well.asked, ['~HS'])
  const out = answering({ '~HQES': 'ERRORS: 1 00000000 00000001 WARNINGS: 0' })
  t.match(await zpl.ask(out.talk), { reasons: ['media-empty'] })
  t.equal(await zpl.ask(answering({}).talk), undefined)
})

t.test('~HI tells model, head and whether Z64 is safe', (t) => {
  const cases = [
    [
      'ZTC ZD421-203dpi ZPL,V93.21.26Z,8,8176KB,X',
      { makeAndModel: 'Zebra ZD421', dpi: 203, z64: true },
    ],
    ['GK420d-200dpi,V61.17.17Z,8,2104KB,', { makeAndModel: 'Zebra GK420d', dpi: 203, z64: true }],
    ['ZT411-300dpi,V92.21,12,65536KB,X', { makeAndModel: 'Zebra ZT411', dpi: 300, z64: true }],
    ['4B-2054A,V1.0,8,4096KB,X', { makeAndModel: '4B-2054A', dpi: 203 }],
    ['CLONE,V1,9,1KB,X', { makeAndModel: 'CLONE' }],
  ] as const
  for (const [answer, facts] of cases) {
    t.same(parseHostIdentity(`\u0002${answer}\u0003\r\n`), facts, answer)
  }
  t.equal(parseHostIdentity('\u0002030,0\u0003'), undefined)
  const sameForAll = '\u0002030,1,1,9999,000,0,0,0,000,0,0,0\u0003\r\n'
  t.equal(parseHostIdentity(sameForAll), undefined, 'the answer to another question')
  t.equal(parseHostIdentity(''), undefined)
  t.end()
})

t.test('Zebra’s own printers also tell print width and kind of stock', async (t) => {
  const identity = '\u0002ZD421-203dpi,V93,8,8176KB,X\u0003'
  const width = '! U1 getvar "ezpl.print_width"\r\n'
  const type = '! U1 getvar "ezpl.media_type"\r\n'
  const media = async (answers: Record<string, string>) =>
    (await zpl.identify?.(answering({ '~HI': identity, ...answers }).talk))?.media
  t.same(await media({ [width]: '"812"', [type]: '"gap/notch"' }), {
    widthDots: 812,
    tracking: 'gap',
  })
  t.same(await media({ [width]: '"812"', [type]: '"mark"' }), { widthDots: 812, tracking: 'mark' })
  t.same(await media({ [width]: '"812"', [type]: '"continuous"' }), {
    widthDots: 812,
    tracking: 'continuous',
  })
  t.same(await media({ [width]: '"812"', [type]: '"?"' }), { widthDots: 812 })
  t.equal(await media({ [width]: '"?"' }), undefined)
  const clone = answering({ '~HI': '\u0002CLONE,V1,8,1KB,X\u0003' })
  t.same(await zpl.identify?.(clone.talk), { makeAndModel: 'CLONE', dpi: 203 })
  t.same(clone.asked, ['~HI'], 'a clone is not asked what only Zebra’s printers know')
  t.same(await zpl.identify?.(answering({}).talk), {})
})

t.test('^ee tells what keeps an EPL printer', async (t) => {
  const cases = [
    ['00\r\n', []],
    ['07\r\n', ['media-empty']],
    ['11\r\n', ['cover-open']],
    ['07,11,12\r\n', ['media-empty', 'cover-open', 'paused']],
    ['01\r\n', []],
    ['\r\n07\r\n', ['media-empty']],
  ] as const
  for (const [answer, reasons] of cases) {
    t.same(parseErrorReport(answer), { reasons, isBusy: false }, JSON.stringify(answer))
  }
  for (const noise of ['', '07', 'x07\r\n', '^ee']) t.equal(parseErrorReport(noise), undefined)
  const { talk, asked } = answering({ '\n^ee\n': '00\r\n' })
  t.match(await epl.ask(talk), { reasons: [] })
  t.same(asked, ['\n^ee\n'])
})

t.test('ESC ! ? tells what keeps a TSPL printer', async (t) => {
  const cases = [
    [0x00, [], false],
    [0x01, ['cover-open'], false],
    [0x40, ['cover-open'], false],
    [0x02, ['media-jam'], false],
    [0x04, ['media-empty'], false],
    [0x08, ['marker-supply-empty'], false],
    [0x10, ['paused'], false],
    [0x20, [], true],
    [0x25, ['cover-open', 'media-empty'], true],
    [0x80, ['other'], false],
  ] as const
  for (const [byte, reasons, isBusy] of cases) {
    t.same(parseStatusByte(String.fromCharCode(byte)), { reasons, isBusy }, byte.toString(16))
  }
  t.equal(parseStatusByte(''), undefined)
  t.match(await tspl.ask(answering({ '\u001b!?': '\u0004' }).talk), { reasons: ['media-empty'] })
})

t.test('UQ tells the length of an EPL printer’s labels', async (t) => {
  // The line as LP2844 of several firmwares send it.
  const cases = [
    ['q816 Q1218,25', { lengthDots: 1218, tracking: 'gap' }],
    ['q832 Q934,24', { lengthDots: 934, tracking: 'gap' }],
    ['q328 Q163,0 Ymax:5992', { tracking: 'continuous' }],
    ['q600 Q800,B24,0', { lengthDots: 800, tracking: 'mark' }],
    ['q616 Q56,169', undefined],
    ['Q816', undefined],
    ['', undefined],
  ] as const
  for (const [line, media] of cases) {
    t.same(parseForm(`UKQ1935HLU  V4.29\r\nS3 D09 R008,000 ZT UN\r\n${line}\r\n`), media, line)
  }
  const { talk, asked } = answering({ '\nUQ\n': 'UKQ1935HLU V4.29\r\nq816 Q1218,25\r\n' })
  t.match(await epl.measure?.(talk), { lengthDots: 1218 })
  t.same(asked, ['\nUQ\n'])
})

t.test('an answer without an end is whole when nothing more comes', (t) => {
  const isWhole = untilQuiet()
  const looks = ['', 'a', 'a', 'ab', 'ab', 'ab', 'ab'].map((answer) => isWhole(answer))
  t.same(looks, [false, false, false, false, false, false, true])
  t.end()
})

t.test('a TSPL printer tells the length that it measured', async (t) => {
  const cases = [
    ['LENGTH=1218;\r\n', { lengthDots: 1218 }],
    ['LENGTH= 1218 ;', { lengthDots: 1218 }],
    ['LENGTH=0;', undefined],
    ['LENGTH=152.4 mm;', undefined],
    ['', undefined],
  ] as const
  for (const [answer, media] of cases) t.same(parsePaperSize(answer), media, answer)
  const silent = answering({})
  t.equal(await tspl.measure?.(silent.talk), undefined)
  t.match(silent.asked, [
    /^\r\nOUT "LENGTH=";GETSETTING\$\("CONFIG","TSPL","PAPER SIZE"\);";"\r\n$/,
  ])
})

t.test('Zebra’s printers count their labels', async (t) => {
  const question = '! U1 getvar "odometer.total_label_count"\r\n'
  for (const [answer, count] of [
    ['"31084"', 31_084],
    ['"0"', 0],
    ['"?"', undefined],
    ['', undefined],
  ] as const) {
    t.equal(await zpl.count?.(answering({ [question]: answer }).talk), count, answer)
  }
})
