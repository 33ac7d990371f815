// Checks the texts of src/words/: that each language has no other keys, places and plurals than English has, and that `say` and `t`
// are called with what their texts are filled with. What a language lacks is said in English, so that is a note and no fault.
//   usage: node test/words.ts [--missing]
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import {
  type CallExpression,
  type ConditionalExpression,
  type Literal,
  type Node,
  type ObjectExpression,
  parse,
} from 'acorn'
import { full } from 'acorn-walk'
import type { FieldDescription } from '../src/settings/describe.ts'
import { listForms } from '../src/words/format.js'
import { ENGLISH } from '../src/words/say.ts'
import { describeSchema } from './settings/all.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'src/words')
const SHOWN = 5
const COUNTED = 1_000

type Texts = Readonly<Record<string, string>>

/** A language of `src/words/`. */
export function readTexts(language: string): Texts {
  return JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as Texts
}

/** Lists the languages besides English. */
export function listLanguages(): readonly string[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && name !== 'en.json')
  return files.map((name) => name.replace('.json', ''))
}

/** All that is said in English and can be translated: settings have it in their schema, and can-print.js, which shops copy, in itself. */
export function readEnglish(): Texts {
  const said = Object.entries(ENGLISH).filter(([key]) => !key.endsWith('.meaning'))
  const canPrint = Object.entries(readCanPrint()).map(([key, text]) => [`canPrint.${key}`, text])
  return Object.fromEntries([...said, ...listSettings(describeSchema()), ...canPrint])
}

function listSettings(fields: readonly FieldDescription[], around = ''): [string, string][] {
  return fields.flatMap(({ key, title, description, only, fields: inner = [] }) => {
    const path = [around, only?.[0] ?? '', key].filter((part) => part !== '').join('.')
    const own: [string, string][] = [
      [`setting.${path}.title`, title],
      [`setting.${path}.help`, description],
    ]
    return [...own, ...listSettings(inner, key)]
  })
}

function readCanPrint(): Texts {
  const script = readFileSync(join(ROOT, 'web/can-print.js'), 'utf8')
  const window: { platenCanPrint?: { ENGLISH: Texts } } = {}
  const page = { window, document: {}, location: {}, HTMLScriptElement: Object }
  new Function(...Object.keys(page), script)(...Object.values(page))
  return window.platenCanPrint?.ENGLISH ?? {}
}

/** Lists the faults of a language's texts. */
export function listFaults(language: string, texts: Texts, english: Texts): readonly string[] {
  const faults: string[] = []
  for (const [key, text] of Object.entries(texts)) {
    const where = `${language}.json, ${key}`
    const original = english[key]
    if (original === undefined) {
      faults.push(`${where}: en.json has no such text`)
      continue
    }
    const [wanted, given] = [placesOf(original), placesOf(text)]
    if (wanted.join() !== given.join()) {
      faults.push(
        `${where}: has the places {${given.join('} {')}}, English has {${wanted.join('} {')}}`,
      )
    }
    faults.push(...listOdd(language, text).map((fault) => `${where}: ${fault}`))
  }
  return faults
}

/** Lists the faults of a text's notation. */
function listOdd(language: string, text: string): readonly string[] {
  const forms = listForms(text)
  const faults: string[] = []
  if ([...forms.values()].some((form) => /[{}]/.test(form.replace(/\{\w+\}/g, '')))) {
    faults.push('a brace stands alone, or a plural is written in another way')
  }
  if (/'[{}']/.test(text)) faults.push('an apostrophe before a brace is a sign of ICU: write ’')
  if (forms.size === 1 && !text.includes(', plural,')) return faults
  if (text.includes('#')) faults.push('# is a sign of ICU in a plural: write {n}')
  const plurals = pluralsOf(language)
  if ([...forms.keys()].toSorted().join() !== plurals.join()) {
    faults.push(`has the plurals ${[...forms.keys()].join(', ')}, not ${plurals.join(', ')}`)
  }
  return faults
}

