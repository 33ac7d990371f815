/** What stands in `HEX` for a character that is no hexadecimal digit: more than any four digits make. */
export const NO_HEX = 0x10000

/** By character: the value of a hexadecimal digit. */
export const HEX = new Uint32Array(256).fill(NO_HEX)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  HEX[digit.charCodeAt(0)] = value
  HEX[digit.toUpperCase().charCodeAt(0)] = value
}
