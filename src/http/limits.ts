import type { BodyLimits } from './body/body.ts'
import { BodyBudget } from './body/body-budget.ts'
import { type Bounds, boundsWith } from './bounds.ts'
import type { AppParts } from './parts.ts'

const MIB = 1024 * 1024

/** The bounds of one app, and the limits of a body as the settings are at this moment. */
export interface Limits {
  readonly bounds: Bounds
  body(): BodyLimits
}

/** One for an app: all its requests share the budget. */
export function createLimits(parts: Pick<AppParts, 'bounds' | 'config'>): Limits {
  const bounds = boundsWith(parts.bounds)
  const budget = new BodyBudget({
    limitBytes: bounds.bodyBytesTogether,
    freeBytes: bounds.bodyBytesFree,
    waitMs: bounds.bodyWaitMs,
  })
  return {
    bounds,
    body() {
      const bodyBytes = parts.bounds?.bodyBytes ?? parts.config.current.max_body_mb * MIB
      return { bounds: { ...bounds, bodyBytes }, budget }
    },
  }
}
