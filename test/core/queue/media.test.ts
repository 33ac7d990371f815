import t from 'tap'
import {
  makeTarget,
  readLabelSize,
  readLabelTracking,
  warnOfMedia,
  warnOfOpenLabel,
  warnOfRasterOnly,
} from '../../../src/core/drawing/target.ts'
import { AnsweringPrinter } from '../../devices/answering-printer.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'

const job = (format: 'zpl' | 'epl' | 'tspl' | 'png', options = {}) => ({ format, options })
const bytes = (text: string) => Buffer.from(text, 'latin1')

t.test('a raw label says for which size it was made', (t) => {
  const cases = [
    ['zpl', '^XA^PW812^LL1218^FDx^FS^XZ', 4, 6],
    ['zpl', '^XA^FDx^FS^XZ', undefined, undefined],
    ['zpl', '^XA^GFA,8,8,1,^LL9999^XZ', undefined, undefined],
    ['epl', '\nN\nq812\nQ1218,24\nP1\n', 4, 6],
    ['epl', '\nN\nGW0,0,1,8,\nq100\n', undefined, undefined],
    ['tspl', 'SIZE 101.6 mm,152.4 mm\r\nCLS\r\n', 4, 6],
    ['tspl', 'SIZE 4,6\r\nCLS\r\n', 4, 6],
    ['tspl', 'CLS\r\n', undefined, undefined],
    ['png', 'SIZE 4,6', undefined, undefined],
  ] as const
  for (const [format, text, width, height] of cases) {
    const size = readLabelSize(format, bytes(text), 203)
    const near = (a: number | undefined, b: number | undefined) =>
      a === b || Math.abs((a ?? 0) - (b ?? 0)) < 0.01
    t.ok(near(size.width, width) && near(size.height, height), `${text} ${JSON.stringify(size)}`)
  }
  t.end()
})

t.test('warns when a label was clearly made for other stock', (t) => {
  const small = { ...printer('A', 'file:a'), media: { lengthDots: 420, widthDots: 448 } }
  const large = { ...small, media: { lengthDots: 1240, widthDots: 832 } }
  const label = bytes('^XA^PW812^LL1218^XZ')
  t.match(spoken(warnOfMedia(job('zpl'), label, small)), /is 6 in long, but A says .* 2\.1 in long/)
  t.equal(spoken(warnOfMedia(job('zpl'), label, large)), '')
  t.match(
    spoken(warnOfMedia(job('zpl'), bytes('^XA^PW812^XZ'), small)),
    /4 in wide, but A prints only 2\.2 in/,
  )
  t.equal(spoken(warnOfMedia(job('zpl'), bytes('^XA^XZ'), small)), '')
  const roll = { ...small, media: { lengthDots: 420, tracking: 'continuous' as const } }
  t.equal(spoken(warnOfMedia(job('zpl'), label, roll)), '')
  t.equal(spoken(warnOfMedia(job('zpl'), label, printer('A', 'file:a'))), '')
  t.match(spoken(warnOfMedia(job('png', { labelHeight: 6 }), label, small)), /is 6 in long/)
  t.equal(spoken(warnOfMedia(job('png'), label, small)), '', 'drawn for the stock that is in it')
  t.end()
})

