import { deepStrictEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { decodeBase64 } from '../../../src/core/request/base64.ts'
import { parseJson } from '../../../src/core/request/bounded-json.ts'
import { CutJson, LONG_BYTES, LongText } from '../../../src/core/request/long-texts.ts'
import { PlatenError } from '../../../src/words/errors.ts'

const BOUNDS = { jsonDepth: 20, jsonValues: 500 } as const
/** Texts of more bytes are long ones in these tests. */
const LONG = 12

type Outcome = { readonly value: unknown } | { readonly fault: string }

function outcomeOf(run: () => unknown): Outcome {
  try {
    return { value: run() }
  } catch (error) {
    if (error instanceof PlatenError) return { fault: error.message }
    throw error
  }
}

function readLarge(bytes: Uint8Array, longBytes = LONG): Outcome {
  return outcomeOf(() => parseLarge(bytes, longBytes))
}

function parseLarge(bytes: Uint8Array, longBytes = LONG): unknown {
  const cut = new CutJson(Buffer.from(bytes), BOUNDS, 'The body', longBytes)
  const text = cut.text.startsWith('\ufeff') ? cut.text.slice(1) : cut.text
  return parseJson(text, BOUNDS, 'The body', cut)
}

function bytesOf(take: () => Uint8Array): string {
  const outcome = outcomeOf(take)
  return 'value' in outcome ? Buffer.from(outcome.value as Uint8Array).toString('hex') : 'no base64'
}

/** Both values with every text that came as a long one replaced by the hexadecimal of its label. */
function pair(theirs: unknown, ours: unknown): readonly [unknown, unknown] {
  if (ours instanceof LongText) {
    if (typeof theirs !== 'string') return [theirs, 'a long text']
    return [bytesOf(() => decodeBase64(theirs)), bytesOf(() => ours.decode())]
  }
  if (!isTree(ours) || !isTree(theirs)) return [theirs, ours]
  const names = Object.keys(ours)
  if (String(names) !== String(Object.keys(theirs))) return [Object.keys(theirs), names]
  const both = names.map((name) => pair(theirs[name], ours[name]))
  return [both.map(([one]) => one), both.map(([, other]) => other)]
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Characters of a text between quotes as PHP, Python and careless senders write them. */
const letter = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...'ABCDabcd0189+/=-_ ') },
  {
    weight: 6,
    arbitrary: fc.constantFrom('\\/', '\\n', '\\r', '\\u002b', '\\u002F', '\\t', '\\"'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\\\', '\\b', '\\f', '\\u0141', '\\ud83d\\ude00', 'é', '😀'),
  },
)
const label = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Buffer.from(bytes).toString('base64').replaceAll('/', '\\/'))
const text = fc
  .oneof(
    label,
    fc.array(letter, { maxLength: 40 }).map((letters) => letters.join('')),
  )
  .map((inner) => `"${inner}"`)
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, text, fc.constantFrom('null', 'true', '-1.5e3', '0', ' 7 ', '""')),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[ ${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'label', '__proto__'), tie('json')), {
        maxLength: 4,
      })
      .map((entries) => `{${entries.map(([name, item]) => `"${name}": ${item}`).join(',')}}`),
  ),
}))

