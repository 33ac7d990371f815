// The page at /can-print: what /can-print.js finds, with its buttons and the policies as files.
import { el } from './element.js'

/** @type {{ check(options: object): Promise<unknown> }} */
const canPrint = /** @type {any} */ (window).platenCanPrint

const place = /** @type {HTMLElement} */ (document.getElementById('can-print'))
const policyPlace = /** @type {HTMLElement} */ (document.getElementById('policies'))
const box = place.dataset['box'] || location.origin
void canPrint.check({ box, into: place })

const FILES = {
  chrome: [
    'Chrome, Chromium',
    'platen-chrome.json',
    'Linux: /etc/opt/chrome/policies/managed/. Windows: the same names below Software\\Policies\\Google\\Chrome.',
  ],
  edge: [
    'Edge',
    'platen-edge.json',
    'Linux: /etc/opt/edge/policies/managed/. Windows: the same names below Software\\Policies\\Microsoft\\Edge.',
  ],
  firefox: [
    'Firefox',
    'policies.json',
    'The folder distribution beside the program; Linux: /etc/firefox/policies/.',
  ],
}

/**
 * Policies that spare users the question, for whoever manages the computers.
 * @param {string} site the page's origin
 * @param {string} [authority] the certificate of the box, as base64 of its DER
 * @returns {Record<string, object>}
 */
function listPolicies(site, authority) {
  const network = {
    LocalNetworkAllowedForUrls: [site],
    LoopbackNetworkAllowedForUrls: [site],
    // Before version 146.
    LocalNetworkAccessAllowedForUrls: [site],
  }
  // Firefox looks at whom is asked; that of who asks is meant, too (Bugzilla 2058449).
  const domains = [...new Set([new URL(site).hostname, new URL(box).hostname])]
  return {
    chrome: { ...network, ...(authority && { CACertificates: [authority] }) },
    edge: network,
    firefox: {
      policies: {
        LocalNetworkAccess: { Enabled: true, SkipDomains: domains },
        Certificates: { ImportEnterpriseRoots: true },
      },
    },
  }
}

/** The certificate as base64 of its DER; undefined without https. */
async function readAuthority() {
  const answer = await fetch('/ca.crt').catch(() => undefined)
  if (!answer?.ok) return undefined
  return (await answer.text()).replace(/-----[^-]+-----|\s/g, '')
}

const authority = readAuthority()
const site = el('input', {
  id: 'site',
  type: 'url',
  placeholder: 'https://shop.example',
  autocomplete: 'off',
})
const files = el('div', {})
site.addEventListener('input', drawFiles)
policyPlace.replaceChildren(
  el('label', { for: 'site' }, 'Address of the page that prints'),
  site,
  files,
)

async function drawFiles() {
  const origin = URL.parse(site.value)?.origin ?? 'null'
  if (origin === 'null') return files.replaceChildren()
  const all = listPolicies(origin, await authority)
  files.replaceChildren(
    ...Object.entries(FILES).flatMap(([name, [title = '', file = '', where = '']]) => {
      const text = JSON.stringify(all[name], undefined, 2)
      const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
      return [
        el('h3', {}, title),
        el('p', {}, el('a', { href, download: file }, `Download ${file}`), ` ${where}`),
        el('pre', { tabindex: 0, 'data-policy': name }, text),
      ]
    }),
  )
}
