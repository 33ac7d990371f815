// A signature of an elliptic curve has a twin that anybody can compute; a signed print counts once by its signature.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import t from 'tap'
import type { DoorBox } from '../../src/plugins/door/door.ts'
import { serveQz } from '../../src/plugins/qz/serve.ts'
import { Signatures } from '../../src/plugins/qz/signatures.ts'
import { findClosedPort } from '../listen.ts'
import { findWarnings, readConfig } from '../settings/all.ts'

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

const OTHERS: readonly (readonly [string, KeyObject])[] = [
  ...['P-256', 'P-384', 'P-521', 'secp256k1'].map(
    (namedCurve) => [namedCurve, generateKeyPairSync('ec', { namedCurve }).publicKey] as const,
  ),
  ['ed25519', generateKeyPairSync('ed25519').publicKey],
  ['ed448', generateKeyPairSync('ed448').publicKey],
  ['x25519', generateKeyPairSync('x25519').publicKey],
  ['dsa', generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).publicKey],
  ['rsa-pss', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey],
]

const warningsOf = (certificate: string) => {
  const raw = { qz_tray: true, qz_certificate: certificate }
  return findWarnings(raw, readConfig(raw))
}

t.test('only RSA counts, and the settings say so', (t) => {
  for (const [name, key] of OTHERS) {
    t.throws(
      () => new Signatures(pemOf(key)),
      { code: 'FIELD_INVALID', message: /wanted RSA/ },
      name,
    )
    t.match(warningsOf(pemOf(key)), [
      { key: 'qz_certificate', message: /wanted RSA/, sentences: [{ key: 'wantRsaKey' }] },
    ])
  }
  for (const junk of ['x', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])
    t.match(warningsOf(junk), [{ key: 'qz_certificate', message: /PEM/ }])
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  t.doesNotThrow(() => new Signatures(pemOf(publicKey)))
  t.same(warningsOf(pemOf(publicKey)), [])
  t.end()
})

t.test('the door stays closed and says why', async (t) => {
  const certificate = pemOf(OTHERS[0]?.[1] as KeyObject)
  const settings = { host: '127.0.0.1', port: await findClosedPort(), certificate, hosts: [] }
  // It asks the box for nothing before it knows its key.
  const box = {} as DoorBox
  const started = serveQz(settings, box, new AbortController().signal)
  await t.rejects(started, { code: 'FIELD_INVALID', message: /key of the kind ec, wanted RSA/ })
})
