import fc from 'fast-check'
import t from 'tap'
import { PrinterFault } from '#printers'
import {
  decodeResponse,
  encodeRequest,
  MOST_BYTES,
} from '../../../../../src/printers/devices/cups/ipp-client.ts'
import { decodeMessage, encodeMessage, IppFault } from '../../../../../src/printers/ipp/codec.ts'
import {
  readFirst,
  readNumber,
  readText,
  readTexts,
} from '../../../../../src/printers/ipp/message.ts'
import { tries } from '../../../../random.ts'

const HEAD = [2, 0, 0, 0, 0, 0, 0, 7] // version 2.0, successful-ok, request 7

/** A value on the wire: tag, length and bytes of the name, length and bytes of the value. */
function value(tag: number, name: string, content: string | readonly number[]): number[] {
  const key = [...Buffer.from(name)]
  const bytes = typeof content === 'string' ? [...Buffer.from(content)] : [...content]
  const length = (of: number) => [of >> 8, of & 0xff]
  return [tag, ...length(key.length), ...key, ...length(bytes.length), ...bytes]
}

const answer = (...parts: readonly number[][]): Uint8Array =>
  Uint8Array.from([HEAD, ...parts].flat())

t.test('a request is laid out as the standard says', (t) => {
  const bytes = encodeRequest({
    operation: 0x4002,
    requestId: 1,
    attributes: [
      { name: 'last-document', tag: 'boolean', values: [true] },
      { name: 'limit', tag: 'integer', values: [-2] },
      { name: 'requested-attributes', tag: 'keyword', values: ['a', 'b'] },
    ],
  })
  const wanted = [
    [2, 0, 0x40, 2, 0, 0, 0, 1, 1],
    value(0x47, 'attributes-charset', 'utf-8'),
    value(0x48, 'attributes-natural-language', 'en'),
    value(0x22, 'last-document', [1]),
    value(0x21, 'limit', [255, 255, 255, 254]),
    value(0x44, 'requested-attributes', 'a'),
    value(0x44, '', 'b'),
    [3],
  ]
  t.same([...bytes], wanted.flat())
  t.end()
})

t.test('an answer is read: groups, kinds of value, several values', (t) => {
  const { status, requestId, groups } = decodeResponse(
    answer(
      [1],
      value(0x47, 'attributes-charset', 'utf-8'),
      [4],
      value(0x42, 'printer-name', 'Zebra'),
      value(0x44, 'printer-state-reasons', 'paused'),
      value(0x44, '', 'media-empty'),
      value(0x23, 'printer-state', [0, 0, 0, 5]),
      value(0x22, 'printer-is-accepting-jobs', [0]),
      value(0x35, 'printer-info', [0, 2, 0x64, 0x65, 0, 3, 0x4e, 0x61, 0x68]),
      value(0x13, 'time-at-processing', ''),
      value(0x42, 'printer-name', 'twice'),
      [3, 99, 99],
    ),
  )
  t.equal(status, 0)
  t.equal(requestId, 7)
  t.same(
    groups.map(({ tag }) => tag),
    [1, 4],
  )
  const printer = groups[1]
  t.equal(readText(printer, 'printer-name'), 'Zebra')
  t.same(readTexts(printer, 'printer-state-reasons'), ['paused', 'media-empty'])
  t.equal(readNumber(printer, 'printer-state'), 5)
  t.equal(readText(printer, 'printer-info'), 'Nah')
  t.equal(readNumber(printer, 'time-at-processing'), undefined)
  t.equal(readText(undefined, 'printer-name'), undefined)
  t.equal(readNumber(undefined, 'printer-state'), undefined)
  t.same(readTexts(undefined, 'printer-state-reasons'), [])
  t.equal(readFirst(printer, 'printer-is-accepting-jobs'), false)
  t.end()
})

t.test('a text with its language ends where it says', (t) => {
  const [group] = decodeResponse(
    answer([4], value(0x35, 'printer-info', [0, 2, 0x64, 0x65, 0, 3, 0x4e, 0x61, 0x68, 0x78]), [3]),
  ).groups
  t.equal(readText(group, 'printer-info'), 'Nah')
  t.end()
})

t.test('a text with its language is written with one', (t) => {
  const bytes = answer(
    [5],
    value(0x36, 'job-sheets', [0, 2, 0x64, 0x65, 0, 3, 0x4e, 0x61, 0x68]),
    value(0x35, 'empty', [0, 2, 0x64, 0x65, 0, 0]),
    value(0x36, 'c', [0, 9, 9]),
    [3],
  )
  const { message } = decodeMessage(bytes)
  const english = answer(
    [5],
    value(0x36, 'job-sheets', [0, 2, 0x65, 0x6e, 0, 3, 0x4e, 0x61, 0x68]),
    value(0x35, 'empty', [0, 2, 0x65, 0x6e, 0, 0]),
    value(0x36, 'c', [0, 9, 9]),
    [3],
  )
  t.same([...encodeMessage(message)], [...english])
  t.same(decodeMessage(encodeMessage(message)).message, message)
  t.end()
})

t.test('values of a wrong length and of unknown kinds stay bytes', (t) => {
  const [group] = decodeResponse(
    answer(
      [2],
      value(0x21, 'a', [1]),
      value(0x22, 'b', [1, 1]),
      value(0x36, 'c', [0, 9, 9]),
      value(0x36, 'd', [9]),
      value(0x31, 'e', [1, 2]),
      [3],
    ),
  ).groups
  for (const name of ['a', 'b', 'c', 'd', 'e']) t.type(readFirst(group, name), Uint8Array)
  t.end()
})

