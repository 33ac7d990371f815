import { makeLabel } from '../load/label.ts'
import type { Sent } from './promises.ts'

const LEAST_BYTES = 100
const MOST_BYTES = 6_100

/** A box under load: where it answers, and how much of what is sent goes to its printer `On`; the rest to `Off`. */
export interface Loaded {
  readonly address: string
  readonly onShare: number
  readonly random: () => number
  /** The mark of the next label, which no other label has. */
  nextMark(): string
}

/** Posts labels one after the other until the box is dead; what was accepted is added to `sent`. */
export async function sendLabels(box: Loaded, sent: Sent, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) await sendLabel(box, sent, signal)
  } catch {
    // No answer: the power is off.
  }
}

async function sendLabel(box: Loaded, sent: Sent, signal: AbortSignal): Promise<void> {
  const printer = box.random() < box.onShare ? 'On' : 'Off'
  const bytes = LEAST_BYTES + Math.floor(box.random() * (MOST_BYTES - LEAST_BYTES))
  const label = makeLabel(box.nextMark(), bytes)
  const response = await fetch(box.address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=0' },
    body: JSON.stringify({ printer, label: Buffer.from(label).toString('base64') }),
    signal,
  })
  const { jobs } = (await response.json()) as { jobs?: readonly { id: string }[] }
  for (const { id } of jobs ?? []) sent.set(id, label)
}