t.test('warns when a label looks for gaps or marks that the printer does not have', (t) => {
  const cases = [
    ['zpl', '^XA^MNY^FDx^FS^XZ', 'gap'],
    ['zpl', '^XA^MNW^XZ', 'gap'],
    ['zpl', '^XA^mnm^XZ', 'mark'],
    ['zpl', '^XA^MNN^LL1218^XZ', 'continuous'],
    ['zpl', '^XA^MNA^XZ', undefined],
    ['zpl', '^XA^GFA,8,8,1,^MNN^XZ', undefined],
    ['epl', '\nN\nQ1218,24\nP1\n', 'gap'],
    ['epl', '\nN\nQ1218,B24\nP1\n', 'mark'],
    ['epl', '\nN\nQ1218,0\nP1\n', 'continuous'],
    ['epl', '\nN\nQ1218\nP1\n', undefined],
    ['tspl', 'SIZE 4,6\r\nGAP 3 mm,0 mm\r\nCLS\r\n', 'gap'],
    ['tspl', 'SIZE 4,6\r\nGAP 0,0\r\nCLS\r\n', 'continuous'],
    ['tspl', 'BLINE 0.12,0\r\nCLS\r\n', 'mark'],
    ['tspl', 'CLS\r\nBITMAP 0,0,1,1,0,\r\nGAP 0,0', undefined],
    ['png', 'GAP 3 mm,0 mm', undefined],
  ] as const
  for (const [format, text, wanted] of cases) {
    t.equal(readLabelTracking(format, bytes(text)), wanted, text)
  }
  const marks = { ...printer('A', 'file:a'), media: { tracking: 'mark' as const } }
  t.equal(
    spoken(warnOfMedia(job('zpl'), bytes('^XA^MNY^XZ'), marks)),
    'The label is made for labels with gaps between them. A says that it has labels with black marks: ' +
      'look whether it came out where it should. After another roll was put in, press "Calibrate".',
  )
  t.equal(spoken(warnOfMedia(job('zpl'), bytes('^XA^MNM^XZ'), marks)), '')
  t.equal(spoken(warnOfMedia(job('zpl'), bytes('^XA^XZ'), marks)), '')
  t.equal(spoken(warnOfMedia(job('png'), bytes('^XA^MNY^XZ'), marks)), '')
  const unsaid = { ...marks, media: { lengthDots: 1218 } }
  t.equal(spoken(warnOfMedia(job('zpl'), bytes('^XA^MNY^XZ'), unsaid)), '')
  t.end()
})

t.test('warns by the size in the settings where the printer says nothing of its stock', (t) => {
  const declared = { ...printer('A', 'file:a', 'epl'), labelWidth: 4, labelHeight: 6 }
  const epl = (line: string) => bytes(`\nN\n${line}\nP1\n`)
  t.match(
    spoken(warnOfMedia(job('epl'), epl('q812\nQ406,24'), declared)),
    /^The label is 2 in long, but the settings of A say that its labels are 6 in long: .* correct the size in the settings\.$/,
  )
  t.match(
    spoken(warnOfMedia(job('tspl'), bytes('SIZE 6,6\r\nCLS\r\n'), declared)),
    /^The label is 6 in wide, but the settings of A say that its labels are 4 in wide/,
  )
  t.equal(spoken(warnOfMedia(job('epl'), epl('q812\nQ1218,24'), declared)), '')
  t.equal(spoken(warnOfMedia(job('png'), epl(''), declared)), '', 'drawn for that size')
  t.match(spoken(warnOfMedia(job('png', { labelHeight: 2 }), epl(''), declared)), /is 2 in long/)
  const measured = { ...declared, media: { lengthDots: 406 } }
  t.equal(spoken(warnOfMedia(job('epl'), epl('Q406,24'), measured)), '', 'the printer counts more')
  t.match(spoken(warnOfMedia(job('epl'), epl('Q1218,24'), measured)), /but A says .* 2 in long/)
  const roll = { ...declared, media: { tracking: 'continuous' as const } }
  t.equal(spoken(warnOfMedia(job('epl'), epl('Q406'), roll)), '')
  t.match(
    spoken(warnOfMedia(job('epl'), epl('Q406,24'), roll)),
    /with gaps .* it has a roll without gaps/,
  )
  t.end()
})

