import { quote } from '../errors.ts'
import type { Device } from './device.ts'

/** A device URI that a device of ours can open. */
export interface DeviceUri {
  readonly device: Device
  readonly uri: URL
}

const MOST_PORT = 65_535

/**
 * Reads a device URI. Gives the device that opens it, or a sentence that says what is wrong with it and what was wanted.
 * Never touches the device.
 */
export function parseDeviceUri(text: string, devices: readonly Device[]): DeviceUri | string {
  const examples = devices.map((device) => device.example).join(' or ')
  if (!URL.canParse(text)) {
    const port = Number(/^[^/]*\/\/[^/?#]*:(\d{1,9})(?:[/?#]|$)/.exec(text)?.[1] ?? 0)
    const why =
      port > MOST_PORT ? `has the port ${port}, wanted 1 to ${MOST_PORT}` : 'is not a device URI'
    return `${quote(text)} ${why}; wanted one like ${examples}`
  }
  const uri = new URL(text)
  const device = devices.find((each) => `${each.scheme}:` === uri.protocol)
  if (device === undefined) {
    return `${quote(text)} begins with ${quote(uri.protocol)}, which no device of this version opens; wanted one like ${examples}`
  }
  const fault = device.check(uri, text)
  if (fault !== undefined) return `${quote(text)}: ${fault}`
  return { device, uri }
}
