/** A command that does more to a printer than print one label. */
export interface Finding {
  /** As people know it, e.g. `^JUS`; never data of the label. */
  readonly command: string
  /** What it does: goes on after the command, e.g. `sets the password of the printer`. */
  readonly means: string
  /** Stands in labels of real carriers too, so it is never a reason to refuse one. */
  readonly isCommon: boolean
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** A command whose data go on where the label ends: a printer takes the next labels for the rest. */
export interface Cut {
  /** As people know it, e.g. `^GF`. */
  readonly command: string
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** The findings of one label: the first of each command, in the order of the label. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  #cut: Cut | undefined

  /** The command in whose data the label ends. */
  get cut(): Cut | undefined {
    return this.#cut
  }

  noteCut(cut: Cut): void {
    this.#cut ??= cut
  }

  has(command: string): boolean {
    return this.#found.has(command)
  }

  add(finding: Finding): void {
    if (!this.#found.has(finding.command)) this.#found.set(finding.command, finding)
  }

  list(): readonly Finding[] {
    return [...this.#found.values()]
  }
}
