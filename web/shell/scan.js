/** A person's keys are farther apart. */
const GAP_MS = 50
/** Behind the last character some scanners pause before Enter. */
const END_GAP_MS = 150
/** The fewest characters of a scan: fewer may come from a person who types fast. */
const FEWEST = 6
/** So many characters in a row are hardly a person's. */
const SURE = 3
/** A bar code has at most some 3,000 characters; what goes on longer is a key that is held down, or a program. */
const MOST = 4_000
/** The types of input that take text as it is typed. */
const TEXT_FIELDS = ['text', 'search', 'url', 'email', 'tel', 'password', 'number']

/**
 * Text that was typed at the speed of a scanner.
 * @typedef {object} Burst
 * @property {string} text
 * @property {number} lastAt `timeStamp` of its last key
 * @property {HTMLInputElement | HTMLTextAreaElement | null} field that it was typed into
 * @property {string} before what stood there
 */

/**
 * A bar code scanner is a keyboard that types quickly and ends with Enter or Tab. It types into, presses and chooses
 * nothing here, wherever the focus is: a bar code that was meant for another program, or read by mistake, must not print a
 * label again or choose another printer. The whole code goes to `onScan`.
 * @param {(code: string) => void} onScan
 */
export function readScanner(onScan) {
  /** @type {Burst | undefined} */
  let burst
  /** A key of a person that waits to see whether a scanner goes on. @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  /** The text that a person has typed to find an entry of a menu. */
  let looked = { text: '', at: 0 }

  /** @param {KeyboardEvent} event */
  function down(event) {
    if (['Shift', 'CapsLock', 'AltGraph'].includes(event.key)) return // a capital letter follows
    if (burst !== undefined && !goesOn(event, burst)) burst = undefined
    if (isEnd(event)) end(event)
    else if (isCharacter(event)) add(event)
    // A scanner sends the separators of GS1 as control keys, which are commands of the browser.
    else if (burst !== undefined && burst.text.length >= SURE) swallow(event)
  }

  /** @param {KeyboardEvent} event a character */
  function add(event) {
    const target = event.target
    const field = isTextField(target) ? target : null
    clearTimeout(waiting)
    if (burst === undefined) {
      burst = { text: event.key, lastAt: event.timeStamp, field, before: field?.value ?? '' }
      if (target instanceof HTMLSelectElement) chooseLater(target, event)
      return
    }
    burst.text = (burst.text + event.key).slice(0, MOST)
    burst.lastAt = event.timeStamp
    // Into a text both a person and a scanner type; it is as it was when the scan is over.
    if (burst.field === null || burst.field !== field) swallow(event)
  }

  /** @param {KeyboardEvent} event Enter or Tab */
  function end(event) {
    const scan = burst
    burst = undefined
    clearTimeout(waiting)
    if (scan === undefined || scan.text.trim().length < FEWEST) return
    swallow(event)
    if (scan.field !== null && scan.field.value !== scan.before) {
      scan.field.value = scan.before
      scan.field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    onScan(scan.text.trim())
  }

  /**
   * A letter chooses from a menu. It does so when no scanner goes on, and as a browser does: letters that follow within a
   * second belong together.
   * @param {HTMLSelectElement} select
   * @param {KeyboardEvent} event
   */
  function chooseLater(select, event) {
    // Space opens the menu.
    if (event.key === ' ' && event.timeStamp - looked.at > 1_000) return
    swallow(event)
    const isMore = event.timeStamp - looked.at <= 1_000
    looked = { text: (isMore ? looked.text : '') + event.key.toLowerCase(), at: event.timeStamp }
    const { text } = looked
    waiting = setTimeout(() => choose(select, text), GAP_MS)
  }

  /** Space presses when it is let go; a scanner has let go before its next character. @param {KeyboardEvent} event */
  function up(event) {
    if (event.key !== ' ' || burst === undefined) return
    const target = event.target
    const isPressed = target instanceof HTMLElement && target.matches('button, summary, input')
    if (!isPressed || isTextField(target)) return
    event.preventDefault()
    if (burst.text !== ' ') return
    clearTimeout(waiting)
    const left = GAP_MS - (event.timeStamp - burst.lastAt)
    waiting = setTimeout(() => target.click(), Math.max(0, left))
  }

  addEventListener('keydown', down, true)
  addEventListener('keyup', up, true)
}

/** Tells whether a key comes as soon as a scanner's next one. @param {KeyboardEvent} event @param {Burst} burst */
function goesOn(event, { lastAt }) {
  return !event.repeat && event.timeStamp - lastAt <= (isEnd(event) ? END_GAP_MS : GAP_MS)
}

/** @param {KeyboardEvent} event */
function isCharacter({ key, ctrlKey, metaKey, altKey }) {
  return [...key].length === 1 && !ctrlKey && !metaKey && !altKey
}

/** @param {KeyboardEvent} event */
function isEnd({ key, ctrlKey }) {
  // A line end that a scanner sends as a control key.
  return (
    key === 'Enter' || key === 'Tab' || (ctrlKey && ['j', 'm', 'i'].includes(key.toLowerCase()))
  )
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** @param {EventTarget | null} target @returns {target is HTMLInputElement | HTMLTextAreaElement} */
function isTextField(target) {
  if (target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && TEXT_FIELDS.includes(target.type)
}

/** The first entry that begins so; one letter again and again goes through those that begin with it. @param {HTMLSelectElement} select @param {string} text */
function choose(select, text) {
  const options = [...select.options].filter(({ disabled }) => !disabled)
  const isSame = [...text].every((letter) => letter === text[0])
  const wanted = isSame ? (text[0] ?? '') : text
  const from = options.findIndex(({ selected }) => selected) + (isSame ? 1 : 0)
  const inTurn = [...options.slice(from), ...options.slice(0, from)]
  const found = inTurn.find((option) => option.text.trim().toLowerCase().startsWith(wanted))
  if (found === undefined || found.selected) return
  found.selected = true
  for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
}
