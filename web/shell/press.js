/**
 * A press counts though its button is drawn again under the hand: between down and up of a mouse or of Space a live
 * update may put the same button in its place, and the browser then presses none of the two. What is done is what was
 * pressed, for the label as it was seen then.
 */
export function keepPresses() {
  /** @type {HTMLElement | null} */
  let pressed = null
  const buttonAt = (/** @type {Event} */ { target }) =>
    target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('button')) : null
  const isPress = (/** @type {Event} */ event) =>
    event instanceof KeyboardEvent
      ? event.key === ' ' && !event.repeat
      : event instanceof MouseEvent && event.button === 0

  const down = (/** @type {Event} */ event) => {
    if (isPress(event)) pressed = buttonAt(event)
  }
  const up = (/** @type {Event} */ event) => {
    if (!isPress(event)) return
    const [was, now] = [pressed, buttonAt(event)]
    pressed = null
    if (was === null || was.isConnected || now === null || wordsOf(was) !== wordsOf(now)) return
    event.preventDefault() // Firefox may press the new one by itself
    was.click()
  }
  for (const type of ['mousedown', 'keydown']) addEventListener(type, down, true)
  for (const type of ['mouseup', 'keyup']) addEventListener(type, up, true)
}

/** @param {HTMLElement} button */
function wordsOf(button) {
  return button.getAttribute('aria-label') ?? button.dataset['printer'] ?? button.textContent
}
