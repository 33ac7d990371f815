// reflect-metadata comes first: the decorators of @peculiar/x509's dependency tsyringe need it while they load.
import 'reflect-metadata'
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  NameConstraints,
  id_ce_nameConstraints as nameConstraintsOid,
} from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'
import {
  type CertificateReply,
  type CertificateRequest,
  isPermitted,
  type KeyPair,
  listPermitted,
  type Validity,
} from './certificate-files.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1' // id-kp-serverAuth, RFC 5280, section 4.2.1.12

interface Signer {
  readonly cert: x509.X509Certificate
  readonly key: webcrypto.CryptoKey
  readonly pems: KeyPair
}

/**
 * Makes the server's key and certificate, and the box's authority when there is none yet. Only the short-lived child
 * loads this file: its packages would cost the server 10 MB for good.
 */
export async function makeCertificates(
  request: CertificateRequest,
): Promise<{ readonly authority: KeyPair; readonly server: KeyPair }> {
  const { authority: known } = request
  const authority = known === undefined ? await makeAuthority(request) : await readAuthority(known)
  return { authority: authority.pems, server: await makeServer(request, authority) }
}

async function makeAuthority(request: CertificateRequest): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    ...header(request.authorityValidity),
    name: nameOf(request.authorityName),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
      constrain(request.names),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert, key: keys.privateKey, pems: await toPem(cert, keys.privateKey) }
}

async function makeServer(request: CertificateRequest, authority: Signer): Promise<KeyPair> {
  const keys =
    readKeys(request.serverKey) ??
    (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']))
  const names = request.names.filter(permittedBy(authority.cert))
  const cert = await x509.X509CertificateGenerator.create({
    ...header(request.validity),
    subject: nameOf(names.find((name) => name.endsWith('.local')) ?? 'localhost'),
    issuer: authority.cert.subjectName,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.cert),
    ],
  })
  return await toPem(cert, keys.privateKey)
}

/** Undefined for none, and for one that is of another kind. */
function readKeys(pem: string | undefined): webcrypto.CryptoKeyPair | undefined {
  if (pem === undefined) return undefined
  const privateKey = createPrivateKey(pem)
  const publicKey = createPublicKey(privateKey)
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined
  return {
    privateKey: privateKey.toCryptoKey(ALGORITHM, true, ['sign']),
    publicKey: publicKey.toCryptoKey(ALGORITHM, true, ['verify']),
  }
}

function nameOf(commonName: string): x509.Name {
  return new x509.Name([{ O: ['platen'] }, { CN: [commonName.slice(0, 64)] }]) // ub-common-name, RFC 5280
}

function header({ from, to }: Validity) {
  const serial = webcrypto.getRandomValues(new Uint8Array(16))
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40 // positive and never shortened (RFC 5280, section 4.1.2.2)
  return {
    serialNumber: Buffer.from(serial).toString('hex'),
    notBefore: new Date(from),
    notAfter: new Date(to),
  }
}

/** Name constraints (RFC 5280, section 4.2.1.10), from the schema: x509 has no class for them. */
function constrain(names: readonly string[]): x509.Extension {
  const { dns, ranges } = listPermitted(names)
  const bases = [
    ...dns.map((dNSName) => new GeneralName({ dNSName })),
    ...ranges.map((iPAddress) => new GeneralName({ iPAddress })),
  ]
  const subtrees = bases.map((base) => new GeneralSubtree({ base }))
  const value = new NameConstraints({ permittedSubtrees: new GeneralSubtrees(subtrees) })
  return new x509.Extension(nameConstraintsOid, true, AsnConvert.serialize(value))
}

/** A name outside the constraints would spoil the whole certificate, so it is left out. */
function permittedBy(authority: x509.X509Certificate): (name: string) => boolean {
  const extension = authority.getExtension(nameConstraintsOid)
  if (extension === null) return () => true
  const { permittedSubtrees } = AsnConvert.parse(extension.value, NameConstraints)
  const bases = [...(permittedSubtrees ?? [])].map((one) => one.base)
  const dns = bases.flatMap((base) => base.dNSName ?? [])
  const ranges = bases.flatMap((base) => base.iPAddress ?? [])
  return (name) => isPermitted(name, dns, ranges)
}

async function readAuthority(pems: KeyPair): Promise<Signer> {
  const [bytes] = x509.PemConverter.decode(pems.key)
  const usages: webcrypto.KeyUsage[] = ['sign']
  const key = await webcrypto.subtle.importKey(
    'pkcs8',
    bytes ?? new ArrayBuffer(0),
    ALGORITHM,
    false,
    usages,
  )
  return { cert: new x509.X509Certificate(pems.cert), key, pems }
}

async function toPem(cert: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key)
  return {
    key: `${x509.PemConverter.encode(bytes, 'PRIVATE KEY')}\n`,
    cert: `${cert.toString('pem')}\n`,
  }
}

// The entry of the short-lived child: one request comes over the channel, one reply goes back, and it is gone.
process.once('message', async (request: CertificateRequest) => {
  const reply: CertificateReply = await makeCertificates(request).catch((error: unknown) => ({
    error: String(error),
  }))
  process.send?.(reply, () => process.disconnect())
})
