import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'

const PATIENCE_MS = 60_000 // without anything that happens, on however busy a machine
const LINES_MOST = 20_000 // of a label that is looked after again and again and never ends

/** The clock of a history: it goes on only when somebody says so. */
export class Clock {
  seconds = 0

  /** Milliseconds of the epoch. */
  readonly now = (): number => 1_700_000_000_000 + this.seconds * 1_000

  /** Milliseconds since the machine started. */
  readonly uptimeMs = (): number => 1_000_000 + this.seconds * 1_000
}

/** Lets the program come as far as it comes in so many turns of the event loop. */
export async function passTurns(turns: number): Promise<void> {
  for (let left = turns; left > 0; left -= 1) await turn()
}

/** Looks after everything until `look` says that all is done, or nothing has happened for a long time. */
export async function settle(
  ledger: Ledger,
  look: (round: number) => boolean | Promise<boolean>,
): Promise<void> {
  ledger.say('everything is put in order')
  let deadline = performance.now() + PATIENCE_MS
  let happened = ledger.lines.length
  for (let round = 0; performance.now() < deadline; round += 1) {
    if (await look(round)) return
    if (ledger.lines.length > LINES_MOST) return
    if (ledger.lines.length > happened) deadline = performance.now() + PATIENCE_MS
    happened = ledger.lines.length
    await sleep(1)
  }
}
