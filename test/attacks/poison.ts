import type { Test } from 'tap'

/** Expressions of our own, each used in one place, by how they begin. */
export const PLACES = {
  /** The safety gate, at a line of TSPL. */
  gate: '^SET[',
  /** Port 9100, at the first line of a connection. */
  stream: '^(?:GET|POST',
} as const

/**
 * Until the test ends our own code fails on a text that holds this word, where the expression at `place` looks at it: as V8
 * does with a `RangeError` where it has no stack left. A fault that nobody has found yet cannot be tested in another way.
 */
export function poison(t: Test, word: string, place: string): void {
  const { exec } = RegExp.prototype
  RegExp.prototype.exec = function poisoned(text) {
    const isMeant = this.source.startsWith(place) && String(text).includes(word)
    if (isMeant) throw new RangeError(`no stack for ${word}`)
    return exec.call(this, text)
  }
  t.teardown(() => {
    RegExp.prototype.exec = exec
  })
}
