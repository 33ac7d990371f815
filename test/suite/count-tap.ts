import type { FinalResults, Parser, Result } from 'tap-parser'

export interface Failure {
  /** `file > test > assertion`. */
  readonly where: string
  readonly diag: unknown
}

/** Counts of a test file's output. Only tests that hold no other test are counted. */
export interface Count {
  passed: number
  failed: number
  /** Each with its reason. */
  readonly skips: string[]
  readonly failures: Failure[]
  /** Its comments, which explain why it failed. */
  readonly comments: string[]
}

export function makeCount(): Count {
  return { passed: 0, failed: 0, skips: [], failures: [], comments: [] }
}

/** Adds to the count what the parser reads of a test. `path`: the file's name, and those of the tests that hold this one. */
export function countTap(test: Parser, path: readonly string[], count: Count): void {
  let hasChildren = false
  test.on('child', (child: Parser) => {
    hasChildren = true
    countTap(child, [...path, child.name], count)
  })
  test.on('comment', (text: string) => count.comments.push(text.trimEnd()))
  test.on('assert', (result: Result) => note(result, path, count))
  test.on('complete', ({ ok }: FinalResults) => {
    if (!hasChildren || !ok) count[ok ? 'passed' : 'failed'] += 1
  })
}

function note(result: Result, path: readonly string[], count: Count): void {
  const where = [...path, result.name].join(' > ')
  if (result.skip) {
    const why = typeof result.skip === 'string' ? result.skip : 'no reason given'
    count.skips.push(`${where}: ${why}`)
  } else if (!result.ok && !result.todo && result.diag) {
    count.failures.push({ where, diag: result.diag })
  }
}
