/**
 * A printer of a paired box.
 * @typedef {object} PeerPrinter
 * @property {string} box identity of the box
 * @property {string} boxName
 * @property {string} name
 * @property {string} state
 * @property {string} message
 * @property {import('../shell/shapes.js').SaidTexts} [texts] that for other languages
 */

/** @type {PeerPrinter[]} */
let known = []
let isSure = false
/** @type {(() => void)[]} */
const listeners = []

/** @param {() => void} listen the first printers are known, or none is any more */
export const onPeers = (listen) => listeners.push(listen)

/** True when every paired box has answered. */
export const haveAllAnswered = () => isSure

/** True when paired boxes have printers, as far as this page knows. */
export const hasPeers = () => known.length > 0

/**
 * Asks for the printers of paired boxes that answer now.
 * @param {import('../shell/api.js').Api} api
 * @returns {Promise<PeerPrinter[]>}
 */
export async function lookForPeers(api) {
  const answer = await api.call('GET', '/peers').catch(() => undefined)
  /** @type {{ id: string, name: string, message: string, printers: PeerPrinter[] }[]} */
  const peers = answer?.peers ?? []
  isSure = answer !== undefined && peers.every(({ message }) => message === '')
  const had = hasPeers()
  known = peers
    .filter(({ message }) => message === '')
    .flatMap(({ id, name, printers }) =>
      printers.map((printer) => ({ ...printer, box: id, boxName: name })),
    )
  if (hasPeers() !== had) for (const listen of listeners) listen()
  return known
}