t.test('a collection is its members, and may hold others', (t) => {
  const [group] = decodeResponse(
    answer(
      [4],
      value(0x34, 'media-col', ''),
      value(0x4a, '', 'media-size'),
      value(0x34, '', ''),
      value(0x4a, '', 'x'),
      value(0x21, '', [0, 0, 0, 1]),
      value(0x37, '', ''),
      value(0x37, '', ''),
      value(0x42, 'printer-name', 'Zebra'),
      [3],
    ),
  ).groups
  const size = { tag: 0x34, value: new Map([['x', [{ tag: 0x21, value: 1 }]]]) }
  t.same(readFirst(group, 'media-col'), new Map([['media-size', [size]]]))
  t.equal(readText(group, 'printer-name'), 'Zebra')
  t.end()
})

t.test('an answer that is none is refused in words', (t) => {
  const deep = Array.from({ length: 17 }, (_, index) => value(0x34, index === 0 ? 'a' : '', ''))
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [new Uint8Array(3), /3 bytes; wanted 8 or more/],
    [new Uint8Array(MOST_BYTES + 1), /wanted 1048576 at most/],
    [Uint8Array.from(Buffer.from('HTTP/1.1 200 OK')), /version 72\.84; wanted 1 or 2/],
    [answer(), /no end/],
    [answer([1], [0x41]), /cut off/],
    [answer([1], [0x41, 0, 1, 65, 0]), /cut off/],
    [answer([1], [0x41, 0, 1, 65, 0, 9, 1]), /cut off/],
    [answer(value(0x41, 'a', 'b'), [3]), /outside of any group/],
    [answer([1], value(0x34, 'a', ''), [2]), /without an end/],
    [answer([1], value(0x37, 'a', ''), [3]), /never began/],
    [answer([1], ...deep, [3]), /more than 16 deep/],
    [answer([1], Array.from({ length: 20_001 }, () => [0x41, 0, 0, 0, 0]).flat()), /20000 values/],
  ]
  for (const [bytes, message] of cases) {
    t.throws(() => decodeResponse(bytes), { code: 'PRINTER_OFFLINE', message })
  }
  t.end()
})

/** Decodes, and takes a refusal for an answer; anything else thrown is a fault. */
function survives(bytes: Uint8Array): boolean {
  try {
    decodeResponse(bytes)
  } catch (error) {
    if (!(error instanceof PrinterFault)) throw error
  }
  return true
}

t.test('hostile bytes are read or refused, never anything else', (t) => {
  const good = answer(
    [1],
    value(0x47, 'attributes-charset', 'utf-8'),
    [4],
    value(0x34, 'media-col', ''),
    value(0x4a, '', 'x'),
    value(0x37, '', ''),
    value(0x35, 'printer-info', [0, 2, 0x64, 0x65, 0, 3, 0x4e, 0x61, 0x68]),
    value(0x44, 'printer-state-reasons', 'paused'),
    [3],
  )
  const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 })
  fc.assert(
    fc.property(edits, fc.nat(good.length), (changes, length) => {
      const bytes = Uint8Array.from(good)
      for (const [at, byte] of changes) bytes[at] = byte
      return survives(bytes) && survives(bytes.subarray(0, length))
    }),
    { numRuns: tries(5_000) },
  )
  const tail = fc.uint8Array({ maxLength: 400 })
  fc.assert(
    fc.property(tail, (bytes) => survives(bytes) && survives(Buffer.concat([answer([1]), bytes]))),
    { numRuns: tries(5_000) },
  )
  t.end()
})

const LEAVES = fc.oneof(
  fc.record({
    tag: fc.constantFrom(0x21, 0x23),
    value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  }),
  fc.record({ tag: fc.constant(0x22), value: fc.boolean() }),
  fc.record({
    tag: fc.constantFrom(0x41, 0x42, 0x44, 0x45, 0x49),
    value: fc.string({ maxLength: 40 }),
  }),
  fc.record({ tag: fc.constant(0x33), value: fc.tuple(fc.nat(), fc.nat()) }),
  fc.record({ tag: fc.constant(0x32), value: fc.tuple(fc.nat(), fc.nat(), fc.nat(9)) }),
  fc.record({ tag: fc.constantFrom(0x12, 0x13), value: fc.constant(new Uint8Array()) }),
)
const NAMES = fc.stringMatching(/^[a-z-]{1,12}$/)
const { attributes: ATTRIBUTES } = fc.letrec((tie) => ({
  attributes: fc
    .array(fc.tuple(NAMES, fc.array(tie('value'), { minLength: 1, maxLength: 3 })), {
      maxLength: 5,
    })
    .map((entries) => new Map(entries)),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    LEAVES,
    fc.record({ tag: fc.constant(0x34), value: tie('attributes') }),
  ),
}))

t.test('what is written is read back the same, and says where it ends', (t) => {
  const groups = fc.array(fc.record({ tag: fc.constantFrom(1, 2, 4, 5), attributes: ATTRIBUTES }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(groups, fc.nat(0xffff), fc.nat(), (groups, code, requestId) => {
      const message = { version: [2, 0], code, requestId, groups } as Parameters<
        typeof encodeMessage
      >[0]
      const bytes = encodeMessage(message)
      const read = decodeMessage(Buffer.concat([bytes, Buffer.from('document')]))
      t.same(read.message, message)
      return read.end === bytes.length
    }),
    { numRuns: 300 },
  )
  t.throws(() => decodeMessage(new Uint8Array(9)), new IppFault('no end'))
  t.end()
})
