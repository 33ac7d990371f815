import { isIPv6 } from 'node:net'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { PlatenError } from '../../words/errors.ts'
import type { Access } from '../access/access.ts'
import { type Calls, route } from '../call.ts'
import { textAnswer } from '../json-schema.ts'
import { type Markup, smallPage } from '../page.ts'
import type { HttpEnv } from '../parts.ts'
import type { Certificates } from './certificates.ts'

/** The parts of the trust page. */
export interface TrustParts {
  readonly access: Access
  /** Undefined while `use_ssl` is off. */
  readonly certificates: () => Pick<Certificates, 'authority' | 'fingerprint' | 'names'> | undefined
  /** Port of the https server, as it listens. */
  readonly securePort: () => string
}

const TAG = 'The print server'

/** Calls about trusting the certificates of the print server. */
export const trustCalls = {
  getTrustPage: {
    method: 'get',
    path: '/trust',
    tag: TAG,
    summary: 'How to trust the certificate of the print server',
    answers: textAnswer('A page.', 'text/html'),
  },
  getAuthority: {
    method: 'get',
    path: '/ca.crt',
    tag: TAG,
    summary: "The print server's own authority",
    answers: textAnswer('A file.', 'application/x-x509-ca-cert'),
  },
} as const satisfies Calls

/** `GET /trust`, how to trust the box on each system; `GET /ca.crt`, what to trust (PEM, RFC 7468). */
export function createTrustRoutes({ access, certificates, securePort }: TrustParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, trustCalls.getTrustPage, access.read(), (c) => {
    const found = certificates()
    return c.html(trustPage(found && { ...found, port: securePort() }))
  })
  route(app, trustCalls.getAuthority, access.read(), (c) => {
    const found = certificates()
    if (found === undefined) {
      throw new PlatenError('ROUTE_UNKNOWN', 'There is no certificate while use_ssl is off.')
    }
    return c.body(found.authority, 200, {
      'Content-Type': 'application/x-x509-ca-cert', // opens the import of Firefox, Android and iOS
      'Content-Disposition': 'inline; filename="platen-ca.crt"',
    })
  })
  return app
}

/** The facts of the certificates that the page shows. */
interface TrustFacts {
  readonly fingerprint: string
  readonly names: readonly string[]
  readonly port: string
}

/** The page at `/trust`; undefined while `use_ssl` is off. docs/trust.md says the same at more length. */
function trustPage(facts: TrustFacts | undefined): Markup {
  return smallPage(['Secure connection', 'secureTitle'], facts === undefined ? OFF : on(facts))
}

const OFF = html`<p class="why" data-t="notSecure">This print server does not serve https.</p>
<p class="todo" data-t="switchHttpsOn">Turn on HTTPS in the <a href="/#settings" data-t="theSettings">settings</a> and restart the print server, then come back to this page.</p>`

function on({ fingerprint, names, port }: TrustFacts): Markup {
  return html`<p data-t="vouches">This print server has made its own certificate. Trust it once on each PC, tablet or phone, and pages
can print here over https without a warning.</p>
<h2 data-t="getCertificate">1. Get the certificate</h2>
<p><a class="button primary" href="/ca.crt" data-t="downloadCertificate">Download platen-ca.crt</a></p>
<p data-t="fingerprint">Its SHA-256 fingerprint, to compare with what your system shows (the log of the print server has it too):</p>
<p class="code fingerprint">${pairs(fingerprint)}</p>
<h2 data-t="trustIt">2. Trust it</h2>
${SYSTEMS}
<h2 data-t="openByAddress">3. Open it by one of these addresses</h2>
<ul>
${names.map((name) => address(name, port))}
</ul>
<p data-t="sayLocalhost"><strong data-t="sayLocalhostStrong">On the PC that runs the print server itself use localhost</strong>, not printserver.local: browsers
may drop what a script sends to a .local name that leads to the same PC.</p>`
}

/** Breaks between two pairs only, and is copied as it is. */
function pairs(fingerprint: string): readonly Markup[] {
  return fingerprint.split(':').map((pair, i) => html`${i === 0 ? '' : ':'}<wbr>${pair}`)
}

function address(name: string, port: string): Markup {
  const host = isIPv6(name) ? `[${name}]` : name
  const url = `https://${host}${port === '443' ? '' : `:${port}`}/`
  return html`<li><a href="${url}">${url}</a></li>
`
}

const SYSTEMS = html`<details>
<summary data-t="onWindows">Windows (Chrome, Edge)</summary>
<p data-t="windowsSteps">Open the file, press <b>Install Certificate</b>, choose <b>Local Machine</b> (or Current User), then <b>Place all certificates in the
following store</b>, <b>Browse</b>, <b>Trusted Root Certification Authorities</b>. Start the browser again.</p>
</details>
<details>
<summary data-t="onMac">macOS (Safari, Chrome)</summary>
<p data-t="macSteps">Open the file; it goes into Keychain Access. Open it there, unfold <b>Trust</b>, and set <b>Secure Sockets Layer (SSL)</b> to
<b>Always Trust</b>.</p>
</details>
<details>
<summary data-t="onIphone">iPhone and iPad</summary>
<p data-t="iphoneSteps">Open this page in Safari and download. Then <b>Settings, General, VPN &amp; Device Management</b>: install the profile. Then
<b>Settings, General, About, Certificate Trust Settings</b>: switch it on.</p>
</details>
<details>
<summary data-t="onAndroid">Android</summary>
<p data-t="androidSteps">Download, then <b>Settings, Security, More, Encryption &amp; credentials, Install a certificate, CA certificate</b>, and choose the file.</p>
</details>
<details>
<summary data-t="onLinux">Linux (Chrome, Chromium)</summary>
<p data-t="linuxSteps">Open <b>chrome://certificate-manager</b>, <b>Custom</b>, <b>Installed by you</b>, <b>Trusted certificates</b>, <b>Import</b>.</p>
</details>
<details>
<summary data-t="onFirefox">Firefox, on every system</summary>
<p data-t="firefoxSteps"><b>Settings, Privacy &amp; Security, Certificates, View Certificates, Authorities, Import</b>; check <b>Trust this CA to
identify websites</b>.</p>
</details>`
