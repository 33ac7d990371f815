import type { Device } from './device.ts'
import { createFileDevice } from './file.ts'
import { createSocketDevice } from './socket.ts'

/** Every way to reach a printer. */
export function createDevices(settings: { readonly stateFolder: string }): readonly Device[] {
  return [createSocketDevice(), createFileDevice(settings.stateFolder)]
}
