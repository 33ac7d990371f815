import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { detectFormat, type LabelFormat } from '../../../src/labels/detect/detect.ts'
import { scanLabel } from '../../../src/labels/languages/index.ts'
import { findPrefix } from '../../../src/labels/languages/zpl/data.ts'
import * as rawLabels from '../../label-makers/raw.ts'
import { processorMs } from '../processor-time.ts'

const GOLDEN = new URL('../../golden/labels/', import.meta.url)
const FORMATS = ['zpl', 'epl', 'tspl'] as const

function findCommands(
  label: Uint8Array,
  format: LabelFormat,
): ReturnType<typeof scanLabel>['commands'] {
  return scanLabel(label, format).commands
}

function commandsOf(label: string | Uint8Array, format: LabelFormat = 'zpl'): readonly string[] {
  const bytes = typeof label === 'string' ? Buffer.from(label, 'latin1') : label
  return findCommands(bytes, format).map(({ command }) => command)
}

/** Lists the commands that are a reason to refuse a label. */
function spoilersOf(label: Uint8Array, format: LabelFormat): readonly string[] {
  return findCommands(label, format).flatMap(({ command, isCommon }) => (isCommon ? [] : [command]))
}

/** Every command of the facts' table: in the form that spoils a printer, and in one that does not. */
const ZPL: readonly (readonly [spoils: string, named: string, harmless: string])[] = [
  ['^XA^JUS^XZ', '^JUS', '^XA^FDJUS^FS^XZ'],
  ['^XA^JUF^XZ', '^JUF', '^XA^JUX^XZ'],
  ['^XA^JUN^XZ', '^JUN', '^XA^FH^FD_5EJUN^FS^XZ'],
  ['^XA^jur^XZ', '^JUR', '^XA^FXJUR^FS^XZ'],
  ['~JR', '~JR', '^XA^FDJR^FS^XZ'],
  ['~JA', '~JA', '^XA^JA^XZ'],
  ['~JC', '~JC', '^XA^JC^XZ'],
  ['~JG', '~JG', '^XA^FDG~^FS^XZ'],
  ['~JL', '~JL', '^XA^LL1218^XZ'],
  ['~JSN', '~JS', '^XA^JSA^XZ'],
  ['~JD', '~JD', '^XA^JDx^XZ'],
  ['~JE', '~JE', '^XA^FDE^FS^XZ'],
  ['^XA^JBE^XZ', '^JB', '^XA^BY2^XZ'],
  ['^XA^IDE:*.*^FS^XZ', '^ID', '^XA^IDR:LOGO.GRF^FS^XZ'],
  ['^XA^ID*.*^FS^XZ', '^ID', '^XA^IDLOGO.GRF^FS^XZ'],
  ['~DBE:F.FNT,1,1', '~DB', '~DBR:F.FNT,1,1'],
  ['~DEE:T.DAT,4,0000', '~DE', '~DER:T.DAT,4,0000'],
  ['~DLE:X', '~DL', '~DLR:X'],
  ['~DSB:F.FNT,2,00', '~DS', '~DSR:F.FNT,2,00'],
  ['~DTE:F.DAT,2,00', '~DT', '~DTR:F.DAT,2,00'],
  ['~DUE:F.FNT,2,00', '~DU', '~DUF.FNT,2,00'],
  ['~DYE:F,A,T,2,,00', '~DY', '~DYR:F,A,T,2,,00'],
  ['~DGE:L.GRF,2,1,00FF', '~DG', '~DGR:L.GRF,2,1,00FF'],
  ['^XA^DFE:F.ZPL^FS^XZ', '^DF', '^XA^DFR:F.ZPL^FS^XZ'],
  ['^XA^ISE:F.GRF,N^XZ', '^IS', '^XA^ISR:F.GRF,N^XZ'],
  ['^XA^TOR:A.GRF,E:A.GRF^XZ', '^TO', '^XA^TOE:A.GRF,R:A.GRF^XZ'],
  ['^XA^KP1234^XZ', '^KP', '^XA^FDKP^FS^XZ'],
  ['^XA^KL2^XZ', '^KL', '^XA^FDKL^FS^XZ'],
  ['^XA^KNbox^XZ', '^KN', '^XA^FDKN^FS^XZ'],
  ['^XA^KD1^XZ', '^KD', '^XA^FDKD^FS^XZ'],
  ['^XA^SC9600^XZ', '^SC', '^XA^SNA,1,Y^XZ'],
  ['^XA^SEE:GB.DAT^XZ', '^SE', '^XA^SFdd^XZ'],
  ['^XA^SR1000^XZ', '^SR', '~TA000'],
  ['^XA^SS1,2^XZ', '^SS', '^XA^SPnone^XZ'],
  ['^XA^SZ1^XZ', '^SZ', '^XA^SZ2^XZ'],
  ['^XA^SXA,B,Y,Y^XZ', '^SX', '^XA^FDSX^FS^XZ'],
  ['^XA^SQA^XZ', '^SQ', '^XA^FDSQ^FS^XZ'],
  ['^XA^ND2,P^XZ', '^ND', '^XA^FN1^XZ'],
  ['^XA^NS1^XZ', '^NS', '^XA^FDNS^FS^XZ'],
  ['^XA^NC1^XZ', '^NC', '^XA^FDNC^FS^XZ'],
  ['^XA^NI001^XZ', '^NI', '^XA^FDNI^FS^XZ'],
  ['^XA^WX1^XZ', '^WX', '^XA^WTdata^XZ'],
  ['^XA^WD*:*.*^XZ', '^WD', '^XA^FWN^XZ'],
  ['^XA^MPE^XZ', '^MP', '^XA^MFN^XZ'],
  ['^XA^JH0^XZ', '^JH', '^XA^FDJH^FS^XZ'],
  ['^XA^JT0100^XZ', '^JT', '^XA^JZY^XZ'],
  ['^XA^JIA.BAS^XZ', '^JI', '^XA^FDJI^FS^XZ'],
  ['~JI', '~JI', '^XA^FDI~^FS^XZ'],
  ['^XA^JMB^FS^XZ', '^JMB', '^XA^JMA^FS^XZ'],
  ['^CC+ +XA+XZ', '^CC', '^CC+ +XA+CC^ ^XZ'],
  ['^CD; ^XA^XZ', '^CD', '^XA^CD,^XZ'],
  ['^CT+ ^XA^XZ', '^CT', 'CT~~CD,~CC^~CT~^XA^XZ'],
  ['~WC', '~WC', '^XA^FDWC^FS^XZ'],
  ['~WL', '~WL', '^XA^FDWL^FS^XZ'],
  ['~JN', '~JN', '^XA^FDJN^FS^XZ'],
  ['^XA^ZZ60,Y^XZ', '^ZZ', '^XA^FDZZ^FS^XZ'],
  ['^XA^XZ\r\n! U1 setvar "a.b" "c"\r\n', '! U1 setvar', '^XA^XZ\r\n! U1 getvar "a.b"\r\n'],
  ['^XA^XZ! U setvar "a" "b" END ', '! U1 setvar', '^XA^FD! U setvar "a"^FS^XZ'],
  ['^XA^XZ\n! U getvar "x"\nsetvar "a" "b"\nEND ', '! U1 setvar', '^XA^XZ\nsetvar is a word\n'],
  ['^XA^XZ\n! U1 do "device.reset" ""\n', '! U1 do', '^XA^XZ\n! U1 dodo\n'],
  ['^XA^XZ{}{"device.name":"x"}', '{}{', '^XA^FD{}{x^FS^XZ'],
  ['^XA^XZ\nS00600004844521B\nS315', 'S-records', '^XA^XZ\nS006\n'],
]

