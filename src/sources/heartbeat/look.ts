import { exchange } from './exchange.ts'
import type { HeartbeatLimits } from './settings.ts'

/**
 * For the page's button: whether somebody answers at the address. No heartbeat is sent, for its reply may hold labels.
 * @throws PlatenError SOURCE_UNREACHABLE; the signal's reason
 */
export async function knock(
  address: string,
  limits: HeartbeatLimits,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(address)
  const { status } = await exchange(
    url,
    { method: 'HEAD' },
    { ...limits, replyBytes: Infinity },
    signal,
  )
  return `${url.host} answers (HTTP ${status} to a HEAD request). No heartbeat was sent, as its reply may hold labels.`
}
