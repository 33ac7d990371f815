import { BodyBudget } from '../../core/request/body-budget.ts'
import { boundsWith, type HttpBounds } from '../bounds.ts'

/** The limits within which a body is read. */
export interface BodyLimits {
  /** `bodyBytes` is the live value of `max_body_mb`. */
  readonly bounds: HttpBounds
  readonly budget: BodyBudget
}

const MIB = 1024 * 1024

/** The bounds of one app, and the limits of a body as the settings are at this moment. */
export interface Limits {
  readonly bounds: HttpBounds
  body(): BodyLimits
}

/**
 * Makes the limits of an app: all its requests share the budget.
 * @param bodyMib `max_body_mb` as it is now
 * @param changes of a test; defaults apply to the rest
 * @param shared of all ways in; left out: one of its own
 */
export function createLimits(
  bodyMib: () => number,
  changes: Partial<HttpBounds> = {},
  shared?: BodyBudget,
): Limits {
  const bounds = boundsWith(changes)
  const own = {
    limitBytes: bounds.bodyBytesTogether,
    freeBytes: bounds.bodyBytesFree,
    waitMs: bounds.bodyWaitMs,
  }
  const budget = shared ?? new BodyBudget(own)
  let limits = { bounds, budget }
  return {
    bounds,
    body() {
      const bodyBytes = changes.bodyBytes ?? bodyMib() * MIB
      if (limits.bounds.bodyBytes !== bodyBytes)
        limits = { bounds: { ...bounds, bodyBytes }, budget }
      return limits
    },
  }
}
