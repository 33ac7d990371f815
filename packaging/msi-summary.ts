// Gives an MSI a package code and times of its contents, instead of what wixl draws and reads off the clock: two runs make the same file.
//   usage: node msi-summary.ts FILE UUID SECONDS      changes the file in place; SECONDS since 1970
// The forms: Microsoft, "Summary Information Stream" and [MS-OLEPS], 2.21 (PropertySet); the stream is short and lies in one piece.
import { readFileSync, writeFileSync } from 'node:fs'

const FMTID = Buffer.from('e0859ff2f94f6810ab9108002b27b3d9', 'hex') // of summary information
const HEADER_BYTES = 28 // before it, in the stream
const PACKAGE_CODE = 9
const TIMES = [12, 13] // created, last saved
const VT_LPSTR = 0x1e
const VT_FILETIME = 0x40
const TICKS = 10_000_000n // FILETIME: 100 ns since 1601
const TO_1970 = 11_644_473_600n

/** The same file with this package code, e.g. `{83120E22-…}`, and time. @throws Error when it is not an MSI as wixl writes it */
export function setSummary(msi: Uint8Array, code: string, seconds: number): Buffer {
  const bytes = Buffer.from(msi)
  const at = bytes.indexOf(FMTID)
  if (at < HEADER_BYTES) throw new Error('this file has no summary information of an MSI')
  const section = at - HEADER_BYTES + bytes.readUInt32LE(at + FMTID.length)
  const count = bytes.readUInt32LE(section + 4)
  const places = Array.from({ length: count }, (_, i) => section + 8 + 8 * i)
  const find = (id: number, type: number): number => {
    const place = places.find((each) => bytes.readUInt32LE(each) === id) ?? 0
    const value = section + bytes.readUInt32LE(place + 4)
    if (place === 0 || bytes.readUInt32LE(value) !== type)
      throw new Error(`this MSI has no property ${id} of type ${type}`)
    return value + 4
  }
  const text = find(PACKAGE_CODE, VT_LPSTR)
  if (bytes.readUInt32LE(text) !== code.length + 1) throw new Error('wanted a code in braces')
  bytes.write(code, text + 4, 'latin1')
  const ticks = (BigInt(seconds) + TO_1970) * TICKS
  for (const id of TIMES) bytes.writeBigUInt64LE(ticks, find(id, VT_FILETIME))
  return bytes
}

if (import.meta.main) {
  const [file = '', code = '', seconds] = process.argv.slice(2)
  if (seconds === undefined) throw new Error('usage: node msi-summary.ts FILE UUID SECONDS')
  writeFileSync(file, setSummary(readFileSync(file), code, Number(seconds)))
}
