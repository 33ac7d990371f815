import { el } from './element.js'

/**
 * Keeps the items of a list in step with things that have a key: an item is made again only when its thing changed, and
 * the button that had the focus keeps it.
 * @template T
 * @param {HTMLElement} list
 * @param {object} how
 * @param {(thing: T) => string} how.keyOf
 * @param {(thing: T) => import('./element.js').Child[]} how.draw
 */
export function createCards(list, { keyOf, draw }) {
  /** @type {Map<string, { card: HTMLElement, drawing: string }>} */
  const cards = new Map()

  /** @param {T} thing */
  function put(thing) {
    const key = keyOf(thing)
    const known = cards.get(key) ?? {
      card: el('li', { class: 'card', tabindex: -1 }),
      drawing: '',
    }
    cards.set(key, known)
    // Times of an earlier day are said with their date.
    const drawing = JSON.stringify([thing, new Date().toDateString()])
    if (known.drawing !== drawing) redraw(known.card, draw(thing))
    known.drawing = drawing
    return known.card
  }

  return {
    /** @param {readonly T[]} things in their order */
    update(things) {
      const fresh = things.map(put)
      const at = [...list.children].findIndex((card) => card.contains(document.activeElement))
      const isLost = at >= 0 && !fresh.some((card) => card === list.children[at])
      for (const [key, { card }] of cards) {
        if (fresh.includes(card)) continue
        cards.delete(key)
        card.remove()
      }
      fresh.forEach((card, i) => {
        if (list.children[i] !== card) list.insertBefore(card, list.children[i] ?? null)
      })
      if (!isLost) return
      // The keyboard goes on with the next one.
      list.tabIndex = -1
      ;(fresh[at] ?? fresh.at(-1) ?? list).focus({ preventScroll: true })
    },
  }
}

/**
 * @param {HTMLElement} card
 * @param {import('./element.js').Child[]} content
 */
function redraw(card, content) {
  const focused = card.contains(document.activeElement) ? document.activeElement : null
  const action = focused instanceof HTMLElement ? focused.dataset['action'] : undefined
  card.replaceChildren(...content.filter((child) => child instanceof Node))
  if (focused === null) return
  const same = action === undefined ? null : card.querySelector(`[data-action="${action}"]`)
  ;(same instanceof HTMLElement ? same : card).focus({ preventScroll: true })
}

/**
 * The row of a card with its one button.
 * @param {string} words
 * @param {string} label what it does to which thing, for screen readers
 * @param {() => unknown} onclick
 * @param {string} [look] classes
 */
export function cardButton(words, label, onclick, look) {
  // By its action a card that is drawn again finds the button that had the focus.
  const attributes = {
    type: 'button',
    class: look,
    'data-action': words,
    'aria-label': label,
    onclick,
  }
  const button = el('button', attributes, words)
  return el('div', { class: 'card-buttons' }, button)
}
