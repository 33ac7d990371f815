import { stripTypeScriptTypes } from 'node:module'

/** One change of a source that its tests should notice. */
export interface Mutant {
  /** Counted from 1. */
  readonly line: number
  /** Characters before it in the source. A place may have several mutants. */
  readonly at: number
  readonly from: string
  readonly to: string
  /** The whole source with the change. */
  readonly source: string
}

/** What is changed, and into what. A regular expression finds it in code whose texts and comments are blank. */
const CHANGES: readonly (readonly [
  RegExp,
  (found: string, before: string) => readonly string[],
])[] = [
  [/(?<= )(?:===|!==)(?= )/g, (found) => [found === '===' ? '!==' : '===']],
  [/(?<= )(?:<=?|>=?)(?= )/g, (found) => COMPARED[found] ?? []],
  [/(?<= )(?:&&|\|\|)(?= )/g, (found) => [found === '&&' ? '||' : '&&']],
  [/(?<= )[+-](?= \d)/g, (found) => [found === '+' ? '-' : '+']],
  [/(?<![\w.])(?:true|false)\b/g, (found) => [found === 'true' ? 'false' : 'true']],
  // Without the word that turns it around, and with it where the whole condition is one word or call.
  [/(?<![\w)\]])!(?=[\w(])/g, () => ['']],
  [/(?<=\bif )\((?=[\w.#?]+(?:\(\w*\))?\) )/g, () => ['(!']],
  [/(?<![\w.$])(?:0x[\da-f_]+|\d[\d_]*(?:\.\d+)?)(?![\w.])/gi, changeNumber],
]

/** The bound on the other side, and the opposite. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
}

/** Which number a named patience or bound is, is a choice; a test that repeated it would prove nothing. */
const CHOSEN =
  /(?:_MS|_S|SECONDS|MINUTES|HOURS|DAYS|BYTES|MOST|MAX|LONGEST)\w* = [\d_* .]*$|(?:Ms|Seconds|Bytes)[:,]? =? ?$/
/** Numbers that change nothing but the time or memory that something takes. */
const UNSEEN = /\b(?:highWaterMark|chunkSize|backlog): $|parseInt\(\w+, $/

function changeNumber(found: string, before: string): readonly string[] {
  if (UNSEEN.test(before)) return []
  const value = Number(found.replaceAll('_', ''))
  if (value === 0) return ['1']
  return CHOSEN.test(before) ? ['0'] : ['0', String(2 * value)]
}

/** All mutants of a source, from its first line on. */
export function listMutants(source: string): readonly Mutant[] {
  const code = blank(source)
  let start = 0
  return code.split('\n').flatMap((text, index) => {
    const first = start
    start += text.length + 1
    return CHANGES.flatMap(([pattern, change]) =>
      [...text.matchAll(pattern)].flatMap((match) => {
        const [from] = match
        const at = first + match.index
        return change(from, text.slice(0, match.index)).map((to) => ({
          line: index + 1,
          at,
          from,
          to,
          source: source.slice(0, at) + to + source.slice(at + from.length),
        }))
      }),
    )
  })
}

/** A text, a comment, a pattern; or the call of a log, whose line no label depends on. */
const TEXTS =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\/.*|\/\*[\s\S]*?\*\/|(?<=[(,=:?!&|[{};]\s*|return )\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\[])+\/[a-z]*|`/g
const LOG = /\blog\??\.\w+\(/g

/** The code as long as the source, line by line, with blanks for types, texts, comments, patterns and what is logged. */
function blank(source: string): string {
  const untyped = stripTypeScriptTypes(source)
  if (untyped.length !== source.length) throw new Error('types are not stripped in place')
  const code = [...untyped].length === untyped.length ? untyped : untyped.replace(/[^\n -~]/g, ' ')
  let result = ''
  let at = 0
  const copyTo = (end: number, isCode: boolean): void => {
    const piece = code.slice(at, end)
    result += isCode ? piece : piece.replace(/[^\n]/g, ' ')
    at = end
  }
  for (;;) {
    TEXTS.lastIndex = at
    const found = TEXTS.exec(code)
    if (found === null) break
    copyTo(found.index, true)
    if (found[0] === '`') copyTo(templateEnd(code, at), false)
    else copyTo(at + found[0].length, false)
  }
  copyTo(code.length, true)
  return blankLogs(blankRows(result))
}

/** Behind the template that begins here; what it has in braces counts as text. */
function templateEnd(code: string, start: number): number {
  let depth = 0
  for (let at = start + 1; at < code.length; at += 1) {
    const sign = code[at]
    if (sign === '\\') at += 1
    else if (sign === '$' && code[at + 1] === '{') depth += 1
    else if (depth > 0 && sign === '}') depth -= 1
    else if (depth === 0 && sign === '`') return at + 1
  }
  return code.length
}

/** A row of many numbers is data, and one place: the others would crowd out the code. */
function blankRows(code: string): string {
  return code.replace(
    /^(\s*(?:\.\.\.)?\[?\s*[\w.]+,)((?: [\w.]+,?){5,}\]?,?)/gm,
    (_, first: string, others: string) => first + ' '.repeat(others.length),
  )
}

function blankLogs(code: string): string {
  return [...code.matchAll(LOG)].reduce((result, { index, 0: call }) => {
    const start = index + call.length
    let depth = 1
    let end = start
    for (; end < result.length && depth > 0; end += 1) {
      if (result[end] === '(') depth += 1
      else if (result[end] === ')') depth -= 1
    }
    return (
      result.slice(0, start) + result.slice(start, end).replace(/[^\n]/g, ' ') + result.slice(end)
    )
  }, code)
}
