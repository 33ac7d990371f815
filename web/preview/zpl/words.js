/** A ZPL label as commands, read as printers read it. */

const FEW = 5_000_000 // bytes of data of one command

/**
 * @typedef {object} Command
 * @property {string} name `^FO`, `~DG`; of fonts `^A` with the font as its first parameter
 * @property {string} data what follows the name, up to the next command
 * @property {string} comma what separates its parameters
 */

/** @typedef {{ caret: string, tilde: string, comma: string }} Prefixes */

/**
 * The commands of a label, one after the other; binary data are never taken for commands.
 * @param {string} text a character a byte
 * @returns {Generator<Command, void, undefined>}
 */
export function* readCommands(text) {
  const prefixes = { caret: '^', tilde: '~', comma: ',' }
  let at = nextPrefix(text, 0, prefixes)
  while (at < text.length) {
    const read = readCommand(text, at, prefixes)
    if (read.command !== undefined) yield read.command
    at = read.next
  }
}

/** @param {string} text @param {number} at @param {Prefixes} prefixes @returns {{ command?: Command, next: number }} */
function readCommand(text, at, prefixes) {
  const { caret, tilde, comma } = prefixes
  const letters = text.slice(at + 1, at + 3).toUpperCase()
  if (changePrefix(prefixes, letters, text[at + 3] ?? ''))
    return { next: nextPrefix(text, at + 4, prefixes) }
  if (text[at + 1] === caret || text[at + 1] === tilde) return { next: at + 1 }
  const isControl = text[at] === tilde
  const isFont = letters[0] === 'A' && !isControl
  const name = (isControl ? '~' : '^') + (isFont ? 'A' : letters)
  const from = at + 1 + (isFont ? 1 : letters.length)
  const end = endOf(text, name, from, prefixes)
  return {
    command: { name, data: text.slice(from, end), comma },
    next: nextPrefix(text, end, prefixes),
  }
}

/** `^CC`, `^CD`, `^CT` take one character as it is. @param {Prefixes} prefixes @param {string} letters @param {string} sign */
function changePrefix(prefixes, letters, sign) {
  if (letters === 'CC') prefixes.caret = sign
  else if (letters === 'CT') prefixes.tilde = sign
  else if (letters === 'CD') prefixes.comma = sign
  else return false
  return true
}

/** @param {string} text @param {number} from @param {Prefixes} prefixes */
function nextPrefix(text, from, { caret, tilde }) {
  let at = from
  while (at < text.length && text[at] !== caret && text[at] !== tilde) at += 1
  return at
}

/** Parameters before data that are bytes, of which one says how many. @type {Readonly<Record<string, RegExp>>} */
const COUNTED = {
  '^GF': /^\s*[BC]\s*,\s*(\d{1,8})\s*,[^,]{0,12},[^,]{0,12},/i,
  // A PNG may come as base64, which begins with a colon.
  '~DY':
    /^[^,]{0,40},\s*(?:[BC]|P(?=(?:[^,]*,){4}(?!:)))\s*,[^,]{0,4},\s*(\d{1,8})\s*,[^,]{0,12},/i,
}

/** Finds the end of a command's data. @param {string} text @param {string} name @param {number} from @param {Prefixes} prefixes */
function endOf(text, name, from, prefixes) {
  const { comma } = prefixes
  const head = COUNTED[name]?.exec(text.slice(from, from + 80).replaceAll(comma, ','))
  if (head) return Math.min(text.length, from + head[0].length + Math.min(FEW, Number(head[1])))
  return nextPrefix(text, from, prefixes)
}

/**
 * The parameters of a command.
 * @param {Command} command
 * @returns {string[]}
 */
export function parametersOf({ data, comma }) {
  return data
    .slice(0, 400)
    .split(comma)
    .map((value) => value.trim())
}

/**
 * A whole number of dots or the like; what is not one is the default.
 * @param {string | undefined} text
 * @param {number} fallback
 * @param {number} [most]
 */
export function whole(text, fallback, most = 32_000) {
  const value = Number.parseFloat(text ?? '')
  if (!Number.isFinite(value)) return fallback
  return Math.max(-most, Math.min(most, Math.round(value)))
}

/** @param {string | undefined} text @returns {import('../paper.js').Turn | undefined} */
export function turnOf(text) {
  const turn = 'NRIB'.indexOf((text ?? '').slice(0, 1).toUpperCase() || '-')
  return turn < 0 ? undefined : /** @type {import('../paper.js').Turn} */ (turn)
}

/** @param {string | undefined} text @param {boolean} fallback */
export function isYes(text, fallback) {
  const letter = (text ?? '').slice(0, 1).toUpperCase()
  return letter === 'Y' ? true : letter === 'N' ? false : fallback
}
