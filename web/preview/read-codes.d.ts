/** For the tests, whose compiler reads no JSDoc of other folders. */
export function readCodes(
  width: number,
  height: number,
  lineOf: (at: { readonly row?: number; readonly column?: number }) => Uint8Array,
): string[]