t.test('a label without a size is drawn for the stock that the printer reports', (t) => {
  const with2 = { ...printer('A', 'file:a'), media: { lengthDots: 404, widthDots: 448 } }
  t.match(makeTarget(with2, {}), { labelWidth: 2.1875, labelHeight: 2 })
  t.match(makeTarget(with2, { labelHeight: 6 }), { labelHeight: 6 })
  t.match(makeTarget({ ...with2, labelHeight: 3 }, {}), { labelHeight: 3 })
  const usual = { ...with2, media: { lengthDots: 1243, widthDots: 832 } }
  t.match(makeTarget(usual, {}), { labelWidth: 4, labelHeight: 6 })
  const roll = { ...with2, media: { lengthDots: 404, tracking: 'continuous' as const } }
  t.match(makeTarget(roll, {}), { labelHeight: 6 })
  t.match(makeTarget({ ...with2, media: { lengthDots: 3 } }, {}), { labelHeight: 6 })
  t.end()
})

t.test('Z64 goes to whom discovery knows to read it', (t) => {
  const bare = printer('A', 'file:a')
  t.equal(makeTarget({ ...bare, z64: true }, {}).z64, true)
  t.equal(makeTarget({ ...bare, z64: false, makeAndModel: 'Zebra' }, {}).z64, false)
  t.end()
})

t.test('warns of text for a printer that prints pictures only', (t) => {
  const rollo = { name: 'Rollo', rasterOnly: true }
  const text = bytes('SIZE 4,6\r\nCLS\r\nTEXT 10,10,"3",0,1,1,"x"\r\nPRINT 1\r\n')
  t.match(spoken(warnOfRasterOnly('tspl', text, rollo)), /prints pictures only/)
  t.match(
    spoken(warnOfRasterOnly('tspl', bytes('cls\ntext 10,10,"3",0,1,1,"x"\n'), rollo)),
    /pictures only/,
  )
  t.equal(spoken(warnOfRasterOnly('tspl', bytes('CLS\r\nBITMAP 0,0,1,1,0,x\r\n'), rollo)), '')
  t.equal(spoken(warnOfRasterOnly('tspl', text, { name: 'TSC' })), '')
  t.equal(spoken(warnOfRasterOnly('zpl', text, rollo)), '')
  t.end()
})

const warn = (text: string) => warnOfOpenLabel('zpl', Buffer.from(text, 'latin1'))

t.test('a ZPL label that begins and does not end is told', (t) => {
  t.match(spoken(warn('^XA^FO1,1^FDx^FS')), /no \^XZ at its end/)
  t.match(spoken(warn('^XA^FDa^FS^XZ\r\n^xa^FDb^FS')), /no \^XZ/)
  t.equal(spoken(warn('^XA^FDx^FS^XZ\r\n')), '')
  t.equal(spoken(warn('^xa^fdx^fs^xz')), '')
  t.equal(spoken(warn('~JC')), '', 'a control command alone')
  t.equal(spoken(warn('^XA^GFB,6,6,1,^XA^X^FS^XZ')), '', 'dots may look like a beginning')
  t.equal(spoken(warn('^XA^CC+^FDx+FS+XZ')), '', 'another prefix is not judged')
  t.equal(spoken(warnOfOpenLabel('epl', Buffer.from('^XA'))), '')
  const driver = 'CT~~CD,~CC^~CT~\r\n^XA~TA000^XZ\r\n^XA^PW812^FO1,1^FDa'
  t.match(spoken(warn(driver)), /has no \^XZ/, "Zebra's drivers begin all labels so")
  t.equal(spoken(warn(`${driver}^FS^XZ`)), '')
  t.end()
})

t.test('it is sent, warned of, and its end is not waited for', async (t) => {
  const device = await AnsweringPrinter.open('zpl')
  t.teardown(() => device.close())
  const known = { ...printer('A', device.uri), answers: true }
  const bench = new Bench(t, { printers: [known], asks: { answerMs: 60_000 } })
  bench.scheduler.start()
  const id = bench.accept(Buffer.from('^XA^FDx^FS'))
  const job = await bench.until(id, 'completed')
  t.match(spoken(job), {
    delivery: 'sent',
    message: /no \^XZ/,
    reasons: ['job-completed-with-warnings'],
  })
})
