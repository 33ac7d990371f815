import type { Test } from 'tap'
import type { PrintOptions } from '../../src/core/request/fields.ts'
import {
  REQUEST_LIMITS,
  type RequestBounds,
  type RequestReader,
} from '../../src/core/request/reader.ts'
import type { RequestFields } from '../../src/core/request/request-fields.ts'
import { PlatenError } from '../../src/words/errors.ts'
import type { FailureCode } from '../../src/words/failures.ts'

type Entry = readonly [name: string, value: unknown]

/** A way in: how it writes a request, and its reader. */
export interface ReaderRig {
  readonly fields: () => RequestFields
  readonly open: (fields: RequestFields, bounds: RequestBounds) => RequestReader
  /** The body of a request. */
  readonly write: (entries: readonly Entry[]) => string
  /** Values have types; else all are texts. */
  readonly isTyped: boolean
}

/** The result of a request: labels as text, options, copies and key, or a refusal. */
type Verdict =
  | {
      readonly labels?: readonly string[]
      readonly options?: PrintOptions
      readonly copies?: number
      readonly key?: string
    }
  | readonly [FailureCode, string]

interface Row {
  readonly name: string
  readonly entries: readonly Entry[]
  readonly verdict: Verdict
  readonly isTyped?: true
}

const A = Buffer.from('A').toString('base64')
const B = Buffer.from('B').toString('base64')

/** Makes a row with one label and these fields. */
function row(entries: Readonly<Record<string, unknown>>, verdict: Verdict): Row {
  const list = Object.entries(entries)
  const name = list.map(([field, value]) => `${field}=${JSON.stringify(value)}`).join(' ')
  return { name: name.slice(0, 60), entries: [['label', A], ...list], verdict }
}

function refused(entries: Readonly<Record<string, unknown>>, message: string): Row {
  return row(entries, ['FIELD_INVALID', message])
}

function typed(entries: Readonly<Record<string, unknown>>, message: string): Row {
  return { ...refused(entries, message), isTyped: true }
}

function whole(name: string, entries: readonly Entry[], verdict: Verdict): Row {
  return { name, entries, verdict }
}

const WIDTH = 'wanted a number from 0.25 to 24 (inches).'
const DPI = 'wanted a whole number from 50 to 1200 (dots per inch).'
const COPIES = 'wanted a whole number from 1 to 100 (labels).'
const EXPIRY = 'wanted a whole number from 1 to 31536000 (seconds).'
const POINT = 'wanted a number from -32000 to 32000 (dots).'
const KEY = 'wanted 1 to 255 printable characters.'
const MISSING = 'no label; wanted label=… with the label as base64.'

