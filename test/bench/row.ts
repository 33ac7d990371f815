/** A line of the table: ours beside the peer, measured in the same run. */
export interface Row {
  readonly what: string
  readonly ours: number
  readonly peer: number
  readonly peerName: string
  /** The figure to stay under; without one the row only shows how the two compare. */
  readonly goal: number | undefined
  /** The goal is a figure to stay above instead, as that of a rate. */
  readonly isRate?: boolean
}
