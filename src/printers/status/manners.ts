/** What is known of how a printer answers, until it is found at another place. */
export interface Manners {
  /** It has answered before. */
  answers: boolean
  /** It was given its time, and said nothing. */
  hasBeenSilent: boolean
  /** Questions in a row without an answer. */
  silences: number
  /** Milliseconds that it was waited for in vain, over questions that gave way to a label. */
  waitedMs: number
  /** Not to be asked in its language before. */
  quietUntil: number
  /** The answer to a question that nobody waits for any longer may still come. */
  owesAnswer: boolean
  isIdentified: boolean
  /** Times that its stock is still to be asked for, since it measured it. */
  measureTries: number
  /** It keeps a count of its labels. */
  counts: boolean
  /** That count, when nothing was sent since. */
  labelCount: number | undefined
  /** The count was seen to go up with a label of ours: when it stays, the label is not out. */
  isCountTrusted: boolean
}

/** Those of a printer that nobody has asked in this run. */
export function meet(answers: boolean): Manners {
  return {
    answers,
    hasBeenSilent: false,
    silences: 0,
    waitedMs: 0,
    quietUntil: 0,
    owesAnswer: false,
    isIdentified: false,
    measureTries: 0,
    counts: false,
    labelCount: undefined,
    isCountTrusted: false,
  }
}