const ROWS: readonly Row[] = [
  row({ printer: 'Bench 1' }, { options: { printer: 'Bench 1' } }),
  row({ printer: 5 }, { options: { printer: '5' } }),
  row({ printer: ' Bänk 1 ' }, { options: { printer: ' Bänk 1 ' } }),
  row({ printer: 'x'.repeat(127) }, { options: { printer: 'x'.repeat(127) } }),
  row({ printer: '' }, {}),
  row({ printer: ' \t' }, {}),
  row({ printer: null }, {}),
  refused(
    { printer: 'x'.repeat(128) },
    `printer: got "${'x'.repeat(40)}…", wanted at most 127 characters.`,
  ),
  refused({ printer: 'x'.repeat(5_000) }, 'printer: got more than 4096 bytes, wanted fewer.'),
  refused({ printer: 'x'.repeat(40_000) }, 'printer: got more than 4096 bytes, wanted fewer.'),
  row({ label_width: 4, label_height: ' 6.5 ' }, { options: { labelWidth: 4, labelHeight: 6.5 } }),
  row({ label_width: '+.5', label_height: '6.' }, { options: { labelWidth: 0.5, labelHeight: 6 } }),
  row({ label_width: ' ' }, {}),
  refused({ label_width: 0 }, `label_width: got "0", ${WIDTH}`),
  refused({ label_width: 24.1 }, `label_width: got "24.1", ${WIDTH}`),
  refused({ label_width: '4,0' }, `label_width: got "4,0", ${WIDTH}`),
  refused({ label_width: '4 in' }, `label_width: got "4 in", ${WIDTH}`),
  refused({ label_width: '1e1' }, `label_width: got "1e1", ${WIDTH}`),
  refused({ label_width: '0x4' }, `label_width: got "0x4", ${WIDTH}`),
  refused({ label_width: 'NaN' }, `label_width: got "NaN", ${WIDTH}`),
  row({ dpi: '203' }, { options: { dpi: 203 } }),
  refused({ dpi: 203.5 }, `dpi: got "203.5", ${DPI}`),
  refused({ dpi: 49 }, `dpi: got "49", ${DPI}`),
  row(
    { rotate: 90, scaling: 'none', darkness: '0' },
    { options: { rotate: '90', scaling: 'none', darkness: 0 } },
  ),
  refused({ rotate: '45' }, 'rotate: got "45", wanted auto, 0, 90, 180 or 270.'),
  refused({ scaling: 'fill' }, 'scaling: got "fill", wanted auto or none.'),
  refused({ darkness: 101 }, 'darkness: got "101", wanted a whole number from 0 to 100 (percent).'),
  row({ starting_point_x: -5.5, starting_point_y: '' }, { options: { startingPointX: -5.5 } }),
  refused({ starting_point_x: 1e-7 }, `starting_point_x: got "1e-7", ${POINT}`),
  refused({ starting_point_y: 1e21 }, `starting_point_y: got "1e+21", ${POINT}`),
  row({ copies: '3' }, { copies: 3 }),
  refused({ copies: 0 }, `copies: got "0", ${COPIES}`),
  refused({ copies: -1 }, `copies: got "-1", ${COPIES}`),
  refused({ copies: 101 }, `copies: got "101", ${COPIES}`),
  refused({ copies: 1.5 }, `copies: got "1.5", ${COPIES}`),
  refused({ copies: 'two' }, `copies: got "two", ${COPIES}`),
  row({ expire_after: 60 }, { options: { expireAfter: 60 } }),
  refused({ expire_after: 0 }, `expire_after: got "0", ${EXPIRY}`),
  refused({ expire_after: 1.5 }, `expire_after: got "1.5", ${EXPIRY}`),
  row({ idempotency_key: 'order 7' }, { key: 'order 7' }),
  row({ idempotency_key: 7 }, { key: '7' }),
  row({ idempotency_key: ' ' }, {}),
  row({ idempotency_key: '😀'.repeat(255) }, { key: '😀'.repeat(255) }),
  refused({ idempotency_key: 'a\u0001b' }, `idempotency_key: got "a\\u0001b", ${KEY}`),
  refused(
    { idempotency_key: 'k'.repeat(256) },
    `idempotency_key: got "${'k'.repeat(40)}…", ${KEY}`,
  ),
  typed({ dpi: true }, 'dpi: got a boolean, wanted text or a number.'),
  typed({ dpi: [203] }, 'dpi: got a list, wanted text or a number.'),
  typed({ printer: { name: 'A' } }, 'printer: got an object, wanted text or a number.'),
  typed({ 'label[]': 5 }, 'label[]: got a number, wanted base64 text.'),
  typed({ labels: [null] }, 'labels: got null, wanted base64 text.'),
  refused({ Printer: 'A' }, '"Printer" is not a field that is read here. Did you mean "printer"?'),
  refused({ DPI: 300 }, '"DPI" is not a field that is read here. Did you mean "dpi"?'),
  refused({ LABELS: B }, '"LABELS" is not a field that is read here. Did you mean "labels"?'),
  refused({ 'Label[]': B }, '"Label[]" is not a field that is read here. Did you mean "label[]"?'),
  row({ Note: 'x', printers: 'A', 'printer ': 'A', of_the_shop: 1 }, {}),
  row({ constructor: 'x', toString: 'y' }, {}),
  whole(
    'a field twice, alike',
    [
      ['label', A],
      ['printer', 'A'],
      ['printer', 'A'],
    ],
    {
      options: { printer: 'A' },
    },
  ),
  whole(
    'a field twice, once empty',
    [
      ['label', A],
      ['printer', 'A'],
      ['printer', ''],
    ],
    {
      options: { printer: 'A' },
    },
  ),
  whole(
    'a field twice, with two values',
    [
      ['label', A],
      ['printer', 'A'],
      ['printer', 'B'],
    ],
    ['FIELD_INVALID', 'printer: got "A" and "B", wanted one value.'],
  ),
  whole(
    'a label twice',
    [
      ['label', A],
      ['label', B],
    ],
    { labels: ['A', 'B'] },
  ),
  whole(
    'labels under all their names, in the order of the request',
    [
      ['label[]', B],
      ['labels', A],
      ['label[3]', B],
      ['label', A],
      ['labels[]', B],
    ],
    { labels: ['B', 'A', 'B', 'A', 'B'] },
  ),
  whole('a list of labels', [['label', [A, B]]], { labels: ['A', 'B'] }),
  whole('a label without bytes, which the intake refuses', [['label', '']], { labels: [''] }),
  whole('no label', [['dpi', 203]], ['LABEL_MISSING', `The request has 1 field and ${MISSING}`]),
  whole(
    'a label that is not base64',
    [['label', '~']],
    ['LABEL_BASE64', 'label 1 of 1: "~" at offset 0 is not base64; wanted A-Z a-z 0-9 + / =.'],
  ),
  whole(
    'one of two labels that is not base64',
    [
      ['label', A],
      ['labels', 'QUI=QQ'],
    ],
    [
      'LABEL_BASE64',
      'label 2 of 2: "Q" at offset 4 follows the padding; wanted the end of the label.',
    ],
  ),
  whole(
    'a large label with a fault',
    [['label', `${'A'.repeat(40_000)}?`]],
    ['LABEL_BASE64', 'label 1 of 1: "?" at offset 40000 is not base64; wanted A-Z a-z 0-9 + / =.'],
  ),
  whole(
    '101 labels',
    [['label', new Array(101).fill(A)]],
    ['TOO_MANY_FIELDS', 'The request has more than 100 labels.'],
  ),
  whole(
    '600 jobs',
    [
      ['label', new Array(6).fill(A)],
      ['copies', 100],
    ],
    ['TOO_MANY_FIELDS', '6 labels in 100 copies are 600 jobs, wanted at most 500.'],
  ),
  whole(
    '1001 fields',
    [['label', A], ...Array.from({ length: 1_001 }, (_, n) => [`x${n}`, 1] as const)],
    ['TOO_MANY_FIELDS', 'The request has more than 1000 fields.'],
  ),
  row({ deep: JSON.parse('['.repeat(20) + ']'.repeat(20)) }, {}),
  row({ many: new Array(3_000).fill(1) }, {}),
]

