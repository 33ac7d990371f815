import { setImmediate as turn } from 'node:timers/promises'
import { type LabelScan, scanInSteps } from '#labels'

/** Scans a label, pausing for others. Decision `large-labels-in-turns`. */
export async function scanInTurns(label: Uint8Array, format: string): Promise<LabelScan> {
  const steps = scanInSteps(label, format)
  let step = steps.next()
  while (step.done !== true) {
    await turn()
    step = steps.next()
  }
  return step.value
}
