import { quote } from '../quote.ts'
import { describeSchema, type FieldDescription } from './describe.ts'
import type { Fault } from './fault.ts'
import { DEEPEST } from './json.ts'

// Control characters, line separators of Unicode, and halves of a surrogate pair.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
const WANTED = 'wanted text on one line, without control characters'

/**
 * The keys and texts of a configuration that hold control characters, however deep they lie and whether or not the key is known:
 * what reads the configuration elsewhere (units, logs, headers of HTTP) goes by lines. Only PEM texts have several.
 */
export function findControls(value: unknown): readonly Fault[] {
  return [...search(value, { key: '', depth: 0, fields: describeSchema(), mayHaveLines: false })]
}

interface Place {
  readonly key: string
  readonly depth: number
  /** What is known of the keys of the value. */
  readonly fields: readonly FieldDescription[]
  readonly mayHaveLines: boolean
}

function* search(value: unknown, place: Place): Generator<Fault> {
  if (typeof value === 'string') yield* searchText(value, place)
  else if (typeof value === 'object' && value !== null) yield* searchInside(value, place)
}

function* searchText(text: string, { key, mayHaveLines }: Place): Generator<Fault> {
  const line = mayHaveLines ? text.replaceAll(/\r?\n/g, '') : text
  if (CONTROL.test(line)) yield { key, message: `got ${nameControl(line)}, ${WANTED}` }
}

function* searchInside(value: object, place: Place): Generator<Fault> {
  const { key, depth } = place
  if (depth >= DEEPEST) {
    yield {
      key,
      message: `got more, wanted at most ${DEEPEST} lists and objects inside each other`,
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* search(item, { ...place, key: `${key}[${index}]`, depth: depth + 1 })
    }
  } else {
    for (const [name, item] of Object.entries(value)) yield* searchMember(name, item, place)
  }
}

function* searchMember(name: string, value: unknown, place: Place): Generator<Fault> {
  const isPlain = !CONTROL.test(name)
  const shown = isPlain ? name : quote(name)
  const key = place.key === '' ? shown : `${place.key}.${shown}`
  if (!isPlain) yield { key, message: `the key has ${nameControl(name)}, ${WANTED}` }
  const known = place.fields.filter((field) => field.key === name)
  yield* search(value, {
    key,
    depth: place.depth + 1,
    fields: known.flatMap((field) => field.fields ?? []),
    mayHaveLines: known.some((field) => field.lines),
  })
}

function nameControl(text: string): string {
  const code = CONTROL.exec(text)?.[0].codePointAt(0) ?? 0
  return `the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
