import t from 'tap'
import { createTrustRoutes } from '../../../src/http/tls/trust.ts'
import { createRig } from '../access/access-rig.ts'

const CERTIFICATES = {
  authority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  fingerprint: 'AB:CD',
  names: ['10.0.0.7', '::1', 'localhost'],
}

function rigWith(certificates: typeof CERTIFICATES | undefined, port = '8443') {
  const rig = createRig()
  const settings = { certificates: () => certificates, securePort: () => port }
  rig.app.route('/', createTrustRoutes({ access: rig.access, ...settings }))
  return rig
}

t.test('the authority can be downloaded as a certificate to import', async (t) => {
  const { send } = rigWith(CERTIFICATES)
  const { text, headers } = await send({ path: '/ca.crt', from: '10.0.0.9', host: 'bench-3' })
  t.equal(text, CERTIFICATES.authority)
  t.equal(headers.get('content-type'), 'application/x-x509-ca-cert')
  t.match(headers.get('content-disposition'), /platen-ca\.crt/)
})

t.test('the page shows the fingerprint, the way on each system, and the addresses', async (t) => {
  const { text, headers } = await rigWith(CERTIFICATES).send({ path: '/trust' })
  t.match(headers.get('content-type'), /^text\/html/)
  t.match(text.replaceAll('<wbr>', ''), /AB:CD/)
  for (const system of ['Windows', 'macOS', 'iPhone', 'Android', 'Linux', 'Firefox']) {
    t.match(text, new RegExp(system))
  }
  t.match(text, 'href="https://[::1]:8443/"')
  t.match(text, /use localhost/)
  t.notMatch(text, /<script(?! type="module" src="\/web\/)|style=/)
})

t.test('the usual port is not shown', async (t) => {
  t.match(
    (await rigWith(CERTIFICATES, '443').send({ path: '/trust' })).text,
    '"https://localhost/"',
  )
})

t.test('without use_ssl the page says how to get it, and there is no certificate', async (t) => {
  const { send } = rigWith(undefined)
  t.match((await send({ path: '/trust' })).text, /does not serve https/)
  const { status, text } = await send({ path: '/ca.crt' })
  t.equal(status, 404)
  t.match(text, /use_ssl is off/)
})

t.test('both need an own name', async (t) => {
  const { send } = rigWith(CERTIFICATES)
  for (const path of ['/trust', '/ca.crt']) {
    t.equal((await send({ path, host: 'evil.example' })).status, 403)
  }
})
