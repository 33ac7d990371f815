import type { Test } from 'tap'
import { type Action, CARRIER_CODES, type CarrierRemark } from '../../src/carriers/answers.ts'
import type { CarrierOutcome } from '../../src/carriers/carrier.ts'

const CODES = new Set<number>(Object.values(CARRIER_CODES))

/** Finds a result that no answer of a carrier may have; '' = all is well. */
function findFault(outcome: CarrierOutcome<Action>): string {
  const remarks = remarksOf(outcome)
  if ('errors' in outcome && remarks.length === 0) return 'a failure without a reason'
  const odd = remarks.find(({ code, description }) => !CODES.has(code) || description === '')
  return odd === undefined ? '' : JSON.stringify(odd)
}

/** The faults of many outcomes. They are asserted together: tap takes longer over an assertion than a carrier over an answer. */
export class Faults {
  readonly #found: string[] = []
  #outcomes = 0

  note(outcome: CarrierOutcome<Action>, of: string): void {
    this.#outcomes += 1
    const fault = findFault(outcome)
    if (fault !== '') this.#found.push(`${of.slice(0, 250)}: ${fault}`)
  }

  assertNone(t: Test, atLeast = 1_000): void {
    t.same(this.#found, [])
    t.ok(this.#outcomes >= atLeast, `${this.#outcomes} outcomes`)
  }
}

function remarksOf(outcome: CarrierOutcome<Action>): readonly CarrierRemark[] {
  if ('errors' in outcome) return outcome.errors
  if ('unknown' in outcome) return outcome.unknown
  return 'data' in outcome ? (outcome.remarks ?? []) : []
}

/** Another type, nothing, or a cut somewhere in a JSON text. */
export function mutate(text: string, random: () => number): string {
  const kind = Math.floor(random() * 4)
  if (kind === 0) return text.slice(0, Math.floor(random() * text.length))
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?=[,}\]])/g)]
  const at = values[Math.floor(random() * values.length)]
  if (at === undefined) return '[]'
  const others = ['null', '7', '[]', '{}', '""', 'true', '"\\u0000"', '[null]', '{"Code":null}']
  const other = others[Math.floor(random() * others.length)] ?? 'null'
  const mutated = text.slice(0, at.index) + other + text.slice(at.index + at[0].length)
  return kind === 1 ? mutated.replace(/\[/, '{"x":').replace(/]$/, '}') : mutated
}
