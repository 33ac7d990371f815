import t, { type Test } from 'tap'
import { warnOfMedia, warnOfRasterOnly } from '../../src/core/drawing/target.ts'
import type { JobFormat } from '../../src/core/job.ts'
import { Base64Reader } from '../../src/core/request/base64.ts'
import { parseJson } from '../../src/core/request/bounded-json.ts'
import { FormReader } from '../../src/core/request/form.ts'
import { JsonReader } from '../../src/core/request/json.ts'
import { MultipartReader, parseContentType } from '../../src/core/request/multipart.ts'
import { RequestFields } from '../../src/core/request/request-fields.ts'
import { boundsWith } from '../../src/http/bounds.ts'
import { detectFormat } from '../../src/labels/detect/detect.ts'
import { LabelFault } from '../../src/labels/fault.ts'
import { scanLabel } from '../../src/labels/languages/index.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { printer } from '../core/bench.ts'
import { processorMs } from '../labels/processor-time.ts'

const MIB = 2 ** 20
const CHUNK = 64 * 1024
const BOUNDS = boundsWith()
const PRINTER = {
  ...printer('A', 'file:a', 'tspl'),
  rasterOnly: true,
  media: { tracking: 'gap', lengthDots: 1218, widthDots: 812 },
} as const

interface Reader {
  push(chunk: Uint8Array): void
  end(): unknown
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / piece.length))
}

/** Reads to the end or to the refusal. */
function read(reader: Reader, body: string): void {
  const bytes = Buffer.from(body, 'latin1')
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) reader.push(bytes.subarray(at, at + CHUNK))
    reader.end()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'PlatenError')) throw error
  }
}

function refusedOrNot(step: () => unknown): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof PlatenError || error instanceof LabelFault)) throw error
  }
}

/** @param most milliseconds of processor time: five times what it takes while coverage is counted, which is slow */
function costs(t: Test, name: string, most: number, work: () => void): void {
  const ms = processorMs(work)
  t.ok(ms < most, `${name}: ${ms.toFixed(0)} ms of ${most}`)
}

t.test('JSON of brackets or of quotes is refused before much is walked', (t) => {
  const bodies = {
    lists: fill('[]', 8 * MIB),
    objects: fill('{}', 8 * MIB),
    closed: fill(']', 8 * MIB),
    texts: `[${fill('""', 8 * MIB)}`,
    keys: fill('"a":', 8 * MIB),
  }
  for (const [name, body] of Object.entries(bodies)) {
    costs(t, name, 150, () => refusedOrNot(() => parseJson(body, BOUNDS)))
    costs(t, `${name} as they arrive`, 500, () =>
      read(new JsonReader(new RequestFields(BOUNDS), BOUNDS), body),
    )
  }
  for (const letter of ['\\u0041', '\\/', '\\\\', '\\"', 'A', '\\n']) {
    const body = `{"note":"${fill(letter, 4 * MIB)}","label":"${fill(letter, 4 * MIB)}"}`
    const reader = new JsonReader(new RequestFields(BOUNDS), BOUNDS)
    costs(t, `a text of ${letter}`, 1_500, () => read(reader, body))
  }
  t.throws(() => parseJson(fill('[],', 3 * 20_001), BOUNDS), { message: /more than 20000 values/ })
  t.throws(() => parseJson(`[${fill('""', 2 * 40_001)}`, BOUNDS), {
    message: /more than 20000 values/,
  })
  const legal = `{"labels":[${fill('{"a":[1]},', 10 * 900)}1]}`
  t.equal((parseJson(legal, BOUNDS) as { labels: unknown[] }).labels.length, 901)
  t.end()
})

t.test('base64 of padding and line ends costs no more than other letters', (t) => {
  const bodies = {
    padding: fill('=', 4 * MIB),
    'padding on lines': `QQ${fill('=\n', 4 * MIB)}`,
    'line ends': fill('\r\n', 4 * MIB),
    'line ends in a group': `AAA${fill('\n', 4 * MIB)}`,
    'line ends in the padding': `QQ=${fill('\n', 4 * MIB)}=`,
  }
  for (const [name, body] of Object.entries(bodies)) {
    const reader = new Base64Reader()
    const bytes = { push: (chunk: Uint8Array) => reader.pushBytes(chunk), end: () => reader.end() }
    costs(t, name, 600, () => read(bytes, body))
    const form = new FormReader(new RequestFields(BOUNDS), BOUNDS)
    costs(t, `${name} in a form`, 600, () => read(form, `label=${body}`))
  }
  t.end()
})

t.test('the heads of a thousand parts with open quotes are looked at once', (t) => {
  const part = (n: number) =>
    `--b\r\nContent-Disposition: form-data; name="x${n}"${fill('; a="', 1_900)}\r\n\r\n\r\n`
  const body = Array.from({ length: 900 }, (_, n) => part(n)).join('')
  costs(t, 'parts', 500, () =>
    read(new MultipartReader('b', new RequestFields(BOUNDS), BOUNDS), body),
  )
  costs(t, 'a header', 50, () => parseContentType(`a/b${fill('; a="', 16_000)}`))
  t.same(
    [...parseContentType('a; b="x\\"y"; c="open; d=1').parameters],
    [
      ['b', 'x"y'],
      ['c', ''],
    ],
  )
  t.end()
})

t.test('short lines and commands of a raw label cost little', (t) => {
  const labels: readonly (readonly [format: 'zpl' | 'epl' | 'tspl', label: string])[] = [
    ...[
      'G\n',
      'P\n',
      'Px\n',
      'GW\n',
      'U\n',
      'UP\n',
      'M1\n',
      '^\n',
      '^@\n',
      'S\n',
      '! U1 ',
      '\n',
    ].map((line) => ['epl', `N\n${fill(line, 4 * MIB)}`] as const),
    ...['^', '~', '^GF', '~DY', '^GFA,', '^TO', '^ID', '^JU', '^JUS', '^CC^', '^XA^XZ'].map(
      (command) => ['zpl', `^XA${fill(command, 4 * MIB)}`] as const,
    ),
    ...['B\n', 'BITMAP\n', 'SET \n', '\t\n', '\r', 'DOWNLOAD\n'].map(
      (line) => ['tspl', `SIZE 4,6\nCLS\n${fill(line, 4 * MIB)}`] as const,
    ),
  ]
  for (const [format, label] of labels) {
    const bytes = Buffer.from(label)
    const name = JSON.stringify(label.slice(14, 30))
    costs(t, `detect ${name}`, 5_000, () => refusedOrNot(() => detectFormat(bytes)))
    costs(t, `scan ${name}`, 8_000, () => scanLabel(bytes, format))
  }
  t.end()
})

t.test(
  'what a printed label says of its stock is found in one look, whatever its beginning',
  (t) => {
    const pieces = [
      '\n',
      '\r',
      '\n ',
      '\t\n',
      ' ',
      'SIZE ',
      'SIZE 1 ',
      'GAP ',
      'TEXT',
      '^PW',
      'q1\n',
    ]
    for (const piece of pieces) {
      for (const head of ['SIZE 4\nCLS\n', 'SIZE 4', '']) {
        const label = Buffer.from(head + fill(piece, 65_536))
        for (const format of ['zpl', 'epl', 'tspl'] as const satisfies JobFormat[]) {
          costs(t, `${format} ${JSON.stringify(head + piece)}`, 500, () => {
            warnOfMedia({ format, options: {} }, label, PRINTER)
            warnOfRasterOnly(format, label, PRINTER)
          })
        }
      }
    }
    t.end()
  },
)