t.test('what JSON.parse reads is read alike', (t) => {
  fc.assert(
    fc.property(json, (source) => {
      const [theirs, ours] = pair(JSON.parse(source), takenOf(readLarge(Buffer.from(source))))
      deepStrictEqual(ours, theirs)
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

function takenOf(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value
  throw new Error(outcome.fault)
}

function hasLongName(json: string): boolean {
  const names = json.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g) ?? []
  return names.some((name) => Buffer.byteLength(name) - 2 > LONG)
}

t.test('what JSON.parse refuses is refused alike', (t) => {
  const damage = fc.tuple(
    fc.nat(400),
    fc.constantFrom(
      '',
      '"',
      '\\',
      '\n',
      '\u0000',
      '{',
      ']',
      ',',
      ':',
      'x',
      '\\x',
      '\\u12',
      '\\u00g1',
      '"\\',
    ),
    fc.nat(3),
  )
  let refused = 0
  fc.assert(
    fc.property(json, fc.array(damage, { maxLength: 3 }), (source, damages) => {
      let broken = source
      for (const [place, put, cut] of damages) {
        const at = place % (broken.length + 1)
        broken = broken.slice(0, at) + put + broken.slice(at + cut)
      }
      broken = broken.toWellFormed() // a body is UTF-8: there is no half of a 😀
      const theirs = outcomeOf(() => parseJson(broken, BOUNDS))
      const ours = readLarge(Buffer.from(broken))
      if ('value' in theirs) {
        const [wanted, found] = pair(theirs.value, takenOf(ours))
        // A long name is a mark; what it names is compared elsewhere.
        if (!hasLongName(broken)) deepStrictEqual(found, wanted)
        return
      }
      refused++
      if (!('fault' in ours)) throw new Error(`took ${JSON.stringify(broken)}`)
      const place = (fault: string): number => Number(/offset (\d+)/.exec(fault)?.[1] ?? -1)
      const isAscii = Buffer.byteLength(broken) === broken.length
      const distance = Math.abs(place(theirs.fault) - place(ours.fault))
      if (isAscii && distance > 6) {
        throw new Error(`${JSON.stringify(broken)}: ${theirs.fault} but ${ours.fault}`)
      }
    }),
    { numRuns: 4_000 },
  )
  t.ok(refused > 500, `${refused} refused`)
  t.end()
})

t.test('any bytes at all are taken or refused as JSON.parse does', (t) => {
  const byte = fc.oneof(fc.constantFrom(...Buffer.from('"\\[]{},:u09 \n')), fc.nat(255))
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (list) => {
      const bytes = Uint8Array.from(list)
      const theirs = outcomeOf(() => {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
        try {
          return parseJson(text.decode(bytes), BOUNDS)
        } catch (error) {
          throw error instanceof PlatenError ? error : new PlatenError('BODY_BROKEN', 'not UTF-8')
        }
      })
      equal('value' in readLarge(bytes), 'value' in theirs)
    }),
    { numRuns: 3_000 },
  )
  t.end()
})

t.test('a name that stands twice has its last label, a long name is not a label', (t) => {
  const [first, second] = ['A'.repeat(40), 'B'.repeat(44)]
  const name = 'n'.repeat(40)
  const source = `\ufeff{"label":"${first}","label":"${second}","${name}":"${first}"}`
  const value = parseLarge(Buffer.from(source)) as Record<string, unknown>
  const { label } = value
  t.type(label, LongText)
  t.equal(
    bytesOf(() => (label as LongText).decode()),
    Buffer.from(second, 'base64').toString('hex'),
  )
  t.equal(Object.keys(value).length, 2)
  t.notOk(name in value)
  t.end()
})

t.test('a fault in a long text waits until it is taken for a label', (t) => {
  const source = `["${'A'.repeat(50)}\\u0141${'A'.repeat(50)}","${'A'.repeat(60)}?AAA"]`
  const [wide, junk] = parseLarge(Buffer.from(source)) as [LongText, LongText]
  t.throws(() => wide.decode(), { code: 'LABEL_BASE64', message: /U\+0141 at offset 50/ })
  t.throws(() => junk.decode(), { code: 'LABEL_BASE64', message: /"\?" at offset 60/ })
  t.end()
})

t.test('depth and values are bounded, and what is not UTF-8 is refused', (t) => {
  const faultOf = (bytes: Uint8Array): string => {
    const outcome = readLarge(bytes)
    return 'fault' in outcome ? outcome.fault : 'none'
  }
  t.match(faultOf(Buffer.from('['.repeat(21))), /nested deeper than 20/)
  t.match(faultOf(Buffer.from(`[${'0,'.repeat(500)}0]`)), /more than 500 values/)
  t.match(faultOf(Buffer.from(`["${'[,'.repeat(600)}"]`)), 'none')
  for (const bad of [[0x22, 0xc3, 0x22], [0x22, 0xe2, 0x82], [0xff]]) {
    t.equal(faultOf(Uint8Array.from(bad)), 'The body is not UTF-8 text.')
  }
  t.match(faultOf(Buffer.from(`"${'\\'.repeat(3_000_001)}`)), /not valid JSON/)
  t.match(faultOf(Buffer.from(`{"a":"${'A'.repeat(100)}`)), /offset 106/)
  t.end()
})

t.test('texts of up to 32 KB stay texts', (t) => {
  for (const bytes of [LONG_BYTES, LONG_BYTES + 1]) {
    const body = Buffer.from(JSON.stringify(['A'.repeat(bytes)]))
    const [value] = parseLarge(body, LONG_BYTES) as [unknown]
    t.equal(typeof value === 'string', bytes === LONG_BYTES)
  }
  t.end()
})
