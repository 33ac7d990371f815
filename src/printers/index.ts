import type { Device } from './device.ts'

/** Every way to reach a printer. */
export const devices: readonly Device[] = []
