import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { nameLabel } from '../../../../src/labels/languages/names/index.ts'
import { readTexts } from '../../../../src/labels/languages/names/texts.ts'
import {
  checkFedEx,
  checkS10,
  checkThrees,
  checkUps,
} from '../../../../src/labels/languages/names/tracking.ts'
import { fedexLikeZpl, upsLikeZpl } from '../../../label-makers/raw.ts'
import { processorMs } from '../../processor-time.ts'
import { carrierLabels } from './carrier-labels.ts'

function name(label: string | Uint8Array, format = 'zpl'): string {
  return nameLabel(typeof label === 'string' ? Buffer.from(label) : label, format)
}

t.test('60 labels as carriers write them are called by their number or their recipient', (t) => {
  const labels = carrierLabels()
  t.equal(labels.length, 60)
  for (const one of labels) t.equal(name(one.label), one.name, `${one.kind} ${one.name}`)
  t.end()
})

t.test('one whose check digit is wrong is not called so', (t) => {
  for (const { kind, label, name: number } of carrierLabels()) {
    if (kind === 'recipient') continue
    const wrong = number.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))
    const [end, wrongEnd] = [number, wrong].map((one) => one.slice(-kind.length))
    t.not(end, wrongEnd)
    const digits = (one: string) => one.replace(/\D/g, '')
    const found = name(label.replaceAll(number, wrong))
    t.not(digits(found), digits(wrong), `${kind} ${wrong}`)
  }
  t.end()
})

// Published examples (github.com/jkeen/tracking_number_data); the labels above are made with these very checks.
t.test('check digits of real numbers, and of the same with any digit changed', (t) => {
  const good: readonly (readonly [(number: string) => boolean, readonly string[]])[] = [
    [checkFedEx, ['986578788855', '477179081230', '799531274483', '790535312317', '974367662710']],
    [checkUps, ['5R89390357567127', '879E930346834440', '410E7W0392751591', '8V92A70367203024']],
    [checkS10, ['RB123456785GB', 'RB123456785US', 'RN123456785US']],
    [checkThrees, ['9400111202555842332669', '03071790000523483741', '71123456789123456787']],
  ]
  for (const [check, numbers] of good) {
    for (const number of numbers) {
      t.ok(check(number), number)
      // Behind the letters; S10 has letters behind the check digit, too.
      const last = number.search(/\d\D*$/)
      const other = `${(Number(number[last]) + 1) % 10}`
      t.notOk(check(`${number.slice(0, last)}${other}${number.slice(last + 1)}`), `not ${number}`)
    }
  }
  t.end()
})

t.test('a number is told by its words and its check digit together', (t) => {
  const complete = (start: string, isGood: (number: string) => boolean): string =>
    [...'0123456789'].map((digit) => start + digit).find(isGood) ?? ''
  const threes = (start: string, length: number) =>
    complete(start, (one) => checkThrees(one.slice(-length)))
  const bars = (words: string, code: string) =>
    name(`^XA^FO9,9^A0N,30^FD${words}^FS^FO9,99^BCN,90,Y^FD${code}^FS^XZ`)
  const usps = '9400111202555842332669'
  for (const [words, number, before] of [
    ['FEDEX', '986578788855', ''],
    ['TRK #', '986578788855', ''],
    ['FEDEX', threes('98657878885512', 15), ''],
    ['FEDEX', threes('9612019865787888551', 15), ''],
    ['FEDEX', threes('961201986578788855127', 15), ''],
    ['WAYBILL', '1234567891', ''],
    ['DHL', threes('34012345678901234', 18), '00'],
    ['ROYAL MAIL POST', 'RB123456785GB', ''],
    ['USPS', usps, '42078701'],
    ['POSTAL SERVICE', usps, ''],
  ] as const) {
    const what = `${words} ${number}`
    t.match(bars(words, before + number), number, what)
    const last = number.search(/\d\D*$/)
    const wrong = `${number.slice(0, last)}${(Number(number[last]) + 1) % 10}${number.slice(last + 1)}`
    t.notMatch(bars(words, before + wrong), wrong, `${what}: wrong`)
    t.notMatch(bars('THINGS', number), number, `${number} alone`)
  }
  t.equal(bars('THINGS', `42078701${usps}`), usps, 'its bar code says so itself')
  t.equal(bars('THINGS', `420787014107${usps}`), usps)
  t.notMatch(bars('THINGS', `4207870141${usps}`), usps)
  const plate = 'JD014600003289012345'
  t.equal(bars('THINGS', plate), plate)
  t.equal(name(`^XA^FO9,9^A0N,30^FD${plate}^FS^XZ`), '', 'not in a bar code')
  t.end()
})

