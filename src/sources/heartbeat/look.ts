import { exchange } from '../../http-client.ts'
import { explain } from './exchange.ts'
import type { HeartbeatLimits } from './settings.ts'

/**
 * For the page's button: whether somebody answers at the address. No heartbeat is sent, for its reply may hold labels.
 * @throws PlatenError SOURCE_UNREACHABLE; the signal's reason
 */
export async function knock(
  address: string,
  { connectMs, exchangeMs }: HeartbeatLimits,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(address)
  const outgoing = { method: 'HEAD', connectMs, wholeMs: exchangeMs } as const
  try {
    const { status } = await exchange(url, { ...outgoing, read: () => Promise.resolve() }, signal)
    return `${url.host} answers (HTTP ${status} to a HEAD request). No heartbeat was sent, as its reply may hold labels.`
  } catch (error) {
    throw explain(url.host, error, signal)
  }
}
