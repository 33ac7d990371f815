/** Milliseconds of processor time that the work takes: on a busy machine it is the same, unlike the time on the wall. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
