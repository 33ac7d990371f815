import { el } from './widgets/element.js'
import './small-texts.js'
import { t } from './shell/texts.js'

/** @typedef {Record<string, any>} Schema */

const DEEPEST = 5

const description = await (await fetch('/openapi.json')).json()
const calls = /** @type {HTMLElement} */ (document.querySelector('#calls'))
const find = /** @type {HTMLInputElement} */ (document.querySelector('#find'))
const none = /** @type {HTMLElement} */ (document.querySelector('#none'))

/** @type {Map<string, HTMLElement>} */
const sections = new Map()
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(/** @type {Schema} */ (methods))) {
    sectionOf(operation.tags[0]).append(drawCall(method, path, operation))
  }
}
find.addEventListener('input', filter)

/** @param {string} tag */
function sectionOf(tag) {
  const known = sections.get(tag)
  if (known !== undefined) return known
  const section = el('section', {}, el('h2', {}, tag))
  sections.set(tag, section)
  calls.append(section)
  return section
}

function filter() {
  const words = find.value.toLowerCase().split(/\s+/)
  let shown = 0
  for (const section of sections.values()) {
    let own = 0
    for (const call of section.querySelectorAll('details')) {
      const text = call.querySelector('summary')?.textContent?.toLowerCase() ?? ''
      call.hidden = !words.every((word) => text.includes(word))
      if (!call.hidden) own += 1
    }
    section.hidden = own === 0
    shown += own
  }
  none.hidden = shown > 0
}

/**
 * The inside is drawn when it is opened: there are many.
 * @param {string} method
 * @param {string} path
 * @param {Schema} operation
 */
function drawCall(method, path, operation) {
  const call = el(
    'details',
    {},
    el(
      'summary',
      {},
      el('span', { class: 'method' }, method.toUpperCase()),
      el('code', {}, path),
      el('span', {}, operation.summary),
    ),
  )
  call.addEventListener('toggle', () => call.append(...drawInside(operation)), { once: true })
  return call
}

/** @param {Schema} operation */
function drawInside({ parameters = [], requestBody, responses }) {
  const inside = []
  if (parameters.length > 0) {
    const lines = parameters.map((/** @type {Schema} */ one) =>
      drawField(`${one.name} (${one.in})`, one.schema, one.description, 1),
    )
    inside.push(el('h4', {}, t('besidesBody')), el('ul', { class: 'shape' }, ...lines))
  }
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    inside.push(el('h4', {}, t('callBody', { type })), drawShape(schema, 0))
  }
  for (const [status, { description: words, content = {} }] of Object.entries(responses)) {
    const title = status === 'default' ? t('otherAnswer') : t('callAnswer', { status })
    inside.push(el('h4', {}, title), el('p', {}, words))
    for (const { schema } of Object.values(content)) inside.push(drawShape(schema, 0))
  }
  return inside
}

/**
 * @param {Schema} given
 * @param {number} depth
 * @returns {HTMLElement}
 */
function drawShape(given, depth) {
  const schema = resolve(given)
  const entries = Object.entries(schema.properties ?? {})
  if (entries.length > 0 && depth <= DEEPEST) {
    const lines = entries.map(([name, one]) => drawField(name, one, '', depth + 1))
    return el('ul', { class: 'shape' }, ...lines)
  }
  const inner = schema.items ?? (schema.oneOf ?? []).find(hasFields)
  if (inner !== undefined && hasFields(inner)) return drawShape(inner, depth)
  return el('p', { class: 'shape' }, describe(schema))
}

/**
 * @param {string} name
 * @param {Schema} given
 * @param {string} words
 * @param {number} depth
 */
function drawField(name, given, words, depth) {
  const schema = resolve(given)
  const told = words || schema.description || ''
  const line = el(
    'li',
    {},
    el('code', {}, name),
    ' ',
    el('span', { class: 'kind' }, describe(schema)),
    told === '' ? '' : ` ${told}`,
  )
  if (hasFields(schema) && depth <= DEEPEST) line.append(drawShape(schema, depth))
  return line
}

/** @param {Schema} schema */
function resolve(schema) {
  const name = schema.$ref?.split('/').pop()
  return name === undefined ? schema : description.components.schemas[name]
}

/** @param {Schema} given
 * @returns {boolean} */
function hasFields(given) {
  const schema = resolve(given)
  if (schema.properties !== undefined) return true
  if (schema.items !== undefined) return hasFields(schema.items)
  return (schema.oneOf ?? []).some(hasFields)
}

/**
 * A kind in a word or two.
 * @param {Schema} given
 * @returns {string}
 */
function describe(given) {
  const schema = resolve(given)
  if (schema.enum !== undefined)
    return schema.enum.length > 12 ? 'one of many' : schema.enum.join(' | ')
  if (schema.oneOf !== undefined) return [...new Set(schema.oneOf.map(describe))].join(' or ')
  if (schema.type === 'array') return `list of ${describe(schema.items ?? {})}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.type ?? 'anything'
}