/** The plurals of whole numbers that labels are counted by; Spanish and French have another one from a million on. */
function pluralsOf(language: string): readonly string[] {
  const rules = new Intl.PluralRules(language)
  const counted = Array.from({ length: COUNTED }, (_, n) => rules.select(n))
  return [...new Set([...counted, 'other'])].toSorted()
}

/** Lists the values that fill a text; each of its plurals may leave out the number. */
function placesOf(text: string): readonly string[] {
  const all = [...listForms(text).values()].join(' ').matchAll(/\{(\w+)\}/g)
  const counted = [...text.matchAll(/\{(\w+), plural,/g)]
  return [...new Set([...all, ...counted].map(([, name = '']) => name))].toSorted()
}

/** Calls that fill a text with other values than it has places for; what is known only when it runs is left out. */
export function listWrongCalls(file: string, code: string, english: Texts): readonly string[] {
  const [name, prefix] = file.startsWith('web/') ? ['t', 'page.'] : ['say', '']
  const faults: string[] = []
  const program: Node = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  })
  full(program, (node) => {
    const { type, callee, arguments: list } = node as CallExpression
    if (type !== 'CallExpression' || callee.type !== 'Identifier' || callee.name !== name) return
    const [key, values] = list
    const given = valuesOf(values)
    if (key === undefined || given === undefined) return
    for (const one of keysOf(key)) {
      const text = english[`${prefix}${one}`]
      if (text === undefined || fits(text, given)) continue
      const where = `${file}:${node.loc?.start.line}`
      faults.push(`${where}: ${name}('${one}') with {${given}}, its text has {${placesOf(text)}}`)
    }
  })
  return faults
}

/** Tells whether a text is filled with these; `{1}` is an element of a page, and not a value. */
function fits(text: string, given: readonly string[]): boolean {
  return (
    placesOf(text)
      .filter((place) => !/^\d$/.test(place))
      .join() === given.join()
  )
}

/** The keys that an expression may be, as far as they are written there. */
function keysOf(key: Node): readonly string[] {
  if (key.type === 'Literal') return [String((key as Literal).value)]
  if (key.type !== 'ConditionalExpression') return []
  const { consequent, alternate } = key as ConditionalExpression
  return [...keysOf(consequent), ...keysOf(alternate)]
}

/** The names of the values that are given; undefined where that is not written there. */
function valuesOf(values: Node | undefined): readonly string[] | undefined {
  if (values === undefined) return []
  if (values.type !== 'ObjectExpression') return undefined
  const names = (values as ObjectExpression).properties.map((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '',
  )
  return names.includes('') ? undefined : names.toSorted()
}

function checkCalls(english: Texts): readonly string[] {
  return globSync(['src/**/*.ts', 'web/**/*.js'], { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    // can-print.js has a `t` and texts of its own.
    if (!/\b(?:say|t)\('/.test(text) || file === 'web/can-print.js') return []
    return listWrongCalls(file, file.endsWith('.ts') ? stripTypeScriptTypes(text) : text, english)
  })
}

function main(): void {
  const english = readEnglish()
  const faults = [
    ...Object.entries(ENGLISH).flatMap(([key, text]) =>
      listOdd('en', text).map((fault) => `en.json, ${key}: ${fault}`),
    ),
    ...checkCalls(english),
  ]
  for (const language of listLanguages()) {
    const texts = readTexts(language)
    faults.push(...listFaults(language, texts, english))
    const missing = Object.keys(english).filter((key) => texts[key] === undefined)
    if (missing.length === 0) continue
    const shown = process.argv.includes('--missing') ? missing : missing.slice(0, SHOWN)
    const more = shown.length < missing.length ? ' … (node test/words.ts --missing)' : ''
    console.log(`note: ${language}.json lacks ${missing.length}: ${shown.join(' ')}${more}`)
  }
  if (faults.length === 0) return
  console.error(faults.join('\n'))
  process.exitCode = 1
}

if (import.meta.main) main()