/**
 * Runs every row through one way in: a request comes to the same, with the same sentence when it is refused, whichever
 * way it takes and wherever its bytes are cut.
 */
export async function readerConforms(t: Test, rig: ReaderRig): Promise<void> {
  for (const { name, entries, verdict, isTyped } of ROWS) {
    if (isTyped && !rig.isTyped) continue
    await t.test(name, (t) => {
      const body = Buffer.from(rig.write(entries))
      for (const pieces of [body.length, 7]) t.same(read(rig, body, pieces), expected(verdict))
      t.end()
    })
  }
}

function expected(verdict: Verdict): Verdict {
  if ('length' in verdict) return verdict
  return { labels: ['A'], options: {}, copies: 1, key: undefined, ...verdict } as Verdict
}

function read(rig: ReaderRig, body: Buffer, pieces: number): Verdict {
  const fields = rig.fields()
  const reader = rig.open(fields, REQUEST_LIMITS)
  try {
    for (let at = 0; at < body.length; at += pieces) {
      reader.push(new Uint8Array(body.subarray(at, at + pieces)))
    }
    reader.end()
    const { labels, options, copies, idempotencyKey } = fields.request()
    const texts = labels.map((label) => Buffer.from(label).toString())
    return { labels: texts, options, copies, key: idempotencyKey } as Verdict
  } catch (error) {
    if (error instanceof PlatenError) return [error.code, error.message]
    throw error
  } finally {
    reader.free?.()
  }
}

/** Writes entries as forms do: a list is a field several times, null an empty text. */
export function asTexts(entries: readonly Entry[]): [name: string, text: string][] {
  return entries.flatMap(([name, value]) => {
    const isList = Array.isArray(value) && name.startsWith('label')
    const all: readonly unknown[] = isList ? value : [value]
    return all.map((one): [string, string] => [name, textOf(one)])
  })
}

function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
