import { createRequire } from 'node:module'
import type { Test } from 'tap'
import { WebSocket } from 'ws'

/** The parts of qz-tray.js that the tests use. */
export interface QzClient {
  readonly api: {
    setWebSocketType(type: unknown): void
    setPromiseType(make: (resolver: ConstructorParameters<typeof Promise>[0]) => unknown): void
    getVersion(): Promise<string>
  }
  readonly websocket: {
    connect(options: object): Promise<void>
    disconnect(): Promise<void>
    isActive(): boolean
    setClosedCallbacks(callback: () => void): void
  }
  readonly printers: {
    find(query?: string): Promise<string | readonly string[]>
    getDefault(): Promise<string | null>
    details(): Promise<readonly { name: string; default: boolean }[]>
    setPrinterCallbacks(
      callback: (event: { printerName: string; eventType: string; statusText: string }) => void,
    ): void
    startListening(names?: unknown): Promise<null>
    getStatus(): Promise<null>
    stopListening(): Promise<null>
  }
  readonly configs: { create(printer: unknown, options?: object): unknown }
  print(config: unknown, data: readonly unknown[]): Promise<null>
  readonly security: {
    setCertificatePromise(make: unknown): void
    setSignaturePromise(
      make: (text: string) => (resolve: (signature: string) => void) => void,
    ): void
    setSignatureAlgorithm(name: string): void
  }
  readonly serial: { findPorts(): Promise<unknown> }
  readonly networking: { hostname(): Promise<unknown> }
}

const require = createRequire(import.meta.url)

/** The client makes promises that it awaits nowhere; where the connection ends they fail for nobody. */
class Quiet<T> extends Promise<T> {}
Object.defineProperty(Quiet.prototype, 'then', {
  value(this: Promise<unknown>, ...hears: Parameters<Promise<unknown>['then']>) {
    const next = Promise.prototype.then.apply(this, hears)
    Promise.prototype.then.call(next, undefined, () => undefined)
    return next
  },
})

/**
 * The unmodified client of npm, a new one each time, since it holds one connection. `origin`: of the page that it stands for;
 * `ca`: the authority that it trusts.
 */
export function loadQz(origin?: string, ca?: string): QzClient {
  const path = require.resolve('qz-tray')
  delete require.cache[path]
  const client = require(path) as QzClient
  class PageSocket extends WebSocket {
    constructor(address: string) {
      super(address, { ...(origin !== undefined && { origin }), ...(ca !== undefined && { ca }) })
    }
  }
  client.api.setWebSocketType(PageSocket)
  client.api.setPromiseType((resolver) => new Quiet(resolver))
  return client
}

/** ... connected without TLS. */
export async function connectQz(t: Test, port: number, origin?: string): Promise<QzClient> {
  const client = loadQz(origin)
  await client.websocket.connect(addressOf(port))
  t.teardown(async () => {
    if (client.websocket.isActive()) await client.websocket.disconnect()
  })
  return client
}

export function addressOf(port: number): object {
  return {
    host: '127.0.0.1',
    usingSecure: false,
    keepAlive: 0,
    port: { secure: [port - 1], insecure: [port] },
  }
}
