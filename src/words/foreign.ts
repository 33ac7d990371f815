import { isKnown, NOTHING, readSentences, type Sentences } from './say.ts'

const MOST = { sentences: 20, values: 20, letters: 1_000 } as const

/**
 * Reads the sentences of another program, a print server or a backup, if this one knows them; undefined otherwise. Values are cut, and have
 * no control characters, because no name and no sentence of ours has any.
 */
export function readForeign(data: unknown): Sentences | undefined {
  const said = readSentences(data)
  if (said === undefined || said.length > MOST.sentences || !said.every(isKnown)) return undefined
  if (said.some(({ values }) => Object.keys(values).length > MOST.values)) return undefined
  if (said.length === 0) return NOTHING
  return said.map(({ key, values }) => ({
    key,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, tidy(value)] as const),
    ),
  }))
}

function tidy(value: string | number): string | number {
  if (typeof value === 'number') return value
  return value
    .slice(0, MOST.letters)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
}
