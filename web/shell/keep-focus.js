/** Elements that open and go again: the focus comes back from there. */
const PASSING = 'dialog, .notice'
/** Elements that are redrawn as a whole; the focus stays at the same button. */
const CARDS = '.card, .job, .group-head'
/** Not the fields: on a phone they would bring up the keyboard. */
const TARGETS = 'a[href], button, summary'

/**
 * Moves the focus when the page takes away, hides or disables the element that has it: to the nearest one. A browser
 * would begin at the top again.
 */
export function keepFocus() {
  /** The element that had the focus, and the elements around it from the inside out, each with its place there. */
  let last = /** @type {{ at: HTMLElement, around: [HTMLElement, number][] } | undefined} */ (
    undefined
  )
  /** Something that opens and goes had it since, or the page has moved what had it, which takes it away too. */
  let isPassing = false
  let isDue = false

  function look() {
    isDue = false
    const now = document.activeElement
    if (now instanceof HTMLElement && now !== document.body && isThere(now)) {
      isPassing = now.closest(PASSING) !== null
      if (!isPassing) last = { at: now, around: placesOf(now) }
    } else if (document.querySelector('dialog[open]') === null) goOn()
  }

  function goOn() {
    // What is there without it was left by the person: a field by the key that ends the keyboard of a phone.
    if (last !== undefined && !isPassing && isThere(last.at)) last = undefined
    if (last !== undefined) nearestTo(last)?.focus({ preventScroll: true })
  }

  document.addEventListener('focusin', look)
  // Whoever presses beside everything lets go of it.
  document.addEventListener(
    'click',
    () => {
      if (document.activeElement === document.body) last = undefined
    },
    true,
  )
  const changes = new MutationObserver((all) => {
    const at = last?.at
    const isHere = (/** @type {Node} */ node) => at !== undefined && node.contains(at)
    isPassing ||= all.some(({ addedNodes }) => [...addedNodes].some(isHere))
    if (!isDue) requestAnimationFrame(look)
    isDue = true
  })
  changes.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['class', 'disabled', 'hidden', 'open'],
  })
}

/** Tells whether an element can have the focus. `checkVisibility` came with Safari 17. @param {Element} element */
function isThere(element) {
  const isOff = element.matches(':disabled, details:not([open]) > :not(summary) *')
  return !isOff && element.getClientRects().length > 0
}

/** @param {HTMLElement} element @returns {[HTMLElement, number][]} */
function placesOf(element) {
  const around = element.parentElement
  if (around === null || around === document.body) return []
  return [[around, [...around.children].indexOf(element)], ...placesOf(around)]
}

/** @param {{ at: HTMLElement, around: [HTMLElement, number][] }} last */
function nearestTo({ at, around }) {
  const all = around.filter(([element]) => isThere(element))
  return [at, ...all.flatMap((place) => nearIn(place, at.dataset['action']))].find(isThere)
}

/** @param {[HTMLElement, number]} place @param {string} [action] @returns {HTMLElement[]} the nearest first */
function nearIn([around, place], action) {
  const same = around.matches(CARDS) ? allIn(around, `[data-action="${action}"]`) : []
  if (around.matches('[tabindex]')) return [...same, around]
  const beside = allIn(around, ':scope > *')
  const [before, after] = [beside.slice(0, place), beside.slice(place)].map(targetsIn)
  return [...same, ...(after ?? []), ...(before ?? []).toReversed()]
}

/** Cards come before their buttons. @param {HTMLElement[]} elements */
function targetsIn(elements) {
  return elements.flatMap((element) => {
    if (element.matches(`[tabindex], ${TARGETS}`)) return element
    const cards = allIn(element, '[tabindex]')
    return cards.length > 0 ? cards : allIn(element, TARGETS)
  })
}

/** @param {HTMLElement} element @param {string} selector @returns {HTMLElement[]} */
function allIn(element, selector) {
  return [...element.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement)
}
