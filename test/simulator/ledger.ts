import type { Story } from './history.ts'

/** Everything that happened in a history, line by line, and each promise that was broken. */
export class Ledger {
  readonly lines: string[] = []
  readonly faults: string[] = []

  say(line: string): void {
    this.lines.push(line)
  }

  fault(line: string): void {
    this.lines.push(`*** ${line}`)
    this.faults.push(line)
  }

  /** Returns the story for the runner at the end. */
  tell(seed: number): Story {
    return { seed, faults: this.faults, lines: this.lines }
  }
}

/** A label that somebody sent, known by the mark on it. */
export interface MarkedLabel {
  readonly mark: string
  /** The number of times that it came out. */
  papers: number
}

/** A ledger that counts the papers of each label. */
export abstract class PaperLedger<Label extends MarkedLabel> extends Ledger {
  readonly labels = new Map<string, Label>()

  /** A label came out of a printer. */
  seePaper(place: string, mark: string): void {
    this.say(`  ${mark} comes out of ${place}`)
    const label = this.labels.get(mark)
    if (label === undefined) {
      this.fault(`${mark} came out of ${place}, and nobody sent it`)
      return
    }
    label.papers += 1
    this.judgePaper(label, place)
  }

  /** Judges whether it may have come out there, and once more. */
  protected abstract judgePaper(label: Label, place: string): void
}
