import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { giveCertificates } from '../../http/tls/kept.ts'

/** A web server over real HTTPS on loopback, with an authority of its own that its clients have to trust. */
export async function openHttps(listener: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), 'platen-stand-in-'))
  const { key, cert, authority } = await giveCertificates(folder, 'stand-in')
  rmSync(folder, { recursive: true })
  const web = createServer({ key, cert }, listener)
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  return {
    origin: `https://127.0.0.1:${(web.address() as AddressInfo).port}`,
    authority,
    async close(): Promise<void> {
      web.closeAllConnections()
      web.close()
      await once(web, 'close')
    },
  }
}
