import { Buffer } from 'node:buffer'
import { epl } from './epl/index.ts'
import {
  type Finding,
  Findings,
  type Language,
  type LanguageSign,
  type SignInput,
  type TruncatedCommand,
} from './language.ts'
import type { AnswerFacts, FoundQuestion, PortQuestion } from './questions.ts'
import { tspl } from './tspl/index.ts'
import { zpl } from './zpl/index.ts'

/** The list: each language is one word here, and its folder. */
const LANGUAGES = [zpl, epl, tspl] as const

/** The name of a language, e.g. `zpl`. */
export type LanguageName = (typeof LANGUAGES)[number]['name']

/** Every printer language: what a picture can be turned into, and what passes as it is. */
export const languages: readonly Language<LanguageName>[] = LANGUAGES

/** For checks, in the order of the list. */
export const languageNames: readonly LanguageName[] = languages.map(({ name }) => name)

/** The names in a sentence, e.g. `zpl, epl or tspl`. */
export const namedLanguages = listWords(languageNames, 'or')

/** The titles in a sentence, e.g. `ZPL, EPL and TSPL`. */
export const titledLanguages = listWords(
  languages.map(({ title }) => title),
  'and',
)

const byName: ReadonlyMap<string, Language<LanguageName>> = new Map(
  languages.map((language) => [language.name, language]),
)

/** The language of this name; undefined when there is none, e.g. of a picture's format. */
export function findLanguage(name: LanguageName): Language<LanguageName>
export function findLanguage(name: string | undefined): Language<LanguageName> | undefined
export function findLanguage(name: string | undefined): Language<LanguageName> | undefined {
  return byName.get(name ?? '')
}

/** True when labels of this format are commands, which reach the printer byte for byte. */
export function isLanguage(format: string): format is LanguageName {
  return byName.has(format)
}

/** `a, b or c`. */
export function listWords(words: readonly string[], last: 'and' | 'or'): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${last} `)
}

const SIGNS = languages
  .flatMap(({ name, signs }) => signs.map((sign) => ({ name, sign })))
  .sort((a, b) => a.sign.doubt - b.sign.doubt)

/** The language of a raw label; undefined when it is of none. `most`: the most doubt of a sign that counts. */
export function detectLanguage(
  label: SignInput,
  most: LanguageSign['doubt'] = 3,
): LanguageName | undefined {
  return SIGNS.find(({ sign }) => sign.doubt <= most && sign.matches(label))?.name
}

/** Texts that labels of any language mostly begin with. */
export const beginnings: readonly string[] = languages.flatMap((language) => language.beginnings)

/** True for a text that begins as labels do, which is not base64. */
export function beginsLabel(text: string): boolean {
  const head = text.trimStart()
  if (languages.some(({ commands }) => commands?.begins.test(head))) return true
  return beginnings.some((beginning) => head.toUpperCase().startsWith(beginning))
}

/** Questions of all languages that programs ask on the port of the labels. */
export const portQuestions: readonly PortQuestion[] = languages.flatMap(
  ({ questions }) => questions ?? [],
)

/** The question that a line or a command begins with; undefined when it is none. */
export function findQuestion(text: string): FoundQuestion | undefined {
  for (const question of portQuestions) {
    const found = question.asks instanceof RegExp ? question.asks.exec(text) : null
    if (found !== null) return { question, length: found[0].length }
  }
  return undefined
}

/** The answer as the printer would give it, one character a byte; '' = silence, as of a printer that is switched off. */
export function answerQuestion(question: PortQuestion, facts: AnswerFacts): string {
  return facts.reasons.includes('offline') ? '' : question.answer(facts)
}

/** True for a media type of a language: the one that printers announce, or another one that ends with its name. */
export function isLanguageType(type: string): boolean {
  const last = type.startsWith('application/') ? (type.split(/[/.-]/).at(-1) ?? '') : ''
  return isLanguage(last) || languages.some(({ mediaType }) => mediaType === type)
}

/** False of a file of another kind that holds words of this language by chance. */
export function isPlain(language: LanguageName, bytes: Buffer, start: number): boolean {
  return findLanguage(language).isPlain(bytes, start)
}

/** Result of scanning a raw label. */
export interface LabelScan {
  /** Commands that do more to the printer than print the label, each command once, in the order of the label. */
  readonly commands: readonly Finding[]
  /** The command that says more data than there are: the label ends inside a picture, font, form or file. */
  readonly cut: TruncatedCommand | undefined
}

/**
 * Looks for what spoils a printer, or the labels after this one; finds nothing in pictures. Reads every byte once or
 * twice, never throws, and takes graphics for the data they are.
 */
export function scanLabel(label: Uint8Array, format: string): LabelScan {
  const steps = scanInSteps(label, format)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Scans with pauses, in which others may have their turn. */
export function* scanInSteps(
  label: Uint8Array,
  format: string,
): Generator<void, LabelScan, undefined> {
  const findings = new Findings()
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  const language = findLanguage(format)
  if (language !== undefined) yield* language.scan(bytes, 0, findings)
  return { commands: findings.list(), cut: findings.cut }
}
