import t from 'tap'
import { explainOpen, openLine } from '../../../../src/printers/devices/serial/ports.ts'
import { spoken } from '../../../words/spoken.ts'

t.test('every way to miss a port has a sentence that says what to do', (t) => {
  // The texts are those of @serialport/bindings-cpp 13.
  const cases = [
    ['Error Resource temporarily unavailable Cannot lock port', 'PRINTER_BUSY', /Another program/],
    ['Error: Device or resource busy, cannot open /dev/x', 'PRINTER_BUSY', /Another program/],
    ['Opening COM3: Access denied', 'PRINTER_BUSY', /Another program/],
    ['Error: Permission denied, cannot open /dev/x', 'PRINTER_OFFLINE', /usermod -aG dialout/],
    ['Error: No such file or directory, cannot open /dev/x', 'PRINTER_OFFLINE', /plugged in/],
    ['Opening COM3: File not found', 'PRINTER_OFFLINE', /plugged in/],
    [
      'Error: Input/output error setting custom baud rate of 13',
      'PRINTER_OFFLINE',
      /not a serial port/,
    ],
    ['Open (SetCommState): The parameter is incorrect', 'PRINTER_OFFLINE', /these settings/],
    ['Opening COM3: Unknown error code 1450', 'PRINTER_OFFLINE', /cannot be opened .*1450/],
  ] as const
  for (const [text, code, message] of cases) {
    t.match(explainOpen(new Error(text), '/dev/x'), { code, message, cause: { message: text } })
  }
  t.match(spoken(explainOpen('odd', 'COM3').message), /\(odd\)/)
  t.end()
})

t.test('the printer may stop the computer, never the other way round', async (t) => {
  const asked: unknown[] = []
  const settings = { path: '/dev/x', baud: 9_600, bits: 8, parity: 'none', stop: 1 } as const
  const wanted = { xonxoff: [true, false], rtscts: [false, true], none: [false, false] } as const
  for (const flow of ['xonxoff', 'rtscts', 'none'] as const) {
    await t.rejects(
      openLine({ ...settings, flow }, 'linux', (options) => {
        asked.push(options)
        return Promise.reject(new Error('no'))
      }),
    )
    const [xon, rtscts] = wanted[flow]
    t.match(asked.pop(), { xon, xoff: false, rtscts, hupcl: false, lock: true, stopBits: 1 })
  }
})