const EPL: readonly (readonly [string, string, string])[] = [
  ['FK"*"', 'FK', 'FR"F"'],
  ['FS"F"', 'FS', 'FE'],
  ['GK"N"', 'GK', 'GG10,10,"N"'],
  ['GM"N"4\n^XA^', 'GM', 'GI'],
  ['EK"A"', 'EK', 'EI'],
  ['ES"A",1,2', 'ES', 'A1,1,0,1,1,1,N,"ES\\"A"'],
  ['M1,2,3', 'M', 'A1,1,0,1,1,1,N,"M1"'],
  ['Y96,N,8,1', 'Y', 'N'],
  ['U', 'U', 'UN'],
  ['UP', 'UP', 'UQ'],
  ['dump', 'dump', 'D10'],
  ['^@', '^@', '^ee'],
  ['^default', '^default', 'OD'],
  ['! U1 setvar "a" "b"', '! U1 setvar', 'Q1218,24'],
  ['{}{"a":1}', '{}{', 'q812'],
  ['^XA^KP1^XZ', '^KP', 'A1,1,0,1,1,1,N,"^XA^KP1^XZ"'],
]

const TSPL: readonly (readonly [string, string, string])[] = [
  ['INITIALPRINTER', 'INITIALPRINTER', 'TEXT 1,1,"3",0,1,1,"INITIALPRINTER"'],
  ['FORMAT', 'FORMAT', 'FORMAT$(1)'],
  ['KILL F,"*.*"', 'KILL', 'CLS'],
  ['DOWNLOAD F,"A.PCX",3,abc', 'DOWNLOAD', 'DIRECTION 0,0'],
  ['set com1 96,N,8,1', 'SET COM1', 'SET COUNTER @1 1'],
  ['SET TEAR ON', 'SET TEAR', 'SETBAR 1'],
  ['SELFTEST', 'SELFTEST', 'SPEED 4'],
  ['MOVE', 'MOVE', 'GAP 3 mm,0 mm'],
  ['COPY F,"A","B"', 'COPY', 'CODEPAGE UTF-8'],
  ['RUN "A.BAS"', 'RUN', 'REFERENCE 0,0'],
  ['AUTODETECT', 'AUTODETECT', 'BAR 1,1,1,1'],
  ['WLAN SSID "x"', 'WLAN', 'PRINT 1,1'],
  ['NET DHCP', 'NET', 'BITMAP 0,0,1,1,0,x'],
  ['\u001b!R', 'ESC !R', '\u001b!?'],
]

