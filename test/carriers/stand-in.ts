import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import type { Test } from 'tap'
import type { Carrier } from '../../src/carriers/carrier.ts'
import { ADDRESSES, type Answer, startShipping } from '../plugins/shipping/http/calls.ts'
import { openHttps } from '../plugins/shipping/https-stand-in.ts'

/** A stand-in's answer: a body with its status, nothing at all, or bytes. */
export type Reaction = readonly [status: number, body: object | Buffer] | 'lost'

/** A box, called by HTTP, whose calls to one carrier go to a stand-in over real HTTPS on loopback. */
export async function startCarrier(
  t: Test,
  carrier: Carrier,
  react: (method: string, url: string, request: IncomingMessage, body: string) => Reaction,
) {
  const seen: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request)
    const { method = '', url = '' } = request
    seen.push(`${method} ${url}`)
    const reaction = react(method, url, request, sent)
    if (reaction === 'lost') {
      request.socket.destroy()
      return
    }
    const [status, body] = reaction
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }
  const web = await openHttps(serve)
  t.teardown(() => web.close())
  tls.setDefaultCACertificates([web.authority])
  const { hosts, labelHosts = [] } = carrier
  const own = [hosts?.live, hosts?.test, ...labelHosts.map((host) => `https://${host}`)]
  const rig = startShipping(t, {
    origins: Object.fromEntries(own.map((host) => [host, web.origin])),
  })
  const ask = async (action: string, params: object = {}, requestId = 'a'): Promise<Answer> => {
    const call = {
      carrier: carrier.name,
      action,
      request_id: requestId,
      params: { ...ADDRESSES, test: true, ...params },
    }
    return (await (await rig.post(call)).json()) as Answer
  }
  return { ...rig, seen, ask, origin: web.origin }
}
