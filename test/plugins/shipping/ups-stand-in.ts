import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { at, jsonOf, listOf, textAt } from '../../../src/carriers/reading.ts'
import { openHttps } from './https-stand-in.ts'

/** The stand-in's answer to a purchase: as UPS does, or as networks and gateways do. */
export type Manner =
  | 'ok'
  | 'hang'
  | 'drip'
  | 'reset'
  | 'html'
  | 'late-token'
  | 'busy'
  | 'refuse'
  | 'empty-200'
  | 'gateway'
  | 'half'

const LABEL = Buffer.from('^XA^MMT^FO1,1^FDupsfake^FS^XZ').toString('base64')
const ZPL = { Code: 'ZPL', Description: 'ZPL' }

/** The invoice of a request, in a form that a label printer prints as well. */
function paperOf(reference: string): object {
  const GraphicImage = Buffer.from(`^XA^FDpaper of ${reference}^FS^XZ`).toString('base64')
  return { ImageFormat: { Code: 'PDF' }, GraphicImage }
}

type Answering = (status: number, body: unknown, headers?: Record<string, string>) => void

/** Answers of a carrier that sells nothing. */
const REFUSALS: Partial<
  Record<
    Manner,
    { status: number; code: string; message: string; headers?: Record<string, string> }
  >
> = {
  'late-token': { status: 401, code: '250002', message: 'Invalid Authentication Information.' },
  busy: {
    status: 429,
    code: '10429',
    message: 'Too Many Requests',
    headers: { 'retry-after': '7' },
  },
  refuse: { status: 400, code: '120202', message: 'Missing/Illegal ship to address line' },
}

/** Answers what was sold, or lets the answer be lost on its way. */
function lose(manner: Manner, sold: object, socket: TLSSocket, answer: ServerResponse): void {
  const json = { 'content-type': 'application/json' }
  const page = (status: number): void => {
    answer.writeHead(status, { 'content-type': 'text/html' })
    answer.end('<html>Error</html>')
  }
  const ways: Partial<Record<Manner, () => void>> = {
    hang: () => undefined,
    reset: () => void socket.destroy(),
    html: () => page(500),
    gateway: () => page(504),
    drip() {
      answer.writeHead(200, json)
      answer.write('{"Shipment')
    },
    half() {
      answer.writeHead(200, { ...json, 'content-length': '99999' })
      answer.write(JSON.stringify(sold).slice(0, 50), () => socket.destroy())
    },
  }
  const way = ways[manner]
  if (way !== undefined) way()
  else {
    answer.writeHead(200, json)
    answer.end(JSON.stringify(sold))
  }
}

/**
 * A web server over real HTTPS on loopback that buys labels like UPS: each request of a purchase is one, with a number of its own,
 * and a label can be had again by its reference.
 */
export class UpsStandIn {
  /** Reactions to the next purchases; the last one stays. */
  manners: Manner[] = ['ok']
  /** Numbers that were bought, by the reference of their request. */
  readonly bought = new Map<string, string[]>()
  /** References of requests for the way back. */
  readonly returned = new Set<string>()
  /** Path and authorization of each request. */
  readonly requests: { readonly path: string; readonly authorization: string }[] = []
  /** False = it does not find labels again. */
  recovers = true
  origin = ''
  /** PEM of the authority that its clients have to trust. */
  authority = ''
  #tokens = 0
  #close: () => Promise<void> = () => Promise.resolve()

  static async open(): Promise<UpsStandIn> {
    const standIn = new UpsStandIn()
    const web = await openHttps((request, answer) => void standIn.#serve(request, answer))
    standIn.origin = web.origin
    standIn.authority = web.authority
    standIn.#close = web.close
    return standIn
  }

  async close(): Promise<void> {
    await this.#close()
  }

  /** Counts the requests to this path. */
  count(path: string): number {
    return this.requests.filter((one) => one.path.includes(path)).length
  }

  /** Labels bought in all. */
  get purchases(): number {
    return [...this.bought.values()].flat().length
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url ?? ''
    this.requests.push({ path, authorization: request.headers.authorization ?? '' })
    const json = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      answer.writeHead(status, { 'content-type': 'application/json', ...headers })
      answer.end(JSON.stringify(body))
    }
    if (path.endsWith('/oauth/token')) {
      this.#tokens += 1
      json(200, {
        token_type: 'Bearer',
        access_token: `token-${this.#tokens}`,
        expires_in: '14399',
      })
    } else if (path.endsWith('/ship'))
      this.#ship(jsonOf(text), request.socket as TLSSocket, answer, json)
    else if (path.endsWith('/recovery')) this.#recover(jsonOf(text), json)
    else json(404, { response: { errors: [{ code: '404', message: `no ${path}` }] } })
  }

  #ship(body: unknown, socket: TLSSocket, answer: ServerResponse, json: Answering): void {
    const manner = (this.manners.length > 1 ? this.manners.shift() : this.manners[0]) ?? 'ok'
    const refusal = REFUSALS[manner]
    if (refusal !== undefined) {
      const { status, code, message, headers } = refusal
      json(status, { response: { errors: [{ code, message }] } }, headers)
    } else if (manner === 'empty-200') {
      answer.writeHead(200, { errorcode: '1', errordescription: 'The request is not valid.' })
      answer.end('')
    } else lose(manner, this.#sell(body), socket, answer)
  }

  #sell(body: unknown): object {
    const parcels = listOf(at(body, 'ShipmentRequest', 'Shipment', 'Package'))
    const shipment = at(body, 'ShipmentRequest', 'Shipment')
    const isReturn = textAt(shipment, 'ReturnService', 'Code') === '9'
    const reference =
      textAt(parcels, 0, 'ReferenceNumber', 0, 'Value') ||
      textAt(shipment, 'ReferenceNumber', 0, 'Value')
    if (isReturn) this.returned.add(reference)
    const forms = at(shipment, 'ShipmentServiceOptions', 'InternationalForms')
    const numbers = parcels.map((_, n) => `1Z${String(this.purchases + n).padStart(16, '0')}`)
    this.bought.set(reference, [...(this.bought.get(reference) ?? []), ...numbers])
    return {
      ShipmentResponse: {
        Response: {
          ResponseStatus: { Code: '1', Description: 'Success' },
          Alert: {
            Code: '820',
            Description: 'The destination state/province code has been changed.',
          },
        },
        ShipmentResults: {
          ShipmentCharges: { TotalCharges: { CurrencyCode: 'USD', MonetaryValue: '47.96' } },
          NegotiatedRateCharges: { TotalCharge: { CurrencyCode: 'USD', MonetaryValue: '47.48' } },
          ShipmentIdentificationNumber: numbers[0],
          ...(forms !== undefined && { Form: { Code: '01', Image: paperOf(reference) } }),
          PackageResults: numbers.map((number) => ({
            TrackingNumber: number,
            ShippingLabel: { ImageFormat: ZPL, GraphicImage: LABEL },
          })),
        },
      },
    }
  }

  #recover(body: unknown, json: Answering): void {
    const asked = at(body, 'LabelRecoveryRequest', 'ReferenceValues', 'ReferenceNumber')
    const numbers = this.recovers ? (this.bought.get(textAt(asked, 'Value')) ?? []) : []
    if (numbers.length === 0) {
      json(400, { response: { errors: [{ code: '300022', message: 'No label found' }] } })
    } else {
      const LabelResults = numbers.map((number) => ({
        TrackingNumber: number,
        LabelImage: { LabelImageFormat: ZPL, GraphicImage: LABEL },
      }))
      json(200, { LabelRecoveryResponse: { LabelResults } })
    }
  }
}