t.test('finds every command that spoils a printer, and not its harmless form', (t) => {
  for (const [spoils, named, harmless] of ZPL) {
    t.same(commandsOf(spoils), [named], spoils)
    t.same(commandsOf(harmless), [], harmless)
  }
  for (const [spoils, named, harmless] of EPL) {
    t.same(commandsOf(`\nN\n${spoils}\nP1\n`, 'epl'), [named], spoils)
    t.same(commandsOf(`\nN\n${harmless}\nP1\n`, 'epl'), [], harmless)
  }
  for (const [spoils, named, harmless] of TSPL) {
    t.same(commandsOf(`SIZE 4,6\r\nCLS\r\n  ${spoils}\r\nPRINT 1\r\n`, 'tspl'), [named], spoils)
    t.same(commandsOf(`SIZE 4,6\r\nCLS\r\n${harmless}\r\nPRINT 1\r\n`, 'tspl'), [], harmless)
  }
  t.end()
})

/** Commands counted in eight labels of real carriers. */
const CARRIERS =
  '^FS ^FO ^A0 ^FD ^FH ^FT ^GB ^FW ^FV ^FB ^GF ^BY ^BC ^CI ^PW ^LH ^PO ^GD ^PR ^PQ ^MN ^LR ~SD ~DG ^XG ^MM ^MF ^MC ^LS ^LL ^CV ' +
  '^BX ^BD ~TA ~JS ^XB ^PM ^MT ^MD ^LT ^JU ^JM ^FR ^DN ^B7 ^B3'

t.test('what stands in labels of real carriers is never a reason to refuse one', (t) => {
  for (const command of CARRIERS.split(' ')) {
    for (const parameters of ['', 'S', 'F', 'N', 'R', 'B', 'A', 'E:X.GRF,1,1,00', '1,2', 'Y']) {
      const label = Buffer.from(`^XA${command}${parameters}^XZ`)
      const refused = findCommands(label, 'zpl').filter(({ isCommon }) => !isCommon)
      t.same(refused, [], `${command}${parameters}`)
    }
  }
  t.end()
})

t.test('finds nothing in ordinary labels, our own golden ones among them', (t) => {
  for (const [name, label] of Object.entries(rawLabels)) {
    if (label instanceof Uint8Array) t.same(spoilersOf(label, detectFormat(label)), [], name)
  }
  for (const name of readdirSync(GOLDEN)) {
    const label = readFileSync(new URL(name, GOLDEN))
    const format = FORMATS.find((each) => name.endsWith(`.${each}`))
    if (format !== undefined) t.same(spoilersOf(label, format), [], name)
  }
  t.end()
})

