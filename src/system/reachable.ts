const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Whether other computers reach a server of this `host`: not one that listens to its own computer only. */
export function isReachable(host: string): boolean {
  return !LOOPBACK.includes(host.toLowerCase())
}
