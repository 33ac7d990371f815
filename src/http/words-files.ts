import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const FOLDER = new URL('../words/', import.meta.url)

/**
 * The names of the page's files that are made of `src/words/`: by the build, and by a server from source as they are asked
 * for.
 */
export function listWordsFiles(): readonly string[] {
  const languages = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace('.json', ''))
  return [
    ...languages.map((language) => `words/${language}.json`),
    ...languages.filter((language) => language !== 'en').map(canPrintFile),
  ]
}

/** Makes one of these files. */
export async function makeWordsFile(name: string): Promise<string> {
  const language = /[a-z]{2}(?=\.)/.exec(name)?.[0] ?? ''
  const file = new URL(`${language}.json`, FOLDER)
  const texts = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, string>)
  if (name === canPrintFile(language)) {
    const words = texts
      .filter(([key]) => key.startsWith(CAN_PRINT))
      .map(([key, text]) => [key.slice(CAN_PRINT.length), text])
    return `export const words = ${JSON.stringify(Object.fromEntries(words))}\n`
  }
  // What the server says in English it sends itself.
  const own = texts.filter(([key]) => language !== 'en' || key.startsWith('page.'))
  return JSON.stringify(Object.fromEntries(own))
}

const CAN_PRINT = 'canPrint.'

/** Finds what lies beside can-print.js, here and on the sites of shops (docs/can-print.md). */
function canPrintFile(language: string): string {
  return `can-print-${language}.js`
}
