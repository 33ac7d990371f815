import t from 'tap'
import { choosePiece } from '../../../../src/printers/devices/serial/connection.ts'
import {
  createSerialDevice,
  estimateSeconds,
} from '../../../../src/printers/devices/serial/index.ts'
import { readSerialUri } from '../../../../src/printers/devices/serial/settings.ts'

const linux = { platform: 'linux', devFolder: '/dev' } as const
const windows = { platform: 'win32', devFolder: '/dev' } as const

t.test('left out, the settings are those of an LP2844 as it leaves the factory', (t) => {
  const path = '/dev/serial/by-id/usb-Prolific_USB-Serial-if00-port0'
  t.same(readSerialUri(new URL(`serial:${path}`), linux), {
    path,
    baud: 9_600,
    bits: 8,
    parity: 'none',
    stop: 1,
    flow: 'xonxoff',
  })
  t.end()
})

t.test('every setting is taken from the URI', (t) => {
  const uri = new URL('serial:/dev/a%20b?baud=115200&bits=7&parity=even&stop=2&flow=rtscts')
  t.same(readSerialUri(uri, linux), {
    path: '/dev/a b',
    baud: 115_200,
    bits: 7,
    parity: 'even',
    stop: 2,
    flow: 'rtscts',
  })
  t.match(readSerialUri(new URL('serial:COM12?flow=none&parity=odd'), windows), {
    path: 'COM12',
    flow: 'none',
    parity: 'odd',
  })
  t.end()
})

t.test('what is wrong with a serial device URI is said in words', (t) => {
  const cases = [
    ['serial:/dev/ttyUSB0?baud=96OO', 'baud: got "96OO", wanted a whole number from 300 to'],
    ['serial:/dev/ttyUSB0?baud=', 'baud: got ""'],
    ['serial:/dev/ttyUSB0?baud=9999999', 'baud: got "9999999"'],
    ['serial:/dev/ttyUSB0?bits=9', 'bits: got "9", wanted 7 or 8'],
    ['serial:/dev/ttyUSB0?parity=N', 'parity: got "N", wanted none or even or odd'],
    ['serial:/dev/ttyUSB0?stop=1.5', 'stop: got "1.5", wanted 1 or 2'],
    ['serial:/dev/ttyUSB0?flow=dtr', 'flow: got "dtr", wanted xonxoff or rtscts or none'],
    [
      'serial:/dev/ttyUSB0?speed=9600',
      '"speed" is not a setting of a serial port; there are baud,',
    ],
    ['serial:/dev/ttyUSB0?toString=1', '"toString" is not a setting'],
    ['serial:/dev/ttyUSB0?baud=9600&baud=9600', 'baud stands there twice'],
    ['serial://dev/ttyUSB0', 'with one slash after the colon'],
    ['serial:/dev/../etc/passwd', 'below /dev'],
    ['serial:/etc/passwd', 'below /dev'],
    ['serial:/dev/a%', 'below /dev'],
    ['serial:/dev/a%00', 'below /dev'],
    ['serial:/dev/ttyUSB0#1', 'below /dev'],
    ['serial:COM3', 'COM3 is a port of Windows'],
  ] as const
  const { check } = createSerialDevice({ platform: 'linux' })
  for (const [text, wanted] of cases) {
    const fault = check(new URL(text), text) ?? ''
    t.ok(fault.includes(wanted), `${text}: ${fault}`)
  }
  for (const text of ['serial:/dev/ttyUSB0', 'serial:COM0', 'serial:COM3#1', 'serial://COM3']) {
    t.match(readSerialUri(new URL(text), windows), /like serial:COM3/, text)
  }
  t.end()
})

t.test('the time of a label is that of its bytes at the baud rate', (t) => {
  const seconds = (bytes: number, query = '') =>
    estimateSeconds(bytes, `serial:/dev/serial/by-id/x${query}`)
  // The full picture of a 4x6 label, 812 x 1218 dots, as EPL (facts of the trade: 129 s at 9600 baud).
  t.equal(Math.round(seconds(124_256) ?? 0), 129)
  t.equal(Math.round(seconds(124_256, '?baud=115200') ?? 0), 11)
  t.equal(seconds(960, '?parity=odd&stop=2'), 1.2)
  t.equal(estimateSeconds(960, 'serial:COM3'), 1)
  t.equal(estimateSeconds(960, 'serial:COM3?baud=x'), undefined)
  t.equal(estimateSeconds(960, 'socket://10.0.0.7'), undefined)
  t.equal(estimateSeconds(960, 'serial://['), undefined)
  t.end()
})

t.test('pieces take half a second, within bounds', (t) => {
  const piece = (query: string) => {
    const settings = readSerialUri(new URL(`serial:/dev/x?${query}`), linux)
    return typeof settings === 'string' ? settings : choosePiece(settings)
  }
  t.equal(piece('baud=9600'), 480)
  t.equal(piece('baud=9600&parity=even'), 436)
  t.equal(piece('baud=115200'), 5_760)
  t.equal(piece('baud=300'), 64)
  t.equal(piece('baud=4000000'), 16_384)
  t.end()
})
