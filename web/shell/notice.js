import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { CallError } from './api.js'
import { t } from './texts.js'

const SHOWN_MS = 6_000
/** Milliseconds for which an action can be taken back. */
export const UNDO_MS = 8_000

/**
 * Shows messages of the page: faults in a bar that stays until it is closed, good news in one that goes by itself, and
 * changes of labels for screen readers only.
 * @param {HTMLElement} bar
 * @param {HTMLElement} said
 */
export function createNotice(bar, said) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function clear() {
    clearTimeout(timer)
    bar.replaceChildren()
  }

  /**
   * @param {'bad' | 'good'} tone
   * @param {string} message
   * @param {string} hint
   * @param {{ stays?: boolean, detail?: string, shownMs?: number, more?: HTMLElement }} [how]
   */
  function show(tone, message, hint, how = {}) {
    const { stays = tone === 'bad', detail = '', shownMs = SHOWN_MS, more } = how
    clear()
    bar.append(
      el(
        'div',
        { class: `notice-box tone-${tone}` },
        icon(tone === 'bad' ? 'warn' : 'check'),
        el(
          'div',
          { class: 'notice-text' },
          el('p', {}, el('strong', {}, message), hint !== '' && ` ${hint}`),
          drawDetails(detail),
        ),
        more ?? '',
        el('button', { type: 'button', class: 'close', 'aria-label': t('close'), onclick: clear }),
      ),
    )
    if (!stays) timer = setTimeout(clear, shownMs)
  }

  return {
    clear,
    /**
     * @param {string} message
     * @param {string} [hint]
     * @param {{ stays?: boolean }} [how] until it is closed, as a fault does
     */
    tell: (message, hint = '', { stays = false } = {}) => show('good', message, hint, { stays }),
    /**
     * Something that was done and can be taken back for `UNDO_MS`.
     * @param {string} message
     * @param {string} words what takes it back
     * @param {() => void} undo
     */
    offer(message, words, undo) {
      const onclick = () => {
        clear()
        undo()
      }
      const more = el('button', { type: 'button', 'data-action': 'undo', onclick }, words)
      show('good', message, '', { shownMs: UNDO_MS, more })
    },
    /** @param {unknown} error a refusal is shown in its own words; anything else is a fault of the page */
    fault(error) {
      if (error instanceof CallError)
        return show('bad', error.message, error.hint, { detail: error.detail })
      // A fault of the page itself: `unhandledrejection` shows it, the console keeps its trace.
      throw error
    },
    /**
     * Something that did not happen, until it is closed.
     * @param {string} message
     * @param {string} hint
     */
    warn: (message, hint) => show('bad', message, hint),
    broken: () => show('bad', t('pageFault'), t('pageFaultHint')),
    /** @param {string} sentence */
    say(sentence) {
      said.textContent = sentence
    },
  }
}

/** @typedef {ReturnType<typeof createNotice>} Notice */