/** A mode that goes on for the labels after it, and the same set back or never switched. */
const MODES: readonly (readonly [leaves: string, named: string, ...harmless: string[]])[] = [
  ['^MCN', '^MC', '^MCY', '^MCN^MCY'],
  ['^POI', '^PO', '^PON', '^POI^FDx^FS^PON'],
  ['^pmy', '^PM', '^PMN', '^PMY^PMN'],
  ['^LRY', '^LR', '^LRN', '^LRY^GB9,9,9^FS^LRN'],
  ['^MUI', '^MU', '^MUD', '^MUM^MUD'],
  ['^MUD,150,300', '^MU', '^MUD,150,300^MUD'],
  ['^FWR', '^FW', '^FWN', '^FWB^FWN'],
  ['^LH10,0', '^LH', '^LH0,0', '^LH9,9^LH0,0', '^LH'],
  ['^LS-20', '^LS', '^LS0', '^LS-20^LS0'],
  ['^LT8', '^LT', '^LT0', '^LT000'],
  ['^CI13', '^CI', '^CI0', '^CI28', '^CI27', '^CI13^CI28'],
  ['^CWK,E:X.TTF', '^CW', '^FD^FS'],
  ['^CF0,30', '^CF', '^A0N,30'],
  ['^MNM', '^MN', '^FDMNM^FS'],
  ['^MMC', '^MM', '^FDMMC^FS'],
  ['^MTD', '^MT', '^FDMTD^FS'],
  ['^MD10', '^MD', '^MD0', '^MD10^MD0'],
  ['~SD20', '~SD', '^FDSD^FS'],
  ['^PR4,4', '^PR', '^FDPR^FS'],
  ['^JMB', '^JMB', '^JMA'],
]

t.test('modes that a label leaves switched are told, and never a reason to refuse it', (t) => {
  for (const [leaves, named, ...harmless] of MODES) {
    for (const around of ['', '^FO9,9^FDx^FS', '^XZ^XA']) {
      const label = Buffer.from(`^XA${around}${leaves}${around}^XZ`)
      t.match(findCommands(label, 'zpl'), [{ command: named, isCommon: true }], leaves)
      t.equal(findCommands(label, 'zpl').length, 1)
    }
    for (const label of harmless) t.same(commandsOf(`^XA${label}^XZ`), [], label)
  }
  const all = Buffer.from(`^XA${MODES.map(([leaves]) => leaves).join('')}^XZ`)
  t.match(findCommands(all, 'zpl')[1], { command: '^MC', means: /^leaves what it drew/ })
  t.end()
})

t.test('a million switches take no second', (t) => {
  const label = Buffer.from(`^XA${'^LH0,0^FWR^CI13'.repeat(200_000)}^XZ`)
  const ms = processorMs(() => findCommands(label, 'zpl'))
  t.ok(ms < 5_000, `${ms} ms`)
  t.end()
})

/** Whatever a command says of its data, a mark in front of them says more. */
t.test('the mark of base64 decides, wherever it stands', (t) => {
  const data = 'eNr7/x8GGhj+'
  for (const kind of ['A', 'B', 'C', 'a', 'P', '']) {
    for (const [name, head] of [
      ['^GF', `^GF${kind},80,80,10,`],
      ['~DY', `~DYR:X,${kind},G,80,10,`],
      ['~DY', `~DYR:X,${kind},P,9999,,`],
      ['~DG', '~DGR:X.GRF,80,10,'],
    ] as const) {
      for (const mark of [':Z64:', ':B64:', ':z64:', '\r\n:Z64:']) {
        const whole = `^XA${head}${mark}${data}:8f39`
        const label = (text: string) => scanLabel(Buffer.from(text, 'latin1'), 'zpl')
        t.equal(label(whole).cut, undefined, whole)
        t.same(commandsOf(`${whole}^FS^KP1234^XZ`), ['^KP'], whole)
        t.equal(label(`^XA${head}${mark}${data}`).cut?.command, name, `${whole} is cut`)
      }
    }
  }
  t.end()
})

