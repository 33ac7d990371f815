/** A mouse that has not moved for so long is not about to press. */
const REST_MS = 5_000
/** After a finger has left the list the next one may come. */
const FINGER_MS = 1_000
/** Nobody has seen where a row is that moved a moment ago. */
const MOVED_MS = 300
/** Dots that a row may move without being another one for the hand. */
const SLACK = 4

/**
 * Keeps the list still under a hand: while the mouse or a finger is on one of the areas nothing there moves, and a press on a row
 * that has just moved presses nothing.
 * @param {object} parts
 * @param {HTMLElement[]} parts.areas
 * @param {HTMLElement} parts.more what a hand may go to from there
 * @param {string} parts.rows what in them can move, as a selector
 * @param {() => void} parts.onRelease what waited may be placed now
 * @param {() => void} parts.onRefused a press was refused
 */
export function keepStill({ areas, more, rows, onRelease, onRefused }) {
  let heldUntil = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /** @param {number} ms */
  function hold(ms) {
    heldUntil = performance.now() + ms
    clearTimeout(timer)
    timer = setTimeout(release, ms)
  }

  function release() {
    clearTimeout(timer)
    if (heldUntil === 0) return
    heldUntil = 0
    onRelease()
  }

  const isOn = (/** @type {Event} */ { target }) =>
    target instanceof Node && [...areas, more].some((area) => area.contains(target))
  const touch = (/** @type {PointerEvent} */ event) => {
    if (!isOn(event)) return event.pointerType === 'mouse' ? release() : undefined
    hold(event.pointerType === 'mouse' ? REST_MS : FINGER_MS)
  }
  for (const type of /** @type {const} */ (['pointermove', 'pointerdown', 'pointerup']))
    addEventListener(type, touch, { capture: true, passive: true })
  document.documentElement.addEventListener('pointerleave', release)

  refuseMoved({ areas, rows, onRefused })

  return { isHeld: () => performance.now() < heldUntil, release }
}

/**
 * @param {Pick<Parameters<typeof keepStill>[0], 'areas' | 'rows' | 'onRefused'>} parts
 */
function refuseMoved({ areas, rows, onRefused }) {
  /** The last place of each row in sight, from the top of the page. @type {Map<Element, number>} */
  const tops = new Map()
  /** @type {WeakMap<Element, number>} */
  const movedAt = new WeakMap()
  /** @type {Set<Element>} */
  const inSight = new Set()
  /** @type {WeakSet<Element>} */
  const watched = new WeakSet()
  let isDue = false
  let downAt = 0
  /** The time when the mouse last moved: from then on it points where the person aims. A finger gives no such sign. */
  let aimedAt = 0

  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inSight.add(target)
      else {
        inSight.delete(target)
        tops.delete(target)
      }
    }
    // Where it is when it comes into sight; a list that is scrolled does not move.
    for (const row of inSight) if (!tops.has(row)) tops.set(row, topOf(row))
  })

  function look() {
    isDue = false
    const now = performance.now()
    const fresh = watchNew()
    const moved = [...inSight].filter((row) => {
      const [top, before] = [topOf(row), tops.get(row)]
      tops.set(row, top)
      return before !== undefined && Math.abs(top - before) > SLACK
    })
    // One that has come between others stands where another one stood.
    const all = moved.length > 0 ? [...moved, ...fresh] : []
    for (const row of all) movedAt.set(row, now)
  }

  function watchNew() {
    const all = areas.flatMap((area) => [...area.querySelectorAll(rows)])
    const fresh = all.filter((row) => !watched.has(row))
    for (const row of fresh) {
      watched.add(row)
      sight.observe(row)
    }
    return fresh
  }

  const changes = new MutationObserver(() => {
    if (!isDue) requestAnimationFrame(look)
    isDue = true
  })
  const options = { subtree: true, childList: true, attributeFilter: ['hidden', 'class'] }
  for (const area of areas) changes.observe(area.parentElement ?? area, options)

  addEventListener(
    'pointermove',
    ({ pointerType }) => {
      if (pointerType === 'mouse') aimedAt = performance.now()
    },
    { capture: true, passive: true },
  )
  addEventListener(
    'pointerdown',
    ({ pointerType }) => {
      downAt = performance.now()
      if (pointerType !== 'mouse') aimedAt = 0
    },
    true,
  )
  addEventListener(
    'click',
    (event) => {
      const { target, detail } = event
      // A press of the keyboard is one of what has the focus, wherever that has moved.
      if (detail === 0 || !(target instanceof Element) || target.closest('button, a') === null)
        return
      const row = areas.some((area) => area.contains(target)) ? target.closest(rows) : null
      const moved = row === null ? undefined : movedAt.get(row)
      if (moved === undefined || moved > downAt || moved < aimedAt) return
      if (downAt - moved > MOVED_MS) return
      event.preventDefault()
      event.stopImmediatePropagation()
      onRefused()
    },
    true,
  )
}

/** @param {Element} row */
function topOf(row) {
  return row.getBoundingClientRect().top + scrollY
}
