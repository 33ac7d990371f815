import { isRecord } from './params.ts'

/**
 * What stands at a place in a carrier's JSON; undefined when it is not there. Carriers send a single item as an object and
 * several as an array, or the reverse: a name looks into the first item, a number is its place.
 */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof step === 'number') found = listOf(found)[step]
    else {
      const one = Array.isArray(found) ? found[0] : found
      found = isRecord(one) && Object.hasOwn(one, step) ? one[step] : undefined
    }
  }
  return found
}

/** One item or several, as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? value : [value]
}

/** A text or a number as text, without controls; '' for all else. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  if (typeof found === 'number' && Number.isFinite(found)) return String(found)
  if (typeof found !== 'string') return ''
  return found.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** A number that a carrier wrote as such or as text; 0 for all else. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number {
  const text = textAt(value, ...path)
  const number = /^-?\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : 0
  return Number.isFinite(number) ? number : 0
}

/** The JSON of a reply; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
