import type { Sentence, Sentences } from './say.ts'

/**
 * What a sentence asks a person to do, where that is a thing of its own that a button or a program can do.
 * Decision `actions-are-made`.
 */
export type SentenceAction = 'calibrate' | 'choose-language'

const ACTIONS: ReadonlyMap<string, SentenceAction> = new Map<Sentence['key'], SentenceAction>([
  ['rightRoll', 'calibrate'],
  ['otherRoll', 'calibrate'],
  ['chooseLanguage', 'choose-language'],
  ['chooseAndRelease', 'choose-language'],
])

/** What a message and its hint ask a person to do, each thing once. */
export function listAsked(...messages: readonly Sentences[]): readonly SentenceAction[] {
  const asked = messages.flat().flatMap(({ key }) => ACTIONS.get(key) ?? [])
  return [...new Set(asked)]
}
