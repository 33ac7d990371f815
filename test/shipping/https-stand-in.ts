import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificates } from '../../src/http/tls/certificate.ts'

const DAY_MS = 86_400_000

/** A web server over real HTTPS on loopback, with an authority of its own that its clients have to trust. */
export async function openHttps(listener: RequestListener) {
  const now = Date.now()
  const validity = { from: now - DAY_MS, to: now + DAY_MS }
  const { authority, server } = await makeCertificates({
    ...{ authority: undefined, authorityName: 'stand-in', authorityValidity: validity, validity },
    serverKey: undefined,
    names: ['localhost', '127.0.0.1'],
  })
  const web = createServer({ key: server.key, cert: server.cert }, listener)
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  return {
    origin: `https://127.0.0.1:${(web.address() as AddressInfo).port}`,
    authority: authority.cert,
    async close(): Promise<void> {
      web.closeAllConnections()
      web.close()
      await once(web, 'close')
    },
  }
}
