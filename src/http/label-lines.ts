const LINES = 10
const BYTES = 2_048

/** The first lines of a label, fit for a page: at most 10 lines and 2 KB, what is not printable ASCII as a dot. */
export function labelLines(label: Uint8Array): readonly string[] {
  const text = Buffer.from(label.subarray(0, BYTES)).toString('latin1')
  return text
    .split(/\r\n|\r|\n/, LINES)
    .map((line) => line.replaceAll('\t', ' ').replace(/[^\x20-\x7e]/g, '·'))
}
