/** @import { Language, Printer } from '../shell/shapes.js' */

import { t, tell } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { needsCalibrating, printerFacts, printerWords, slowWords } from './printer-words.js'

/**
 * An action of a person on a printer.
 * @typedef {'test' | 'start' | 'calibrate' | 'change' | 'cancel' | 'default' | 'remove'} Action
 */

/**
 * A printer as it is now, with its one sentence, the question of its language while that is unknown, and its buttons.
 * @param {Printer} printer
 * @param {object} more
 * @param {boolean} more.hasStart it may print the start label of the box
 * @param {Language[]} more.languages those it may speak
 * @param {(action: Action, printer: Printer) => void} more.act
 * @param {(printer: Printer, language: Language) => void} more.speak takes the answer
 */
export function drawPrinter(printer, { hasStart, languages, act, speak }) {
  const { tone, words, why, todo, icon: sign } = printerWords(printer)
  const asks = printer.language === null && printer.state !== 'stopped'
  const slow = slowWords(printer)
  /**
   * @param {Action} action
   * @param {string} text
   * @param {string} [more] a class
   */
  const button = (action, text, more) =>
    el(
      'button',
      {
        type: 'button',
        class: more,
        'data-action': action,
        'aria-label': `${text}: ${printer.name}`,
        onclick: () => act(action, printer),
      },
      text,
    )
  return [
    el(
      'div',
      { class: 'card-head' },
      el('h3', {}, printer.name),
      printer.default && el('span', { class: 'badge' }, t('isDefault')),
    ),
    el('p', { class: `state tone-${tone}` }, icon(sign), words),
    why !== '' && el('p', { class: 'why' }, why),
    todo !== '' && el('p', { class: 'todo' }, todo),
    drawDetails(printer.detail),
    asks && drawQuestion(printer, languages, speak),
    el('p', { class: 'facts' }, printerFacts(printer).join(' · ')),
    el('p', { class: 'facts code' }, printer.uri),
    slow !== '' && el('p', { class: 'facts' }, slow),
    printer.backup && drawBackup(printer.backup),
    el(
      'div',
      { class: 'card-buttons' },
      needsCalibrating(printer) && button('calibrate', t('calibrate'), 'primary'),
      button('test', t('printTest')),
      button('change', t('change'), 'plain'),
      hasStart && button('start', t('printStart'), 'plain'),
      !printer.default && button('default', t('makeDefault'), 'plain'),
      printer.language !== null &&
        !needsCalibrating(printer) &&
        button('calibrate', t('calibrate'), 'plain'),
      button('cancel', t('cancelAll'), 'plain danger'),
      button('remove', t('removeIt'), 'plain danger'),
    ),
  ]
}

/** @param {NonNullable<Printer['backup']>} backup */
function drawBackup({ printer, box, minutes, message, texts }) {
  const to = box === '' ? printer : `${printer} (${box})`
  return el(
    'div',
    {},
    el('p', { class: 'facts' }, t('backupRule', { n: minutes, to })),
    message !== '' && el('p', { class: 'why' }, tell(texts?.message, message)),
  )
}

/**
 * Asked once: one press is the answer.
 * @param {Printer} printer
 * @param {Language[]} languages
 * @param {(printer: Printer, language: Language) => void} speak
 */
export function drawQuestion(printer, languages, speak) {
  const choices = languages.map((language) =>
    el(
      'button',
      {
        type: 'button',
        class: 'choice',
        'data-action': language.name,
        'aria-label': t('speaksOf', {
          name: printer.name,
          language: language.title,
          makers: language.makers,
        }),
        onclick: () => speak(printer, language),
      },
      el('strong', {}, language.title),
      el('span', {}, language.makers),
    ),
  )
  return el(
    'div',
    { class: 'languages', role: 'group', 'aria-label': t('itsLanguage') },
    ...choices,
  )
}
