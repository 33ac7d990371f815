// The page at /can-print: what /can-print.js finds, with its buttons and the policies as files.
import { el } from './widgets/element.js'
import './small-texts.js'
import { canPrintWords, t } from './shell/texts.js'

/** @type {{ check(options: object): Promise<unknown> }} */
const canPrint = /** @type {any} */ (window).platenCanPrint

const place = /** @type {HTMLElement} */ (document.getElementById('can-print'))
const policyPlace = /** @type {HTMLElement} */ (document.getElementById('policies'))
const box = place.dataset['box'] || location.origin
void canPrint.check({ box, into: place, words: canPrintWords() })

const FILES = {
  chrome: [
    'Chrome, Chromium',
    'platen-chrome.json',
    t('whereChrome', { key: 'Software\\Policies\\Google\\Chrome' }),
  ],
  edge: [
    'Edge',
    'platen-edge.json',
    t('whereEdge', { key: 'Software\\Policies\\Microsoft\\Edge' }),
  ],
  firefox: ['Firefox', 'policies.json', t('whereFirefox')],
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
policyPlace.replaceChildren(el('label', { for: 'site' }, t('siteAddress')), site, files)

async function drawFiles() {
  // By its validity: Safari 16 knows neither URL.parse() nor URL.canParse().
  const isUrl = site.value !== '' && site.validity.valid
  const origin = isUrl ? new URL(site.value).origin : 'null'
  if (origin === 'null') return files.replaceChildren()
  const all = listPolicies(origin, await authority)
  files.replaceChildren(
    ...Object.entries(FILES).flatMap(([name, [title = '', file = '', where = '']]) => {
      const text = JSON.stringify(all[name], undefined, 2)
      const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
      return [
        el('h3', {}, title),
        el('p', {}, el('a', { href, download: file }, t('downloadFile', { file })), ` ${where}`),
        el('pre', { tabindex: 0, 'data-policy': name }, text),
      ]
    }),
  )
}
