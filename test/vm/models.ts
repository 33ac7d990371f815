import type { PrinterOptions } from './usb-printer.ts'

type Model = Omit<Partial<PrinterOptions>, 'name' | 'port'>

/** A ZPL printer of Zebra's own. */
export const zebra: Model = {
  vendorId: 0x0a5f,
  productId: 0x0081,
  serial: '29J101500123',
  manufacturer: 'Zebra Technologies',
  product: 'ZTC GK420d',
  deviceId: 'MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC GK420d;CLS:PRINTER;OPT:XYZ;',
}

/** The old desktop printer that says nothing of its language, and has no serial number. */
export const lp2844: Model = {
  vendorId: 0x0a5f,
  productId: 0x000a,
  serial: '',
  manufacturer: 'Zebra',
  product: 'LP2844',
  deviceId: 'MFG:Zebra ;CMD:None;MDL:LP2844 ;CLS:PRINTER;',
}

/** A clone that names raster commands only; its id's length has the low byte first. */
export const clone: Model = {
  vendorId: 0x09c5,
  productId: 0x0588,
  serial: 'ROLLO77',
  manufacturer: 'Printer',
  product: 'Thermal Printer',
  deviceId: 'MFG:Printer;MDL:Thermal Printer;CMD:XPP,XL;',
  deviceIdLength: 'little',
}

const [STX, ETX] = ['\x02', '\x03']

/** The answer of a ZPL printer to `~HS` (ZPL II Programming Guide). */
export function hostStatus({ paperOut = 0, paused = 0, headUp = 0, formats = 0 } = {}): string {
  const frames = [
    `030,${paperOut},${paused},1245,00${formats},0,0,0,000,0,0,0`,
    `000,0,${headUp},0,0,2,4,0,00000000,1,000`,
    '1234,0',
  ]
  return frames.map((frame) => `${STX}${frame}${ETX}\r\n`).join('')
}

/** The answer of a GK420d to `~HI`. */
export const HOST_IDENTITY = `${STX}GK420d-200dpi,V61.17.9Z,8,2104KB${ETX}\r\n`
