// The window that a form of "Can this browser print?" came to: tells the page that sent it.
import './small-texts.js'

const to = document.querySelector('[data-to]')?.getAttribute('data-to')
if (to && to !== 'null') window.opener?.postMessage({ platen: 'can-print' }, to)
