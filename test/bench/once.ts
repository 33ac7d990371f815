/** `ONCE=1 make bench` runs each row once, which is what CI does: it proves that every row still runs, and its figures mean little. */
const isOnce = process.env['BENCH_ONCE'] === '1'

/** The number of measurements: `times`, or one where only a run is proven. */
export function atMost(times: number): number {
  return isOnce ? 1 : times
}

/** The time for a measurement: `ms`, or a fifth of it where only a run is proven. */
export function forMs(ms: number): number {
  return isOnce ? ms / 5 : ms
}
