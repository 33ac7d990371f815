// "Can this browser print?" for any page, a script of its own: shops keep a copy (docs/can-print.md).
;(() => {
  /** @typedef {'pass' | 'fail' | 'ask' | 'skip'} Result `ask`: the browser or a person has to say */
  /** @typedef {[result: Result, sentence: string, cure?: string]} Said */
  /** @typedef {{ id: string, title: string, result: Result, sentence: string, cure: string }} Check */
  /** @typedef {{ box: string, page: string, at: string, agent: string, verdict: Result, checks: Check[] }} Report */
  /** @typedef {{ box: string, plain?: string, address?: string, report?: string | ((report: Report) => void), into?: Element, printer?: string, words?: Record<string, string>, languages?: string }} Options `languages`: those whose words lie beside this script, e.g. `de fr`; `plain`: its http address; `address`: by number */

  const LIMIT_MS = 10_000
  /** The English texts; `{names}` are filled in. Other languages have files of the same keys (docs/can-print.md). */
  const ENGLISH = {
    permission: 'Permission for the local network',
    name: 'Name',
    certificate: 'Certificate',
    fetch: 'Printing by script',
    form: 'Printing by form',
    pass: 'Yes',
    fail: 'No',
    ask: 'Not yet',
    skip: 'Not checked',
    head: 'Can this browser print?',
    again: 'Check again',
    tryForm: 'Try a form',
    printTest: 'Print a test label',
    canPrint: 'This browser can print.',
    newWindow: 'The new window says what became of the label.',
    taken: 'The test label was taken: look at the printer.',
    ownPage: 'A page of the print server itself needs no permission.',
    reaches: 'The browser lets this page reach it.',
    unknown: 'This browser does not tell of such a permission.',
    asksOnce: 'The browser asks once whether this page may reach the local network.',
    allow:
      'Choose Allow when it asks and check again; or have the policy of {plain}/can-print installed.',
    bare: 'The browser lets no page without https reach the local network.',
    openHttps: 'Open this page by https: {secure}.',
    barred: 'The browser keeps {page} away from the local network.',
    unbar:
      'Press the sign beside the address, Site settings, and set the local network to Allow; or have the policy of {plain}/can-print installed.',
    answers: '{host} answers.',
    onceAllowed: 'It is looked at once the browser lets this page.',
    nameLost: 'This computer does not find the name {host}, but the print server is there.',
    useNumber: 'Use {address} in its place, or put {host} into the DNS of your network.',
    silent: '{box} does not answer.',
    openBox:
      'Open {box} in a new tab. Where nothing is found, check that the print server is on, and use its address in place of {host}; where the browser warns, open {plain}/trust and follow its steps.',
    noHttps: 'This page reaches the print server without https.',
    switchHttps:
      'Switch HTTPS on in its settings, trust its certificate, and use its https address.',
    trusted: 'The browser trusts the certificate of the print server.',
    onceAnswered: 'It is looked at once the print server answers.',
    trust: 'Open {plain}/trust on this computer, follow its steps, and start the browser again.',
    untrusted: 'The print server is there, but the browser does not trust {box}.',
    addSite: 'Add {page} to Allowed sites in the settings of the print server.',
    excluded: 'The print server lets no page of {page} print.',
    scripts: 'Scripts of this page may print.',
    onceTried: 'It is tried once the print server answers.',
    formWarns: 'The browser warns before each form that goes from https to http.',
    useHttps: 'Use the https address of the print server.',
    forms: 'A form of this page may print.',
    noPermission: 'A form needs no permission from the browser. Click Try a form.',
  }
  /** @type {Record<string, string>} */
  let words = ENGLISH
  const script =
    document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href

  /** @param {keyof typeof ENGLISH} key @param {object} [values] */
  const t = (key, values = {}) =>
    (words[key] ?? ENGLISH[key]).replace(/\{(\w+)\}/g, (_, name) => String(Object(values)[name]))

  /** The words of the browser's language, where the page has their file beside this script. @param {Options} options */
  async function speak({ words: given, languages = '' }) {
    const tag = navigator.language.split('-')[0] ?? ''
    if (!given && languages.split(' ').includes(tag)) {
      const file = new URL(`can-print-${tag}.js`, script).href
      given = (await import(file).catch(() => undefined))?.words
    }
    words = given ?? ENGLISH
  }
  const isLoopback = (/** @type {string} */ host) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host)

  /** The answer, if there is one. @param {string} url @param {RequestInit} init */
  const ask = (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => undefined)
  /** @param {string} url @param {object} value */
  function post(url, value) {
    const headers = { 'Content-Type': 'application/json' }
    return ask(url, { method: 'POST', headers, body: JSON.stringify(value) })
  }

  /** Tells whether anything answers there; the answer cannot be read, and need not be. @param {string} origin */
  async function answers(origin) {
    return !!(await ask(`${origin}/can-print.js`, { mode: 'no-cors', cache: 'no-store' }))
  }

  /** Tells whether a script of this page may print; nothing is printed. @param {string} box */
  async function mayFetch(box) {
    return (await post(`${box}/can-print`, {}))?.ok === true
  }

  /** The name of the permission differs between browsers. @param {string} host */
  async function askPermission(host) {
    const own = isLoopback(host) ? 'loopback-network' : 'local-network'
    for (const name of [own, 'local-network-access']) {
      try {
        const asked = { name: /** @type {PermissionName} */ (name) }
        return (await navigator.permissions.query(asked)).state
      } catch {
        // It does not know this one.
      }
    }
    return 'unknown'
  }

  /**
   * The facts found. `isBarred`: the browser lets this page reach nothing; `isPlainThere`, `isNumberThere`: another address
   * answers while the box does not; `isBare`: what is sent to it is not encrypted, and should be.
   * @typedef {Record<'isOwn' | 'isTls' | 'isThere' | 'isBarred' | 'isPlainThere' | 'isNumberThere' | 'isBare' | 'isFormThere' | 'may', boolean>
   *   & Record<'box' | 'host' | 'page' | 'plain' | 'state', string> & { address: string | undefined }} Facts
   */

  /** @param {Options} options @returns {Promise<Facts>} */
  async function look({ box: given, plain: other, address }) {
    const { protocol, hostname: host, origin: box, port } = new URL(given)
    const plain = other ?? `http://${host}${port === '8443' ? ':8080' : ''}`
    const page = location.origin
    const [isOwn, isTls] = [box === page, protocol === 'https:']
    const isThere = await answers(box)
    const state = isOwn ? 'granted' : await askPermission(host)
    const isBarred = !isThere && state === 'denied'
    const isLost = !isThere && !isBarred
    return {
      box,
      host,
      page,
      plain,
      address,
      state,
      isOwn,
      isTls,
      isThere,
      isBarred,
      isPlainThere: isLost && isTls && (await answers(plain)),
      isNumberThere: isLost && address !== undefined && (await answers(address)),
      isBare: page.startsWith('https:') && !isTls && !isLoopback(host),
      may: isThere && (await mayFetch(box)),
      isFormThere: false,
    }
  }

  /** @param {Facts} facts @returns {Said} */
  const sayExcluded = ({ page }) => ['fail', t('excluded', { page }), t('addSite', { page })]

  /** The functions that describe the result of each check. @type {Record<string, (facts: Facts) => Said>} */
  const SAY = {
    permission({ isOwn, isThere, isBarred, state, page, plain }) {
      if (isOwn) return ['pass', t('ownPage')]
      if (isThere || state === 'granted') return ['pass', t('reaches')]
      if (state === 'unknown') return ['skip', t('unknown')]
      if (!isBarred) return ['ask', t('asksOnce'), t('allow', { plain })]
      const secure = page.replace('http:', 'https:')
      if (!isSecureContext) return ['fail', t('bare'), t('openHttps', { secure })]
      return ['fail', t('barred', { page }), t('unbar', { plain })]
    },
    name(facts) {
      if (facts.isThere || facts.isPlainThere) return ['pass', t('answers', facts)]
      if (facts.isBarred) return ['skip', t('onceAllowed')]
      if (facts.isNumberThere) return ['fail', t('nameLost', facts), t('useNumber', facts)]
      return ['fail', t('silent', facts), t('openBox', facts)]
    },
    certificate({ isBare, isTls, isThere, isPlainThere, box, plain }) {
      if (isBare) return ['fail', t('noHttps'), t('switchHttps')]
      if (!isTls) return ['skip', t('noHttps')]
      if (isThere) return ['pass', t('trusted')]
      if (!isPlainThere) return ['skip', t('onceAnswered')]
      return ['fail', t('untrusted', { box }), t('trust', { plain })]
    },
    fetch(facts) {
      if (facts.may) return ['pass', t('scripts')]
      return facts.isThere ? sayExcluded(facts) : ['skip', t('onceTried')]
    },
    form(facts) {
      if (facts.isBare) return ['fail', t('formWarns'), t('useHttps')]
      if (facts.isThere && !facts.may) return sayExcluded(facts)
      return facts.isFormThere ? ['pass', t('forms')] : ['ask', t('noPermission')]
    },
  }

  /** @param {Options} options @param {Promise<boolean>} [form] whether one arrived @returns {Promise<Report>} */
  async function check(options, form = Promise.resolve(false)) {
    await speak(options)
    const facts = { ...(await look(options)), isFormThere: await form }
    const checks = Object.entries(SAY).map(([id, say]) => {
      const [result, sentence, cure = ''] = say(facts)
      return { id, title: t(/** @type {keyof typeof ENGLISH} */ (id)), result, sentence, cure }
    })
    const { box, page } = facts
    const [at, agent] = [new Date().toISOString(), navigator.userAgent]
    const report = { box, page, at, agent, verdict: judge(checks), checks }
    draw(options, report)
    const to = options.report
    if (typeof to === 'function') to(report)
    if (typeof to === 'string') await post(to, report)
    return report
  }

  /** It can print once one of the two ways works. @param {Check[]} checks @returns {Result} */
  function judge(checks) {
    const of = (/** @type {string} */ id) => checks.find((one) => one.id === id)?.result
    if (of('fetch') === 'pass' || of('form') === 'pass') return 'pass'
    return of('permission') === 'ask' && of('fetch') === 'skip' ? 'ask' : 'fail'
  }

  /** Posts a form into a window of its own, which a click lets it open. @param {string} url @param {Record<string, string>} fields */
  function postForm(url, fields) {
    const target = `platen${Date.now()}`
    open('', target)
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: url, target })
    for (const [name, value] of Object.entries(fields)) {
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
    }
    document.body.append(form)
    form.submit()
    form.remove()
  }

  /** Tells whether a form of this page reaches the print server; nothing is printed. Call it from a click. @param {Options} options @returns {Promise<boolean>} */
  function checkForm({ box }) {
    return new Promise((done) => {
      const { origin } = new URL(box)
      setTimeout(() => done(false), 2 * LIMIT_MS)
      addEventListener('message', function hear(event) {
        if (event.origin !== origin || event.data?.platen !== 'can-print') return
        removeEventListener('message', hear)
        done(true)
      })
      postForm(`${origin}/can-print`, {})
    })
  }

  /** A label that every printer prints: base64 of a PNG. */
  function drawLabel() {
    const canvas = Object.assign(document.createElement('canvas'), { width: 812, height: 406 })
    const pen = canvas.getContext('2d')
    if (pen === null) return ''
    pen.fillStyle = '#fff'
    pen.fillRect(0, 0, 812, 406)
    pen.fillStyle = '#000'
    pen.font = '48px sans-serif'
    const lines = [t('canPrint'), location.host, new Date().toLocaleString()]
    for (const [at, line] of lines.entries()) pen.fillText(line, 40, 100 + 90 * at, 730)
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  }

  /**
   * Prints a test label, by a script or, where that cannot reach the print server, by a form; gives what to say. Call it from
   * a click. Both have one key, so that never two come out.
   * @param {Options} options
   */
  async function printTest({ box, printer = '' }) {
    const { origin } = new URL(box)
    const idempotency_key = `can-print-${Date.now()}-${Math.random()}`
    const fields = { label: drawLabel(), title: t('head'), printer, idempotency_key }
    const init = { method: 'POST', body: new URLSearchParams(fields) }
    const answer = await fetch(`${origin}/`, init).catch(() => undefined)
    if (answer === undefined) {
      postForm(`${origin}/`, fields)
      return t('newWindow')
    }
    const { Status, Message } = await answer.json()
    return Status === 'OK' ? t('taken') : String(Message)
  }

  /** @param {Options} options @param {Report} report */
  function draw(options, { checks, verdict }) {
    /** @param {keyof HTMLElementTagNameMap} tag @param {string} text */
    const put = (tag, text) => Object.assign(document.createElement(tag), { textContent: text })
    const list = put('ol', '')
    for (const { id, title, result, sentence, cure } of checks) {
      const item = put('li', '')
      Object.assign(item.dataset, { check: id, result })
      item.append(put('strong', `${title}: ${t(result)}.`), ` ${sentence} `, put('em', cure))
      list.append(item)
    }
    const said = Object.assign(put('p', ''), { role: 'status' })
    /** @param {string} text @param {() => Promise<unknown>} act */
    const button = (text, act) => {
      const onclick = async () => said.replaceChildren(String(await act()))
      return Object.assign(put('button', text), { type: 'button', onclick })
    }
    options.into?.replaceChildren(
      put('p', `${t('head')} ${t(verdict)}.`),
      list,
      button(t('again'), () => check(options).then(() => '')),
      button(t('tryForm'), () => check(options, checkForm(options)).then(() => '')),
      button(t('printTest'), () => printTest(options)),
      said,
    )
  }

  Object.assign(window, { platenCanPrint: { check, checkForm, printTest, ENGLISH } })

  // <script src="can-print.js" data-box="https://printserver.local:8443" data-into="#here" data-report="/reports">
  const { box, into, ...more } = document.currentScript?.dataset ?? {}
  const place = into && document.querySelector(into)
  if (box) void check({ box, ...more, ...(place && { into: place }) })
})()
