import { Hono } from 'hono'
import { PlatenError } from '../../errors.ts'
import type { Access } from '../access.ts'
import type { HttpEnv } from '../context.ts'
import type { Certificates } from '../tls.ts'
import { trustPage } from './trust-page.ts'

/** What the trust page is given. */
export interface TrustParts {
  readonly access: Access
  /** Undefined while `use_ssl` is off. */
  readonly certificates: () => Pick<Certificates, 'authority' | 'fingerprint' | 'names'> | undefined
  /** Port of the https server, as it listens. */
  readonly securePort: () => string
}

/** `GET /trust`, how to trust the box on each system; `GET /ca.crt`, what to trust (PEM, RFC 7468). */
export function createTrustRoutes({ access, certificates, securePort }: TrustParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/trust', access.read(), (c) => {
    const found = certificates()
    return c.html(trustPage(found && { ...found, port: securePort() }))
  })
  app.get('/ca.crt', access.read(), (c) => {
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
