// The whole interface of the library. What talks to hardware or to the network is loaded by what needs it.

export {
  type Connection,
  type Device,
  decodePart,
  type FoundPrinter,
  type InquirySettings,
} from './device.ts'
export { createDevices, type DeviceSettings } from './devices/index.ts'
export { estimatePictureSeconds } from './devices/serial/index.ts'
export { type Advice, PrinterFault, type PrinterFaultCode } from './fault.ts'
export { decodeMessage, encodeMessage, IppFault } from './ipp/codec.ts'
export {
  boolean,
  charset,
  collection,
  dateTime,
  enumeration,
  GROUPS,
  type IppAttributes,
  type IppGroup,
  type IppMessage,
  type IppValue,
  integer,
  keyword,
  language,
  mimeType,
  name,
  noValue,
  octets,
  range,
  readFirst,
  readNumber,
  readText,
  readTexts,
  resolution,
  text,
  unknown,
  uri,
} from './ipp/message.ts'
export { Discovery, type DiscoveryParts, type PrinterList } from './known/discovery.ts'
export { type SeenPrinter, withDemo } from './known/finds.ts'
export { tidyText } from './known/identity.ts'
export { isMemory, type KnownEntry } from './known/memory.ts'
export {
  type Backup,
  type Printer,
  type PrinterPresence,
  type PrinterSettings,
  USUAL_DPI,
} from './known/printer.ts'
export {
  type DeviceUri,
  findNearest,
  isSamePlace,
  keepsHalfLabels,
  Places,
  parseDeviceUri,
  placeOf,
} from './places.ts'
export { type AskedPrinters, StatusAsker } from './status/asker.ts'
export type { Inquiry } from './status/inquiry.ts'

/** Module for what the local network tells by mDNS: printers, and other print servers. */
export type Network = typeof import('./known/mdns.ts')

/** Loads it. */
export async function loadNetwork(): Promise<Network> {
  return await import('./known/mdns.ts')
}
