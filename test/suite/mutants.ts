/** One change of a source that its tests should notice. */
export interface Mutant {
  /** Counted from 1. */
  readonly line: number
  /** Characters before it in the source. */
  readonly at: number
  readonly from: string
  readonly to: string
  /** The whole source with the change. */
  readonly source: string
}

/** Conditions and constants, and what becomes of them. */
const CHANGES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/ (?:===|!==) /g, (found) => (found === ' === ' ? ' !== ' : ' === ')],
  [
    / (?:<=?|>=?) (?=[\w(])/g,
    (found) => (found.includes('=') ? found.replace('=', '') : `${found.trimEnd()}= `),
  ],
  [/ (?:&&|\|\|) /g, (found) => (found === ' && ' ? ' || ' : ' && ')],
  [/ [+-] (?=\d)/g, (found) => (found === ' + ' ? ' - ' : ' + ')],
  [/\b(?:true|false)\b/g, (found) => (found === 'true' ? 'false' : 'true')],
  [/(?<=[=(,:?<>*+-] ?)\b\d+\b(?![\w.'])/g, (found) => String(Number(found) + 1)],
]

/** Lines without code that runs, or whose numbers and signs stand in a text or a pattern. */
const PASSED_OVER =
  /^\s*(?:\*|\/\/|\/\*|import |export type |type |readonly |interface |\|)|['"`]|\/.*\\|=> void/

/** All mutants of a source, from its first line on. */
export function listMutants(source: string): readonly Mutant[] {
  const lines = source.split('\n')
  let next = 0
  return lines.flatMap((text, index) => {
    const start = next
    next += text.length + 1
    if (PASSED_OVER.test(text)) return []
    const code = text.replace(/\/\/.*$/, '')
    return CHANGES.flatMap(([pattern, change]) =>
      [...code.matchAll(pattern)].map((match) => {
        const [found] = match
        const to = change(found)
        const mutated = text.slice(0, match.index) + to + text.slice(match.index + found.length)
        return {
          ...{ line: index + 1, at: start + match.index, from: found.trim(), to: to.trim() },
          source: lines.with(index, mutated).join('\n'),
        }
      }),
    )
  })
}
