import type { Sentence, Sentences } from './say.ts'

/** An action that a sentence asks a person to take, if a button or a program can do it. Decision `actions-are-made`. */
export type SentenceAction = 'calibrate' | 'choose-language'

const ACTIONS: ReadonlyMap<string, SentenceAction> = new Map<Sentence['key'], SentenceAction>([
  ['rightRoll', 'calibrate'],
  ['otherRoll', 'calibrate'],
  ['chooseLanguage', 'choose-language'],
  ['chooseAndRelease', 'choose-language'],
])

/** Lists the actions that a message and its hint ask for, each once. */
export function listAsked(...messages: readonly Sentences[]): readonly SentenceAction[] {
  const asked = messages.flat().flatMap(({ key }) => ACTIONS.get(key) ?? [])
  return [...new Set(asked)]
}