t.test('says what the commands do, and where', (t) => {
  const label = Buffer.from('^XA^FO1,1^JUS^XZ~JC^XA^KP1^ZZ^MPE^XZ')
  const findings = findCommands(label, 'zpl')
  const means = "saves settings into the printer's memory for good"
  t.match(findings[0], { command: '^JUS', means, offset: 9, isCommon: true })
  t.same(findCommands(label, 'png'), [], 'a picture is drawn by ourselves')
  t.end()
})

t.test('names each command once, however often it comes', (t) => {
  t.same(commandsOf('^XA^JUS^JUS^JUF^JUS^XZ'), ['^JUS', '^JUF'])
  t.end()
})

t.test('follows a label that changes its prefixes', (t) => {
  t.same(commandsOf('^XA^CC+^JUS+KP1+CC^^XZ'), ['^KP'], 'a caret is data then')
  t.same(commandsOf('~CC+~CT=+XA=JC^JUS+XZ'), ['~JC', '^CC'])
  t.same(commandsOf('^XA^CD;^GFB;4;4;1;^JUS^CD,^XZ'), [])
  t.same(commandsOf('^C'), [])
  t.end()
})

/** Bytes of a picture that hold commands in between. */
const payload = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom('^JUS', '~JR', '^XZ', '\nFK"*"\n', '\r\nKILL "*"\r\n'),
    ),
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))))

function join(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)))
}

