import type { FAILURES } from './errors.ts'
import { listForms } from './format.js'
import { ENGLISH, type SentenceKey } from './say.ts'

/** A sentence as a key of `en.json`, or the code of a failure for its hint, with what was filled in. */
export interface Said {
  readonly key: SentenceKey | keyof typeof FAILURES
  readonly values: Readonly<Record<string, string | number>>
}

/** What stands between the values of a template, and the names of these. */
interface Pattern {
  readonly key: Said['key']
  readonly parts: readonly string[]
  readonly names: readonly string[]
}

let patterns: readonly Pattern[] | undefined

/** Of `en.json` the sentences, and the hints under the codes of their failures. */
function listTemplates(): readonly (readonly [string, string])[] {
  return Object.entries(ENGLISH)
    .filter(([key]) => !key.includes('.') || key.endsWith('.hint'))
    .map(([key, text]) => [key.replace('.hint', ''), text] as const)
}

/** What literal text a template has, longest first: of two that fit, the one that says more is meant. */
function listPatterns(): readonly Pattern[] {
  patterns ??= listTemplates()
    .flatMap(([key, found]) => {
      return [...listForms(found).values()].map((text) => {
        const pieces = text.split(/\{(\w+)\}/)
        const parts = pieces.filter((_, i) => i % 2 === 0)
        return { key: key as Said['key'], parts, names: pieces.filter((_, i) => i % 2 === 1) }
      })
    })
    .sort((a, b) => b.parts.join('').length - a.parts.join('').length)
  return patterns
}

const LONGEST = 1_000 // characters; a message has a few hundred
const MOST = 5 // sentences
const FITS = 8 // ways to go on at one place: a value may be a sentence itself
const LOOKS = 20 // at one text: names that are made of sentences fit in thousands of ways, and would take seconds
const KEPT = 500 // texts: a list of jobs says the same over and over
const known = new Map<string, readonly Said[]>()

/**
 * The sentences of a message or hint; [] where one of them is not in the table: then only the English is there. They are read
 * from the text, and not kept beside it, so that labels of earlier versions, of backups and of other print servers have them too.
 */
export function readSentences(text: string): readonly Said[] {
  if (text === '' || text.length > LONGEST) return []
  const before = known.get(text)
  if (before !== undefined) return before
  const found = readFrom(text, MOST, { looks: LOOKS }) ?? []
  if (known.size >= KEPT) known.clear()
  known.set(text, found)
  return found
}

function readFrom(
  text: string,
  most: number,
  left: { looks: number },
): readonly Said[] | undefined {
  if (text === '') return []
  if (most === 0 || left.looks === 0) return undefined
  left.looks -= 1
  const fits = listPatterns().flatMap((pattern) => [...match(pattern, text)])
  // The shortest first: a value may hold a blank, but seldom a whole sentence.
  fits.sort((a, b) => a.end - b.end)
  for (const { end, said } of fits.slice(0, FITS)) {
    const rest = readFrom(text.slice(end + 1), most - 1, left)
    if (rest !== undefined) return [said, ...rest]
  }
  return undefined
}

/** One look from left to right: each value ends where the text behind it is first found, the last where a sentence may end. */
function* match(pattern: Pattern, text: string): Iterable<{ end: number; said: Said }> {
  const { key, parts, names } = pattern
  const head = matchHead(pattern, text)
  if (head === undefined) return
  const { at, values } = head
  const last = parts.length > 1 ? parts.at(-1) : undefined
  if (last === undefined) {
    if (isEnd(text, at)) yield { end: at, said: { key, values } }
    return
  }
  for (let next = text.indexOf(last, at + 1); next !== -1; next = text.indexOf(last, next + 1)) {
    const end = next + last.length
    const all = { ...values, [names.at(-1) ?? '']: text.slice(at, next) }
    if (isEnd(text, end) && isCounted(all)) yield { end, said: { key, values: withNumber(all) } }
  }
}

/** All but the last value, and where that begins. */
function matchHead(
  { parts, names }: Pattern,
  text: string,
): { at: number; values: Record<string, string> } | undefined {
  const [first = '', ...others] = parts
  if (!text.startsWith(first)) return undefined
  const values: Record<string, string> = {}
  let at = first.length
  for (const [i, part] of others.slice(0, -1).entries()) {
    const next = text.indexOf(part, at + 1)
    if (next === -1) return undefined
    values[names[i] ?? ''] = text.slice(at, next)
    at = next + part.length
  }
  return { at, values }
}

function isEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === ' '
}

function isCounted({ n }: Record<string, string>): boolean {
  return n === undefined || /^\d+$/.test(n)
}

/** `n` counts and chooses the plural. */
function withNumber(values: Record<string, string>): Said['values'] {
  const { n } = values
  return n === undefined ? values : { ...values, n: Number(n) }
}

/** Message and hint with their keys, as the JSON of jobs, printers and refusals has them. */
export function saidJson(message: string, hint: string): Readonly<Record<string, unknown>> {
  return { texts: { message: readSentences(message), hint: readSentences(hint) } }
}
