import { say } from '../../words/say.ts'
import type { Door } from '../door/door.ts'
import type { QzSettings } from './serve.ts'
import { type QzKeys, settings } from './settings.ts'

/** Takes labels from pages that print through QZ Tray. */
export const qz: Door<QzSettings, QzKeys> = {
  name: 'qz',
  title: 'QZ Tray',
  key: 'qz_tray',
  settings,
  read({ qz_tray: isOn, host, qz_port: port, ...more }) {
    const { qz_certificate: certificate = '', fetch_hosts: hosts = [] } = more
    return isOn ? { host, port, certificate, hosts } : undefined
  },
  lines({ port }, { host, securePort }) {
    const ports = port === undefined ? '' : `, port: { secure: [${port}], insecure: [${port + 1}] }`
    const plain = securePort === '' ? ', usingSecure: false' : ''
    return [
      {
        where: say('whereQz'),
        line: `qz.websocket.connect({ host: '${host}'${ports}${plain} })`,
      },
    ]
  },
  async start(settings, box, signal) {
    const { serveQz } = await import('./serve.ts')
    return await serveQz(settings, box, signal)
  },
}
