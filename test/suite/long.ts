/**
 * True when the long proof is wanted: every combination and a thousand labels, where a sample is enough to find most faults. A test file
 * that imports this itself runs short in `make test` and long in `make test-all` (test/suite/parts.ts finds it by the import).
 */
export const isLong = process.env['PLATEN_TEST_LONG'] === '1'
