/** The number of random tries of a test: a quarter as many in `make quick`, where the answer is waited for. */
export function tries(most: number): number {
  return process.env['PLATEN_TEST_QUICK'] === undefined ? most : Math.ceil(most / 4)
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