/** Words, order numbers, dates, phone numbers, serial numbers: whatever stands on labels that are not a carrier's. */
const word = fc.oneof(
  fc.stringMatching(/^\d{1,40}$/),
  fc.stringMatching(/^\d{4}( \d{4}){1,5}$/),
  fc.stringMatching(/^[A-Z0-9]{1,30}$/),
  fc.stringMatching(/^[A-Z]{2}\d{9}[A-Z]{2}$/),
  fc.stringMatching(/^1Z[A-Z0-9]{1,15}$/),
  fc.stringMatching(/^9[1-5]\d{20}$/),
  fc.stringMatching(/^[A-Z][a-z]{2,9}( [A-Z][a-z]{2,9}){0,3}$/),
  fc.string({ maxLength: 40 }),
)

t.test('no number in 10,000 random texts is taken for a tracking number', (t) => {
  const texts = fc.sample(word, { numRuns: 10_000, seed: 17 })
  for (let at = 0; at < texts.length; at += 20) {
    const fields = texts.slice(at, at + 20).map((text, n) => {
      const hex = [...Buffer.from(text)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`)
      return `^FO20,${n * 50}^A0N,30,30^FH^FD${hex.join('')}^FS`
    })
    const found = name(`^XA^CI28${fields.join('\n')}^XZ`)
    if (found !== '') t.fail(`${found} of ${JSON.stringify(texts.slice(at, at + 20))}`)
  }
  // As bar codes each alone, which is how shops label their shelves.
  const named = texts.filter((text) => {
    const plain = text.replace(/[\^~]/g, '')
    return name(`^XA^FO9,9^BCN,90,Y^FD${plain}^FS^FO9,200^A0N,30^FD${plain}^FS^XZ`) !== ''
  })
  t.same(named, [])
  t.end()
})

t.test('labels whose only codes are two-dimensional, without readable words', (t) => {
  const only = (command: string, data: string) => name(`^XA^FO20,20${command}^FH^FD${data}^FS^XZ`)
  const ups = (tail: string) =>
    `001840787010000[)>_1E01_1D961Z${tail}_1DUPSN_1D12345E_1D325_1D_1D1/1_1D12_1DN_1D_1E_04`
  const fedEx = (number: string) =>
    `[)>_1E01_1D0294105_1D840_1D20_1D${number}0201_1DFDE_1D740561073_1D325_1D_1E_04`
  const [upsTail, upsWhole] = ['12345675', '1Z12345E0112345675']
  t.equal(checkUps(upsWhole.slice(2)), true)
  t.equal(checkFedEx('794657000410'), true)
  for (const [command, data, wanted] of [
    ['^BD2', ups(upsTail), upsWhole],
    ['^BD2', ups('12345676'), ''],
    ['^B7N,6,5', fedEx('794657000410'), '794657000410'],
    ['^B7N,6,5', fedEx('794657000419'), ''],
    ['^BQN,2,6', 'QA,1Z999AA10123456784', '1Z999AA10123456784'],
    ['^BQN,2,6', 'QA,1Z999AA10123456783', ''],
    ['^BQN,2,6', 'QA,https://labels.example/1Z999AA10123456784x', ''],
    ['^BXN,6,200', '1Z999AA10123456784', '1Z999AA10123456784'],
    ['^BXN,6,200', '4207870194055118992231974284', ''],
    ['^BQN,2,6', 'QA,794657000410', ''],
    ['^BON,6,N,0', 'ORDER 794657000410', ''],
  ] as const) {
    t.equal(only(command, data), wanted, `${command} ${data}`)
  }
  t.end()
})

t.test('EPL and TSPL', (t) => {
  const epl =
    '\r\nN\r\nq812\r\nA20,142,0,3,1,1,N,"SHIP TO:"\r\nA60,172,0,4,1,1,N,"ANA \\"RIVERA\\""\r\n' +
    'GW0,0,2,2,"A0"A9,700,0,3,1,1,N,"TRACKING #: 1Z 680 RA4 DL 0872 0000"\r\nP1\r\n'
  t.equal(name(epl, 'epl'), 'ANA "RIVERA"', 'the number has a wrong check digit')
  t.equal(
    name(epl.replace('1Z 680 RA4 DL 0872 0000', '1Z 999 AA1 01 2345 6784'), 'epl'),
    '1Z999AA10123456784',
  )
  const indented = (text: string): string => text.replace(/\r\n(?=\w)/g, '\r\n \t  ')
  t.equal(
    name(indented(epl), 'epl'),
    'ANA "RIVERA"',
    'templates stand in programs as indented texts',
  )
  const tspl =
    'SIZE 4,6\r\nCLS\r\nTEXT 20,142,"3",0,1,1,"Deliver to"\r\nTEXT 20,172,"3",0,1,1,"Zoë Kravitz"\r\nPRINT 1\r\n'
  t.equal(name(tspl, 'tspl'), 'Zoë Kravitz')
  t.equal(name(indented(tspl), 'tspl'), 'Zoë Kravitz')
  const bars = 'BARCODE 20,300,"128",100,1,0,2,2,"1Z999AA10123456784"\r\nPRINT 1\r\n'
  t.equal(name(tspl.replace('PRINT 1\r\n', bars), 'tspl'), '1Z999AA10123456784')
  t.end()
})

t.test('recipients by where they stand', (t) => {
  const at = (x: number, y: number, text: string, turn = 'N') =>
    `^FO${x},${y}^A0${turn},28,32^FD${text}^FS`
  const cases: readonly (readonly [string, string])[] = [
    [
      'Ana Rivera',
      `${at(20, 20, 'FROM:')}${at(20, 50, 'Shop Ltd')}${at(20, 200, 'TO:')}${at(60, 200, 'Ana Rivera')}`,
    ],
    [
      'Ana Rivera',
      `${at(20, 230, 'Ana Rivera')}${at(20, 200, 'Ship to')}${at(20, 260, '18 Quarry Lane')}`,
    ],
    ['Ana Rivera', `${at(700, 20, 'SHIP TO:', 'R')}${at(660, 20, 'Ana Rivera', 'R')}`],
    ['Ana Rivera', at(20, 20, 'Ship To: Ana Rivera')],
    ['Ana', at(20, 20, 'Ship To: Ana')],
    ['', at(20, 20, 'Ship To: An')],
    ['Ana Rivera', '^FO9,9^A0N,30^FB400,4^FDShip to:\\&Attn: Ana Rivera\\&18 Quarry Lane^FS'],
    ['', `${at(20, 20, 'SHIP TO:')}${at(20, 50, '18 Quarry Lane')}`],
    ['', `${at(20, 20, 'SHIP TO:')}${at(20, 900, 'Ana Rivera')}`],
    ['', `${at(20, 20, 'SHIP TO:')}${at(20, 50, 'FROM:')}${at(20, 80, 'Shop Ltd')}`],
    ['', `${at(20, 20, 'to')}${at(20, 50, 'Ana Rivera')}`],
    ['', `${at(20, 20, 'Ana Rivera')}`],
    ['', `^CI0${at(20, 20, 'SHIP TO:')}^FO20,50^A0N,28^FH^FDJ_81rgen^FS`],
  ]
  for (const [wanted, fields] of cases) t.equal(name(`^XA${fields}^XZ`), wanted, fields)
  t.end()
})

t.test('real fixtures, other prefixes, and what is not a label', (t) => {
  t.equal(name(upsLikeZpl), 'ANA RIVERA', 'the check digit of its number is wrong')
  t.not(name(fedexLikeZpl), '')
  t.equal(name('^CC++XA+FO9,9+A0N,30+FDSHIP TO: Ana Rivera+FS+XZ'), 'Ana Rivera')
  t.equal(name(readFileSync(join(import.meta.dirname, '../../../golden/labels/shelf-0.zpl'))), '')
  t.equal(name(Buffer.from('89504e470d0a1a0a', 'hex'), 'png'), '')
  t.end()
})

t.test('bounded: whatever a label holds, it is looked at in milliseconds', (t) => {
  const many = `^XA${'^FO1,1^FDSHIP TO:^FS'.repeat(100_000)}^XZ`
  const long = `^XA^FD${'1Z 999 AA1 01 2345 678 '.repeat(50_000)}^FS^XZ`
  const lines = `N\n${'A1,1,0,1,1,1,N,"'.repeat(50_000)}\nP1\n`
  const hex = `^XA^FH^FD${'_'.repeat(200_000)}^FS^XZ`
  for (const [label, format] of [
    [many, 'zpl'],
    [long, 'zpl'],
    [lines, 'epl'],
    [hex, 'zpl'],
  ] as const) {
    const before = process.cpuUsage()
    name(label, format)
    const { user, system } = process.cpuUsage(before)
    t.ok(user + system < 400_000, `${format} ${user + system} µs`)
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      for (const format of ['zpl', 'epl', 'tspl']) nameLabel(bytes, format)
    }),
  )
  t.ok(readTexts(Buffer.from(many), 'zpl').length <= 400)
  t.end()
})

t.test('texts of EPL and TSPL stand where their commands say', (t) => {
  const of = (format: string, label: string) =>
    readTexts(Buffer.from(label, 'latin1'), format).map(({ text, isBars, x, y, turn }) => [
      text,
      isBars,
      x,
      y,
      turn,
    ])
  const epl: readonly (readonly [string, readonly unknown[]])[] = [
    ['A30,20,0,4,1,1,N,"TO"', ['TO', false, 30, 20, 0]],
    ['  A30,20,3,4,1,1,R,"TO"', ['TO', false, 30, 20, 3]],
    ['B5,6,1,1,2,4,60,B,"1Z9"', ['1Z9', true, 5, 6, 1]],
    ['b7,8,Q,"HTTPS"', ['HTTPS', true, 7, 8, 0]],
    ['A1,2,0,4,1,1,N,"a \\"b\\" \\\\"', ['a "b" \\', false, 1, 2, 0]],
  ]
  for (const [line, wanted] of epl) t.same(of('epl', `N\n${line}\nP1\n`), [wanted], line)
  const turned = (turn: string) => of('tspl', `TEXT 10,20,"3",${turn},1,1,"TO"\r\n`)[0]?.[4]
  t.same(
    ['0', '90', '180', '270', '360', '450', '-90', '-180', '45', 'x'].map(turned),
    [0, 1, 2, 3, 0, 1, 3, 2, 0, 0],
  )
  const tspl: readonly (readonly [string, readonly unknown[]])[] = [
    ['text 10 , 20 , "3" , 90, 1, 1, "TO"', ['TO', false, 10, 20, 1]],
    ['BLOCK 1,2,300,80,"0",180,8,8,"Jane Doe"', ['Jane Doe', false, 1, 2, 2]],
    ['BARCODE 3,4,"128",100,1,90,2,2,"1Z9"', ['1Z9', true, 3, 4, 0]],
    ['TEXT 1,2,"3",0,1,1,"4\\["] by 6\\["]"', ['4" by 6"', false, 1, 2, 0]],
  ]
  for (const [line, wanted] of tspl) t.same(of('tspl', `CLS\r\n${line}\r\n`), [wanted], line)
  t.same(of('tspl', 'BITMAP 0,0,1,9,0,A1,1,"x"\n\nTEXT 1,2,"3",0,1,1,"y"\n').length, 1, 'no dots')
  for (const odd of ['TEXT 1,"3",0,1,1,"x"', 'PRINT 1', 'TEXT 1,2,"3",0,1,1,"  "', 'C1,2,0,"x"']) {
    t.same([of('tspl', `${odd}\n`), of('epl', `${odd}\n`)], [[], []], odd)
  }
  t.same(of('png', 'A30,20,0,4,1,1,N,"TO"\n'), [])
  t.end()
})

t.test('of a label a bounded number of texts is looked at, each of bounded length', (t) => {
  const line = (text: string): string => `A30,20,0,4,1,1,N,"${text}"\n`
  const count = (label: string): number => readTexts(Buffer.from(label), 'epl').length
  t.equal(count(line('x').repeat(400)), 400)
  t.equal(count(line('x').repeat(401)), 400)
  const around = line('').length - 1
  t.equal(count(line('x'.repeat(999 - around))), 1, 'a line of 999 letters')
  t.equal(count(line('x'.repeat(1_000 - around))), 0, 'one of 1,000')
  const late = (bytes: number) => `${'\n'.repeat(bytes)}${line('x')}`
  t.equal(count(late(256 * 1024 - line('x').length)), 1)
  t.equal(count(late(256 * 1024)), 0, 'behind 256 KB')
  t.end()
})

t.test('texts of ZPL stand where their fields say', (t) => {
  const of = (label: string) =>
    readTexts(Buffer.from(label, 'latin1'), 'zpl').map(({ text, isBars, x, y, turn }) => [
      text,
      isBars,
      x,
      y,
      turn,
    ])
  const cases: readonly (readonly [string, readonly (readonly unknown[])[]])[] = [
    ['^FO30,20^A0N,40^FDTO^FS', [['TO', false, 30, 20, 0]]],
    ['^FT30,20^FDTO^FS', [['TO', false, 30, 20, 0]]],
    ['^FO,20^FDTO^FS', [['TO', false, 0, 20, 0]]],
    ['^FO30^FDTO^FS', [['TO', false, 30, 0, 0]]],
    ['^FDTO^FS', [['TO', false, 0, 0, 0]]],
    ['^FO1,2^A0R^FDTO^FS', [['TO', false, 1, 2, 1]]],
    ['^FO1,2^A0I^FDTO^FS', [['TO', false, 1, 2, 2]]],
    ['^FO1,2^A0b^FDTO^FS', [['TO', false, 1, 2, 3]]],
    ['^FO1,2^A0X^FDTO^FS', [['TO', false, 1, 2, 0]]],
    [
      '^FWR^FO1,2^FDTO^FS^FO3,4^A0N^FDx^FS',
      [
        ['TO', false, 1, 2, 1],
        ['x', false, 3, 4, 0],
      ],
    ],
    ['^FWR^FS^FO1,2^FDTO^FS', [['TO', false, 1, 2, 1]]],
    ['^FWR^FS^FWX^FS^FO1,2^FDTO^FS', [['TO', false, 1, 2, 1]]],
    ['^BY3,2,100^FO1,2^BCN,100^FD1Z9^FS', [['1Z9', true, 1, 2, 0]]],
    [
      '^FO1,2^BCB,100^FD1Z9^FS^FO3,4^FDx^FS',
      [
        ['1Z9', true, 1, 2, 3],
        ['x', false, 3, 4, 0],
      ],
    ],
    [
      '^FO1,2^FVTO^FS^FO3,4^SN001,1,Y^FS',
      [
        ['TO', false, 1, 2, 0],
        ['001,1,Y', false, 3, 4, 0],
      ],
    ],
    [
      '^FO1,2^FDone^FO3,4^FDtwo^FS',
      [
        ['one', false, 1, 2, 0],
        ['two', false, 3, 4, 0],
      ],
    ],
    ['^FO9,9^FO1,2^FDTO^FS', [['TO', false, 1, 2, 0]]],
    [
      '^FO1,2^FDone^XZ^XA^FDtwo^FS',
      [
        ['one', false, 1, 2, 0],
        ['two', false, 0, 0, 0],
      ],
    ],
    ['^FO1,2^FDfirst^FDsecond^FS', [['first', false, 1, 2, 0]]],
    ['^FO1,2^FH^FDM_81ller_2C _4 _zz^FS', []],
    ['^FO1,2^FH^FDa_2Cb_4 _zz^FS', [['a,b_4 _zz', false, 1, 2, 0]]],
    [String.raw`^FO1,2^FH\^FDa\2Cb_2C^FS`, [['a,b_2C', false, 1, 2, 0]]],
    ['^CI28^FO1,2^FH^FDM_C3_BCller^FS', [['M\u00fcller', false, 1, 2, 0]]],
    ['^CI27^FO1,2^FH^FDM_FCller^FS', [['M\u00fcller', false, 1, 2, 0]]],
    ['^CI31^FO1,2^FH^FDW_B9sik^FS', [['W\u0105sik', false, 1, 2, 0]]],
    ['^CI33^FO1,2^FH^FD_C6_E4_E0_ED^FS', [['\u0416\u0434\u0430\u043d', false, 1, 2, 0]]],
    ['^CI13^FO1,2^FH^FDM_FCller^FS', []],
    [
      String.raw`^FO1,2^FB300,3^FDone\&two^FS`,
      [
        ['one', false, 1, 2, 0],
        ['two', false, 1, 26, 0],
      ],
    ],
    [
      String.raw`^FO100,200^A0R^TBR,300,80^FDone\&two^FS`,
      [
        ['one', false, 100, 200, 1],
        ['two', false, 76, 200, 1],
      ],
    ],
    [
      String.raw`^FO100,200^A0B^FB300^FDone\&two^FS`,
      [
        ['one', false, 100, 200, 3],
        ['two', false, 124, 200, 3],
      ],
    ],
    [String.raw`^FO1,2^FDone\&two^FS`, [[String.raw`one\&two`, false, 1, 2, 0]]],
    ['^FO1,2^FDa\r\nb^FS', [['a b', false, 1, 2, 0]]],
    ['^FO1,2^FD ^FS', []],
    ['^FO1,2^FS', []],
  ]
  for (const [label, wanted] of cases) t.same(of(`^XA${label}^XZ`), wanted, label)
  const [long] = of(`^XA^FD${'x'.repeat(700)}^FS^XZ`)
  t.equal(String(long?.[0]).length, 600)
  t.end()
})

t.test('texts of EPL and TSPL are read in the code page that the label names', (t) => {
  const of = (label: string, format: string) =>
    readTexts(Buffer.from(label, 'latin1'), format).map(({ text }) => text)
  const epl = (page: string, text: string) => of(`N\n${page}A9,9,0,3,1,1,N,"${text}"\nP1\n`, 'epl')
  t.same(epl('I8,A,001\n', 'M\xfcller'), ['M\u00fcller'])
  t.same(epl('I8,B\n', 'W\xb9sik'), ['W\u0105sik'])
  t.same(epl('I8,A\nI8,1\n', 'M\xfcller'), [], 'the last one counts')
  t.same(epl('', 'M\xfcller'), [])
  const tspl = (page: string, text: string) =>
    of(`SIZE 4,6\nCLS\n${page}TEXT 9,9,"3",0,1,1,"${text}"\nPRINT 1\n`, 'tspl')
  t.same(tspl('CODEPAGE 1251\n', '\xc6\xe4\xe0\xed'), ['\u0416\u0434\u0430\u043d'])
  t.same(tspl('codepage 8859-1\n', 'M\xfcller'), ['M\u00fcller'])
  t.same(tspl('CODEPAGE 1252\n', 'M\xc3\xbcller'), ['M\u00fcller'], 'UTF-8 is seen as such')
  t.same(tspl('CODEPAGE 850\n', 'M\xfcller'), [])
  t.end()
})

t.test('a name is without the marks of direction around it', (t) => {
  const of = (text: string) => name(`^XA^CI28^FO9,9^FDSHIP TO:^FS^FO9,40^FD${text}^FS^XZ`)
  t.equal(
    of('\u202b\u05d3\u05e0\u05d9 \u05db\u05d4\u05df\u202c'),
    '\u05d3\u05e0\u05d9 \u05db\u05d4\u05df',
  )
  t.equal(of('Ann\u202e Smith'), 'Ann Smith')
  t.equal(of('Ann\u0007Smith\u2069'), 'Ann Smith')
  t.end()
})

t.test('a line of quotes is no text of TSPL, and known so at once', (t) => {
  const line = `TEXT 1,1,${'"",'.repeat(325)}x`
  t.same(readTexts(Buffer.from(line), 'tspl'), [])
  t.match(readTexts(Buffer.from('BLOCK 1,2,300,80, "0" ,90,8,8,"a "b" c" '), 'tspl'), [
    { text: 'a "b" c', x: 1, y: 2, turn: 1 },
  ])
  const label = `SIZE 4,6\nCLS\n${`${line}\n`.repeat(60)}PRINT 1\n`
  const ms = processorMs(() => t.equal(name(label, 'tspl'), ''))
  // 20 ms; with each quote as the end of each text before it, 9 s.
  t.ok(ms < 3_000, `${ms.toFixed(0)} ms`)
  t.end()
})

t.test('no line end is looked for behind each of many graphics', (t) => {
  for (const [label, format] of [
    ['GW1,1,0,0,', 'epl'],
    ['BITMAP 1,1,0,0,0,', 'tspl'],
  ] as const) {
    const many = label.repeat(256_000 / label.length)
    const ms = processorMs(() => t.equal(name(many, format), ''))
    t.ok(ms < 1_000, `${format} took ${ms} ms`)
  }
  t.end()
})

t.test('the words of a label are looked at once, however many numbers it has', (t) => {
  const numberOf = (n: number): string => `RB${String(n).padStart(9, '1')}GB`
  const line = (n: number): string =>
    Array.from({ length: 42 }, (_, place) => numberOf(42 * n + place)).join(' ')
  const lines = Array.from({ length: 400 }, (_, n) => `^FO9,${n}^FD${line(n)}^FS`)
  const label = Buffer.from(`^XA${lines.join('')}^XZ`)
  const ms = processorMs(() => {
    for (let n = 0; n < 10; n += 1) t.equal(name(label), '')
  })
  // 0.4 s; once for each number, 7 s, and a request may bring 60 such labels.
  t.ok(ms < 3_000, `${ms.toFixed(0)} ms`)
  t.end()
})
