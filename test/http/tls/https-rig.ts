import { once } from 'node:events'
import { createServer, request } from 'node:https'
import { type AddressInfo, isIP } from 'node:net'
import { checkServerIdentity, type TLSSocket } from 'node:tls'
import type { Certificates } from '../../../src/http/tls/certificates.ts'

type Pair = Pick<Certificates, 'key' | 'cert'>

/** An https server on loopback that says hello. */
export async function startHttps(pair: Pair) {
  const server = createServer({ key: pair.key, cert: pair.cert }, (_, answer) =>
    answer.end('hello'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { server, port: (server.address() as AddressInfo).port, close }
}

/** Asks as a client that trusts `authority` and means `name`; returns the answer and the certificate's serial number. */
export async function ask(port: number, authority: string, name: string) {
  const asked = request({
    host: '127.0.0.1',
    port,
    ca: authority,
    agent: false,
    headers: { host: name },
    ...(isIP(name) ? {} : { servername: name }),
    checkServerIdentity: (_, cert) => checkServerIdentity(name, cert),
  }).end()
  const [answer] = await once(asked, 'response')
  const serial = (answer.socket as TLSSocket).getPeerX509Certificate()?.serialNumber
  let text = ''
  for await (const chunk of answer) text += chunk
  return { text, serial }
}

/** A server with this certificate, a client with this authority, and what the client hears. */
export async function greet(
  certificates: Pick<Certificates, 'key' | 'cert' | 'authority'>,
  name: string,
): Promise<string> {
  const { port, close } = await startHttps(certificates)
  try {
    return (await ask(port, certificates.authority, name)).text
  } finally {
    await close()
  }
}
