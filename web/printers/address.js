import { t } from '../shell/texts.js'
import { createDialog } from '../widgets/dialog.js'
import { byId, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'

const LOCAL = ['localhost', '127.0.0.1', '[::1]', '::1']
const SVG = 'http://www.w3.org/2000/svg'
const QUIET_ZONE = 4 // modules of white around the code (ISO/IEC 18004, 6.3.8)

/** Tells whether a server that listens there can be reached only from its own computer. @param {string} host */
export const isLocal = (host) => LOCAL.includes(host.toLowerCase())

/**
 * @typedef {object} Info `GET /info`, as far as it tells where this page is found
 * @property {string} version
 * @property {string} host what the server listens on; '' = all of the computer
 * @property {string} ip
 * @property {string[]} [names] under which the SD image is announced
 * @property {string} port
 */

/**
 * The address under which others open this page, or undefined when the server listens to its own computer only.
 * @param {Info} info
 * @param {Pick<Location, 'origin' | 'hostname'>} here
 */
export function findAddress({ host, ip, port, names = [] }, here) {
  const isOpen = !isLocal(host) && ip !== '' && !LOCAL.includes(ip)
  const number = ip.includes(':') ? `[${ip}]` : ip
  // Not every phone knows names of .local, and of two boxes only one has the short name, now this one, now the other.
  if (names.includes(here.hostname) && isOpen) {
    return `${here.origin}/`.replace(here.hostname, number)
  }
  if (!LOCAL.includes(here.hostname)) return `${here.origin}/`
  return isOpen ? `http://${number}:${port}/` : undefined
}

/**
 * Shows on every view where this page is found, with a QR code for phones.
 * @param {Info} info
 */
export function drawAddress(info) {
  const address = findAddress(info, location)
  const place = byId('address')
  if (address === undefined) {
    place.replaceChildren(
      el('p', {}, t('onlyHere', { address: `${location.origin}/` })),
      el('a', { href: '#settings/address' }, t('letIn')),
    )
    return
  }
  place.replaceChildren(
    drawCode(address),
    el('p', {}, `${t('onPhone')}:`, el('strong', {}, address), ...drawNames(info.names)),
  )
  addButton(address, info.names)
}

/**
 * In the bar, where the foot is out of sight: the address, which opens the code so large that a phone reads it from a metre.
 * @param {string} address
 * @param {readonly string[] | undefined} names
 */
function addButton(address, names) {
  const dialog = createDialog('address-dialog')
  const open = () =>
    dialog.open(
      t('onPhone'),
      drawCode(address),
      el('p', { class: 'address-large' }, address),
      el('p', {}, ...drawNames(names)),
      el('p', { class: 'help' }, t('pointCamera')),
    )
  byId('share').replaceChildren(
    el(
      'button',
      { type: 'button', onclick: open },
      icon('share'),
      address.replace(/^http:\/\/|\/$/g, ''),
    ),
  )
}

/**
 * The names of the box, of which another box may have the short one.
 * @param {readonly string[]} [names]
 */
function drawNames(names = []) {
  return names.map((name) =>
    el('span', { class: 'name' }, t('orAddress', { address: `http://${name}/` })),
  )
}

/**
 * The code comes once somebody can see it: its encoder is longer than all the rest here.
 * @param {string} text
 */
export function drawCode(text) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 1 1')
  svg.setAttribute('class', 'qr')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', t('qrOf', { text }))
  svg.setAttribute('shape-rendering', 'crispEdges')
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    seen.disconnect()
    // Without it there is still the address.
    fillCode(svg, text).catch(() => svg.remove())
  })
  seen.observe(svg)
  return svg
}

/** @param {SVGElement} svg @param {string} text */
async function fillCode(svg, text) {
  const { encode } = await import('../uqr.js')
  const { data: rows } = encode(text, { ecc: 'M', border: 0 })
  const side = rows.length + 2 * QUIET_ZONE
  svg.setAttribute('viewBox', `${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`)
  const path = document.createElementNS(SVG, 'path')
  const squares = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  path.setAttribute('d', squares.join(''))
  svg.append(path)
}
