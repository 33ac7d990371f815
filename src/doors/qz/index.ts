import type { Door } from '../door.ts'
import type { QzSettings } from './serve.ts'

/** Pages that print through QZ Tray. */
export const qz: Door<QzSettings> = {
  name: 'qz',
  settings: ({ qz_tray: isOn, host, qz_port: port, qz_certificate: certificate = '' }) =>
    isOn ? { host, port, certificate } : undefined,
  async start(settings, box, signal) {
    const { serveQz } = await import('./serve.ts')
    return await serveQz(settings, box, signal)
  },
}
