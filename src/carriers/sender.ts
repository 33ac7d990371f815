import type { HttpCall, HttpReply } from './carrier.ts'

/**
 * The one way out of the library, which opens no connection itself: whoever uses it brings the HTTP client.
 * Decision `sender-of-carriers`.
 */
export interface CarrierSender {
  /**
   * Sends a call to `https://host` and gives the reply, whatever its status. No redirect is followed and nothing is sent twice.
   * @throws CarrierFault CARRIER_TIMEOUT, CARRIER_FAULT
   */
  send(origin: string, call: HttpCall, timeoutMs: number): Promise<RawReply>
}

/** A reply whose body may be anything. */
export interface RawReply extends Omit<HttpReply, 'text'> {
  readonly bytes: Buffer
}