t.test('never takes the bytes of a picture for commands, and goes on behind them', (t) => {
  fc.assert(
    fc.property(payload, fc.constantFrom('B', 'C', 'b'), (data, kind) => {
      const n = data.length
      t.same(commandsOf(join(`^XA^FO0,0^GF${kind},${n},${n},1,`, data, '^FS^KP1^XZ')), ['^KP'])
      t.same(commandsOf(join(`~DYR:A,${kind},G,${n},1,`, data, '^XA^KP1^XZ')), ['^KP'])
      t.same(commandsOf(join('N\n', `GW0,0,1,${n},`, data, 'Y96\nP1\n'), 'epl'), ['Y'])
      t.same(commandsOf(join('N\n', `GM"A"${n}\r\n`, data, 'Y96\nP1\n'), 'epl'), ['GM', 'Y'])
      t.same(commandsOf(join(`SIZE 4,6\nBITMAP 0,0,1,${n},0,`, data, '\r\nRUN "A"'), 'tspl'), [
        'RUN',
      ])
      t.same(commandsOf(join(`DOWNLOAD "A",${n},`, data, '\r\nRUN "A"'), 'tspl'), [
        'DOWNLOAD',
        'RUN',
      ])
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('packed dots of TSPL hide no command behind them and are none themselves', (t) => {
  const dots = 'x\x9c\nBT\x01\x80\nNET\n\nSET\x00\nKILL\xe9\nRUN "\x02"\n\x1b!R\n'
  const head = 'SIZE 4,6\nCLS\nBITMAP 0,0,99,99,3,'
  const packed = join(head, Buffer.from(dots, 'latin1'))
  t.same(commandsOf(join(packed, '\r\nPRINT 1\r\n'), 'tspl'), [])
  t.same(commandsOf(join(packed, '\r\nINITIALPRINTER\r\nPRINT 1\r\n'), 'tspl'), ['INITIALPRINTER'])
  t.same(commandsOf(join(packed, '\r\nNET DHCP'), 'tspl'), ['NET'])
  t.end()
})

t.test('hex, run lengths and base64 end at the next command', (t) => {
  t.same(commandsOf('^XA^GFA,4,4,1,FF00JUSG:Z64:abc/+=:1234^KP1^XZ'), ['^KP'])
  t.same(commandsOf('~DYE:A,P,P,9,,:Z64:abcd:1234^XA^XZ'), ['~DY'])
  t.same(commandsOf('~DYR:A,P,P,5,,\x89^JUS^XA^XZ'), [], 'a PNG as it is')
  t.same(commandsOf('^XA^GFB,x,4,1,^KP1^XZ'), ['^KP'], 'no count, no data')
  t.same(commandsOf('^XA^GFB,4'), [])
  t.same(commandsOf('^XA^GFB,4^FS^KP1,2,3,4,^XZ'), ['^KP'], 'a prefix ends the parameters')
  t.same(commandsOf('^XA^GFB,4~JA^KP1,2,3,4,^XZ'), ['~JA', '^KP'])
  t.same(commandsOf('~DYR:A'), [])
  t.end()
})

t.test('ends on any bytes, and never throws', (t) => {
  const pieces = fc.constantFrom(
    '^',
    '~',
    '^CC',
    '~CT',
    '^GFB,99,',
    'GW0,0,9,9,',
    '! U1 ',
    '{}{',
    'S1',
    '"',
    '\n',
    'BITMAP 0,0,9,9,0,',
    'SET ',
    '^XA',
  )
  const junk = fc.array(fc.oneof(pieces, fc.uint8Array({ maxLength: 8 })), { maxLength: 60 })
  fc.assert(
    fc.property(junk, (parts) => {
      const label = join(...(parts as string[]))
      for (const format of FORMATS) {
        for (const { offset } of findCommands(label, format)) t.ok(offset < label.length)
      }
    }),
    { numRuns: 500 },
  )
  t.end()
})

function timeOf(label: Buffer, format: LabelFormat): number {
  return processorMs(() => findCommands(label, format))
}

t.test('takes time in step with the length, whatever the bytes', (t) => {
  const hostile = [
    '^',
    '~',
    '^KP',
    '^CCa',
    '! U ',
    '! U1 setvax',
    '\n',
    'FK\n',
    '{}',
    '\nS1',
    '^GFB,1,1,1,',
    'SETX\n',
    'BITMAP ',
    ' ',
    '\t',
  ]
  for (const unit of hostile) {
    const label = Buffer.alloc(400_000, unit)
    for (const format of FORMATS) {
      const ms = timeOf(label, format)
      // About 20 ms, more under coverage; a walk that looks at the rest again and again takes minutes.
      t.ok(ms < 10_000, `${JSON.stringify(unit)} as ${format}: ${ms.toFixed(0)} ms`)
    }
  }
  t.end()
})

t.test('passes over four megabytes of graphics within a moment', (t) => {
  const head = '^XA^FO0,0^GFA,4000000,4000000,102,'
  const label = Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(4_000_000, '00FFa7'),
    Buffer.from('^JUS^XZ'),
  ])
  t.same(commandsOf(label), ['^JUS'])
  const ms = timeOf(label, 'zpl')
  t.comment(`${ms.toFixed(1)} ms`)
  // About 4 ms; far more under coverage on a busy machine.
  t.ok(ms < 10_000, `${ms} ms`)
  t.end()
})

t.test('looks for a prefix that comes no more only a piece at a time', (t) => {
  const fields = `~${'x'.repeat(80)}`.repeat(100_000)
  const label = Buffer.from(`^XA${fields}^JUS^XZ`)
  const ms = timeOf(label, 'zpl')
  // About 80 ms; looked for up to the end of the label from each field on, it takes 7 s, and 27 in a label of twice the length.
  t.ok(ms < 3_000, `${ms.toFixed(0)} ms`)
  t.same(commandsOf(label), ['^JUS'])
  t.end()
})

t.test('the next command is found wherever it begins, in a piece of a larger buffer too', (t) => {
  const prefixes = { caret: 0x5e, tilde: 0x7e }
  const places = fc.array(fc.nat(200), { maxLength: 3 })
  const property = fc.property(
    fc.integer({ min: 1, max: 200 }),
    fc.nat(220),
    places,
    places,
    (length, from, carets, tildes) => {
      const label = Buffer.alloc(240, '^0~0')
        .subarray(10, 10 + length)
        .fill('0')
      for (const at of carets) label.set([prefixes.caret], Math.min(at, length - 1))
      for (const at of tildes) label.set([prefixes.tilde], Math.min(at, length - 1))
      const next = /[\^~]|$/g
      next.lastIndex = Math.min(from, length)
      const wanted = Math.max(from, next.exec(label.toString())?.index ?? length)
      return findPrefix(label, from, prefixes) === wanted
    },
  )
  fc.assert(property, { numRuns: 2_000 })
  t.end()
})
