import t from 'tap'
import type { Printer } from '#printers'
import { describeStatus, type PrinterStatus } from '../../../src/core/printers/status.ts'
import { inEnglish, NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { makePrinter } from './make-printer.ts'

const printer = makePrinter('Bench 1', { uri: 'usb://Zebra/LP2844?port=1-1' })
const cut: PrinterStatus = {
  state: 'stopped',
  reasons: ['other'],
  message: quoteEnglish('Bench 1 lost its connection in the middle of a label.'),
  hint: quoteEnglish('Look at it.'),
}

t.test('a printer that went away in mid-label is offline, and says which label it was', (t) => {
  const away = describeStatus(printer, cut, { isHere: false, hindrance: '' })
  t.same(away, { ...cut, reasons: ['offline'] })
  t.same(describeStatus(printer, cut, { isHere: true, hindrance: '' }), cut)
  t.end()
})

t.test('a printer whose cable was moved says where it probably is, and what to do', (t) => {
  const idle: PrinterStatus = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING }
  const movedTo = 'usb://Zebra/LP2844?port=1-2'
  const status = describeStatus(printer, idle, { isHere: false, hindrance: '', movedTo })
  const said = { message: inEnglish(status.message), hint: inEnglish(status.hint) }
  t.same(spoken({ ...status, ...said }), {
    state: 'stopped',
    reasons: ['offline'],
    message:
      'Bench 1 is not at its address in the settings; one of its kind is now usb://Zebra/LP2844?port=1-2. Its labels are kept.',
    hint: 'Plug the cable back in where it was, or change the address in the settings.',
  })
  t.end()
})

t.test('what a printer said before it went away stays beside it', (t) => {
  const empty: PrinterStatus = { ...cut, reasons: ['media-empty'] }
  const away = describeStatus(printer, empty, { isHere: false, hindrance: '' })
  t.same(away.reasons, ['offline', 'media-empty'])
  t.end()
})

t.test('settings of another size than the printer has are told', (t) => {
  const idle: PrinterStatus = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING }
  const say = (settings: object, media: NonNullable<Printer['media']>): string =>
    inEnglish(
      describeStatus({ ...printer, ...settings, media }, idle, { isHere: true, hindrance: '' })
        .message,
    )
  const declared = { dpi: 203, labelWidth: 4, labelHeight: 6 }
  t.equal(
    say(declared, { lengthDots: 406 }),
    'Bench 1 has labels of 2 inches, and the settings say 6 inches.',
  )
  t.equal(
    say(declared, { lengthDots: 1218, widthDots: 448 }),
    'Bench 1 prints 2.2 inches wide, and the settings say labels of 4 inches.',
  )
  t.equal(say(declared, { lengthDots: 1240, widthDots: 832 }), '')
  t.equal(say({ ...declared, labelWidth: 2 }, { widthDots: 832 }), '', 'a narrow roll')
  t.equal(say(declared, { lengthDots: 406, tracking: 'continuous' }), '')
  t.end()
})
