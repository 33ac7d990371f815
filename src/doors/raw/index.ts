import type { Door } from '../door.ts'
import { type RawSettings, readRawSettings } from './settings.ts'

/** Labels as they are on a TCP port: what the trade calls raw, JetDirect or port 9100. */
export const raw: Door<RawSettings> = {
  name: 'raw',
  settings: readRawSettings,
  async start(settings, box, signal) {
    const { serveRaw } = await import('./serve.ts')
    return await serveRaw(settings, box, signal)
  },
}
