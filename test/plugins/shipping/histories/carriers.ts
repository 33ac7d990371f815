import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Dice } from '../../../simulator/history.ts'
import { Network } from '../../../simulator/network.ts'

type Json = Readonly<Record<string, unknown>>
type Answer = readonly [status: number, body: unknown]

/** A price that a carrier gave. */
interface Offer {
  readonly id: string
  readonly shipment: string
  readonly insured: number
  readonly parcels: number
  /** It is for the way back. */
  readonly isReturn: boolean
}

/** Labels that were bought with one call. */
export interface Sale {
  /** The request of the shop that paid: its key names it. */
  readonly by: string
  readonly mark: string
  readonly offer: Offer
  readonly id: string
  readonly numbers: readonly string[]
  /** By the request that had each label refunded. */
  readonly refunds: Map<number, string>
}

const SERVICE = 'ground'
const HOSTS = [
  'https://api.goshippo.com',
  'https://shippo-delivery.s3.amazonaws.com',
  'https://api.shipengine.com',
  'https://api.shipstation.com',
  'https://api.easypost.com',
  'https://easypost-files.s3.us-west-2.amazonaws.com',
  'https://onlinetools.ups.com',
  'https://apis.fedex.com',
  'http://127.0.0.1:1',
]

/** The fate of a call: whether the carrier gets it, and what it answers. */
interface Fate {
  readonly name: string
  readonly acts: boolean
  readonly end: (response: ServerResponse, status: number, told: string) => void
}

const FINE: Fate = { name: '', acts: true, end: send }
const drop = (response: ServerResponse): void => void response.destroy()
const HALF = 'has half an answer'
const FATES: readonly Fate[] = [
  { name: 'is lost on its way', acts: false, end: drop },
  { name: 'comes too often', acts: false, end: (response) => send(response, 429, '{}') },
  { name: 'is refused', acts: false, end: (response) => send(response, 503, '<html>') },
  { name: 'has no answer', acts: true, end: drop },
  { name: 'is late', acts: true, end: () => undefined },
  {
    name: 'is lost behind a gateway',
    acts: true,
    end: (response) => send(response, 502, '<html>'),
  },
  {
    name: HALF,
    acts: true,
    end: (response, status, told) => send(response, status, told.slice(0, told.length / 2)),
  },
]

/** The worlds of all carriers as far as money goes. What they know outlives the program; its connections do not. */
export class Carriers {
  readonly sales: Sale[] = []
  readonly #offers = new Map<string, Offer>()
  readonly network: Network<Fate>
  readonly #say: (line: string) => void
  #count = 0

  constructor(dice: Dice, say: (line: string) => void) {
    this.network = new Network(dice, FINE, FATES)
    this.network.trouble = 1 / 3
    this.#say = say
  }

  /** Opens their addresses for one life of the program. */
  async open() {
    const web = createServer((request, response) => void this.#serve(request, response))
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    return {
      origins: Object.fromEntries(HOSTS.map((host) => [host, origin])),
      close: () => {
        web.closeAllConnections()
        web.close()
      },
    }
  }

  /** A call and its answer, of which either may be lost. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const { method = '', url = '' } = request
    const chosen = url.startsWith('/label.') ? FINE : this.network.next()
    // A file is whole, or its length says that it is not.
    const fate = url.startsWith('/paper.') && chosen.name === HALF ? FINE : chosen
    const by = readKey(request.headers)
    const acts = (): Answer => this.#answer(method, url, by, JSON.parse(body || '{}'))
    const [status, said] = fate.acts ? acts() : [0, '']
    const told = typeof said === 'string' ? said : JSON.stringify(said)
    this.#say(`  ${by}: ${method} ${url.slice(0, 60)} ${status} ${fate.name}`)
    fate.end(response, status, told)
  }

  #answer(method: string, url: string, by: string, body: Json): Answer {
    if (url.startsWith('/label.')) return [200, `^XA^FD${url.slice(11)}^FS^XZ`]
    if (url.startsWith('/paper.')) return [200, paper(url.slice(11))]
    if (url.startsWith('/v2/shipments') && !url.includes('external'))
      return this.#easypost(url, by, body)
    if (/^\/v[12]\/(labels|rates|carriers|shipments\/external)/.test(url))
      return this.#shipengine(method, url, by, body)
    if (url.startsWith('/v1/shipments')) return this.#karrio(url, by, body)
    if (url.startsWith('/api/')) return this.#ups(method, url, by, body)
    if (url.startsWith('/ship/')) return this.#fedex(url, by, body)
    return this.#shippo(url, by, body)
  }

  #offer(insured: unknown, parcels: number, isReturn = false): Offer {
    this.#count += 1
    const n = this.#count
    const offer = {
      isReturn,
      id: `rate_${1e8 + n}`,
      shipment: `shp_${1e8 + n}`,
      insured: Number(insured ?? 0),
      parcels,
    }
    this.#offers.set(offer.id, offer)
    this.#offers.set(offer.shipment, offer)
    return offer
  }

  #sell(by: string, offer: Offer, mark = ''): Sale {
    this.#count += 1
    const id = `tx${1e8 + this.#count}`
    const numbers = Array.from({ length: offer.parcels }, (_, n) => `${id}N${n}`)
    const sale = { by, mark, offer, id, numbers, refunds: new Map<number, string>() }
    this.sales.push(sale)
    return sale
  }

  #refund(sale: Sale, by: string): boolean {
    if (sale.refunds.size > 0) return false
    for (const n of sale.numbers.keys()) sale.refunds.set(n, by)
    return true
  }

  #shippo(url: string, by: string, body: Json): Answer {
    if (url === '/shipments') {
      const parcels = body['parcels'] as Json[]
      const all = [body, ...parcels].map((one) => at(one, 'extra', 'insurance', 'amount'))
      const isReturn = at(body, 'extra', 'is_return') === true
      return [201, shippoShipment(this.#offer(sum(all), parcels.length, isReturn))]
    }
    const known = this.#offers.get(url.split('/')[2] ?? '')
    if (known !== undefined)
      return [200, url.startsWith('/rates') ? shippoRate(known) : shippoShipment(known)]
    if (url === '/transactions') {
      const offer = this.#offers.get(String(body['rate']))
      if (offer === undefined) return [400, { rate: ['Unknown.'] }]
      return [201, shippoLabel(this.#sell(by, offer, String(body['metadata'])), 0)]
    }
    return this.#shippoLabels(url, by, body)
  }

  #shippoLabels(url: string, by: string, body: Json): Answer {
    const all = this.sales.flatMap((sale) => sale.numbers.map((_, n) => [sale, n] as const))
    if (url === '/refunds') {
      const [sale, n] = all.find(([one, n]) => `${one.id}N${n}` === body['transaction']) ?? []
      if (sale === undefined || n === undefined) return [400, { transaction: ['Unknown.'] }]
      if (sale.refunds.has(n)) return [201, { status: 'ERROR' }]
      sale.refunds.set(n, by)
      return [201, { status: 'QUEUED' }]
    }
    const wanted = /rate=(\w+)/.exec(url)?.[1]
    if (wanted !== undefined) {
      const own = all.filter(([sale]) => sale.offer.id === wanted)
      return [200, { results: own.map(([sale, n]) => shippoLabel(sale, n)).toReversed() }]
    }
    const one = all.find(([sale, n]) => url === `/transactions/${sale.id}N${n}`)
    return one === undefined ? [404, { detail: 'Not found.' }] : [200, shippoLabel(...one)]
  }

  #shipengine(method: string, url: string, by: string, body: Json): Answer {
    const [path = '', query = ''] = url.split('?')
    if (path.endsWith('/carriers'))
      return [200, { carriers: [{ carrier_id: 'se-1', carrier_code: 'usps' }] }]
    if (path.endsWith('/rates'))
      return [200, { rate_response: { rates: [engineRate(this.#engineOffer(body))] } }]
    const named = this.#offers.get(/\/rates\/se-(\w+)$/.exec(path)?.[1] ?? '')
    if (named !== undefined) {
      return [200, method === 'GET' ? engineRate(named) : engineLabel(this.#sell(by, named))]
    }
    if (method === 'POST') {
      const own = String(at(body, 'shipment', 'external_shipment_id'))
      const isKnown = this.sales.some((sale) => sale.mark === own)
      if (isKnown) return [400, { errors: [{ message: 'exists' }] }]
      return [200, engineLabel(this.#sell(by, this.#engineOffer(body), own))]
    }
    return method === 'PUT' ? this.#engineVoid(path, by) : this.#engineLabels(path, query)
  }

  #engineOffer(body: Json): Offer {
    const packages = at(body, 'shipment', 'packages') as Json[]
    const isInsured = at(body, 'shipment', 'insurance_provider') === 'carrier'
    const insured = isInsured ? packages.map((one) => at(one, 'insured_value', 'amount')) : []
    // Of a purchase the label says it, of a price its shipment.
    const isLabel = body['label_format'] !== undefined
    const isReturn = isLabel ? body['is_return_label'] : at(body, 'shipment', 'is_return')
    return this.#offer(sum(insured), packages.length, isReturn === true)
  }

  #engineVoid(path: string, by: string): Answer {
    const sale = this.sales.find(({ id }) => path.includes(`/se-${id}/`))
    if (sale === undefined) return [404, { errors: [{ message: 'unknown label' }] }]
    const approved = this.#refund(sale, by)
    return [200, { approved, message: approved ? 'Done' : 'It was already voided.' }]
  }

  #engineLabels(path: string, query: string): Answer {
    const mark = /external_shipment_id\/([^/]+)$/.exec(path)?.[1]
    if (mark !== undefined) {
      const marked = this.sales.find((sale) => sale.mark === decodeURIComponent(mark))
      if (marked === undefined) return [404, { errors: [{ message: 'unknown' }] }]
      const isV1 = path.startsWith('/v1')
      return [200, isV1 ? engineLabel(marked) : { shipment_id: `se-${marked.id}` }]
    }
    const [, key, value] = /^(rate|shipment)_id=se-(\w+)/.exec(query) ?? []
    const found = this.sales.filter((sale) => (key === 'rate' ? sale.offer.id : sale.id) === value)
    return [200, { labels: found.toReversed().map(engineLabel) }]
  }

  #easypost(url: string, by: string, body: Json): Answer {
    const shipment = (offer: Offer) => {
      const sale = this.sales.find((one) => one.offer.shipment === offer.shipment)
      return {
        id: offer.shipment,
        is_return: offer.isReturn,
        options: { label_format: 'ZPL' },
        rates: [{ id: offer.id, carrier: 'USPS', service: SERVICE, rate: '5.50', currency: 'USD' }],
        ...(sale !== undefined && {
          tracking_code: sale.numbers[0],
          selected_rate: { rate: '5.50' },
          postage_label: {
            id: 'pl_1',
            label_zpl_url: `https://easypost-files.s3.us-west-2.amazonaws.com/label.zpl?${sale.numbers[0]}`,
          },
          forms: [
            {
              form_type: 'commercial_invoice',
              form_url: `https://easypost-files.s3.us-west-2.amazonaws.com/paper.pdf?${sale.numbers[0]}`,
            },
          ],
        }),
      }
    }
    const [, , , id = '', deed] = url.split('/')
    if (id === '') {
      const isReturn = at(body, 'shipment', 'is_return') === true
      return [201, shipment(this.#offer(at(body, 'shipment', 'insurance'), 1, isReturn))]
    }
    const offer = this.#offers.get(id)
    if (offer === undefined) return [404, { error: { code: 'NOT_FOUND', message: 'none' } }]
    const sale = this.sales.find((one) => one.offer.shipment === id)
    if (deed === 'buy') {
      if (sale !== undefined)
        return [422, { error: { code: 'SHIPMENT.POSTAGE.EXISTS', message: 'bought' } }]
      const insured = Number(body['insurance'] ?? offer.insured)
      this.#sell(by, { ...offer, insured })
    }
    if (deed === 'refund') {
      if (sale === undefined) return [404, { error: { code: 'NOT_FOUND', message: 'none' } }]
      return [
        200,
        {
          refund_status: this.#refund(sale, by) || sale.refunds.size > 0 ? 'submitted' : 'rejected',
        },
      ]
    }
    return [200, shipment(offer)]
  }

  #karrio(url: string, by: string, body: Json): Answer {
    const shipment = (offer: Offer) => {
      const sale = this.sales.find((one) => one.offer.shipment === offer.shipment)
      const rate = {
        id: offer.id,
        service: SERVICE,
        total_charge: 5.5,
        currency: 'USD',
        carrier_name: 'usps',
      }
      const status =
        sale === undefined ? 'draft' : sale.refunds.size > 0 ? 'cancelled' : 'purchased'
      const options = offer.insured > 0 ? { insurance: offer.insured, currency: 'USD' } : {}
      const documents = sale?.numbers.map((number) => ({
        category: 'label',
        format: 'ZPL',
        base64: image(number),
      }))
      return {
        id: offer.shipment,
        status,
        options,
        rates: [rate],
        ...(sale && {
          tracking_number: sale.numbers[0],
          selected_rate: rate,
          shipping_documents: [...(documents ?? []), karrioPaper(sale)],
        }),
      }
    }
    const [, , , id = '', deed] = url.split('/')
    if (id === '') return [201, shipment(this.#offer(at(body, 'options', 'insurance'), 1))]
    const offer = this.#offers.get(id)
    if (offer === undefined) return [404, { errors: [{ message: 'none' }] }]
    const sale = this.sales.find((one) => one.offer.shipment === id)
    if (deed === 'purchase') {
      if (sale !== undefined) return [409, { errors: [{ code: 'state_error', message: 'bought' }] }]
      this.#sell(by, offer)
    }
    if (deed === 'cancel') {
      if (sale === undefined) return [404, { errors: [{ message: 'none' }] }]
      if (!this.#refund(sale, by)) return [202, {}]
    }
    return [200, shipment(offer)]
  }

  #ups(method: string, url: string, by: string, body: Json): Answer {
    if (url.endsWith('/ship')) {
      const packages = at(body, 'ShipmentRequest', 'Shipment', 'Package') as Json[]
      const insured = sum(
        packages.map((one) => at(one, 'PackageServiceOptions', 'DeclaredValue', 'MonetaryValue')),
      )
      const references = at(packages[0], 'ReferenceNumber') as Json[]
      const sale = this.#sell(
        by,
        this.#offer(
          insured,
          packages.length,
          at(body, 'ShipmentRequest', 'Shipment', 'ReturnService', 'Code') === '9',
        ),
        String(references[0]?.['Value']),
      )
      return [
        200,
        {
          ShipmentResponse: {
            ShipmentResults: {
              ShipmentIdentificationNumber: sale.numbers[0],
              Form: { Image: { ImageFormat: { Code: 'PDF' }, GraphicImage: paper64(sale) } },
              PackageResults: sale.numbers.map((number) => ({
                TrackingNumber: number,
                ShippingLabel: { GraphicImage: image(number) },
              })),
            },
          },
        },
      ]
    }
    if (url.endsWith('/recovery')) {
      const mark = at(body, 'LabelRecoveryRequest', 'ReferenceValues', 'ReferenceNumber', 'Value')
      const found = this.sales
        .filter((sale) => sale.mark === mark)
        .flatMap(({ numbers }) => numbers)
      if (found.length === 0) return [404, {}]
      return [
        200,
        {
          LabelRecoveryResponse: {
            LabelResults: found.map((number) => ({
              TrackingNumber: number,
              LabelImage: { GraphicImage: image(number) },
            })),
          },
        },
      ]
    }
    const sale = this.sales.find(({ numbers }) => url.endsWith(`/${numbers[0]}`))
    if (method !== 'DELETE' || sale === undefined)
      return [404, { response: { errors: [{ code: '190102', message: 'none' }] } }]
    this.#refund(sale, by) // 1 = Voided or Already Voided (Shipping.yaml)
    return [
      200,
      { VoidShipmentResponse: { SummaryResult: { Status: { Code: '1', Description: 'Voided' } } } },
    ]
  }

  #fedex(url: string, by: string, body: Json): Answer {
    if (url.endsWith('/cancel')) {
      const sale = this.sales.find(({ numbers }) => numbers[0] === body['trackingNumber'])
      return [200, { output: { cancelledShipment: sale !== undefined && this.#refund(sale, by) } }]
    }
    const pieces = at(body, 'requestedShipment', 'requestedPackageLineItems') as Json[]
    const insured = sum(pieces.map((one) => at(one, 'declaredValue', 'amount')))
    const services = at(body, 'requestedShipment', 'shipmentSpecialServices', 'specialServiceTypes')
    const isReturn = JSON.stringify(services ?? []).includes('RETURN_SHIPMENT')
    const sale = this.#sell(by, this.#offer(insured, pieces.length, isReturn))
    const shipmentDocuments = [
      { contentType: 'COMMERCIAL_INVOICE', docType: 'PDF', encodedLabel: paper64(sale) },
    ]
    const pieceResponses = sale.numbers.map((number) => ({
      trackingNumber: number,
      packageDocuments: [
        {
          contentType: 'LABEL',
          docType: 'ZPLII',
          encodedLabel: image(number),
        },
      ],
    }))
    return [
      200,
      {
        output: {
          transactionShipments: [
            { masterTrackingNumber: sale.numbers[0], pieceResponses, shipmentDocuments },
          ],
        },
      },
    ]
  }
}

function shippoLabel({ id, numbers, offer, refunds, mark }: Sale, n: number): object {
  return {
    object_id: `${id}N${n}`,
    tracking_number: numbers[n],
    rate: offer.id,
    metadata: mark,
    status: refunds.has(n) ? 'REFUNDPENDING' : 'SUCCESS',
    label_url: `https://shippo-delivery.s3.amazonaws.com/label.zpl?${numbers[n]}`,
    commercial_invoice_url: `https://shippo-delivery.s3.amazonaws.com/paper.pdf?${numbers[0]}`,
  }
}

function shippoRate({ id, shipment }: Offer): object {
  return {
    object_id: id,
    shipment,
    amount: '5.50',
    currency: 'USD',
    provider: 'USPS',
    servicelevel: { token: SERVICE },
  }
}

function shippoShipment(offer: Offer): object {
  const insurance = { amount: String(offer.insured / offer.parcels), currency: 'USD' }
  const extra = offer.insured > 0 ? { insurance } : {}
  const isOne = offer.parcels === 1
  const parcels = Array.from({ length: offer.parcels }, () => (isOne ? {} : { extra }))
  return { object_id: offer.shipment, parcels, ...(isOne && { extra }), rates: [shippoRate(offer)] }
}

const money = (amount: number): object => ({ amount, currency: 'usd' })

function engineRate({ id, insured }: Offer): object {
  return {
    rate_id: `se-${id}`,
    carrier_id: 'se-1',
    carrier_code: 'usps',
    service_code: SERVICE,
    shipping_amount: money(5.5),
    insurance_amount: money(insured / 100),
  }
}

function engineLabel({ id, numbers, refunds }: Sale): object {
  const packages = numbers.map((number) => ({
    tracking_number: number,
    label_download: { href: `data:application/zpl;base64,${image(number)}` },
  }))
  return {
    label_id: `se-${id}`,
    tracking_number: numbers[0],
    shipment_id: `se-${id}`,
    status: refunds.size > 0 ? 'voided' : 'completed',
    label_format: 'zpl',
    form_download: { href: `https://api.shipengine.com/paper.pdf?${numbers[0]}` },
    packages,
    shipment_cost: money(5.5),
    insurance_cost: money(0),
  }
}

/** The invoice of a sale names its first parcel. */
function paper(number: string): string {
  return `%PDF-1.4\n% invoice of ${number}\n%%EOF\n`
}

function paper64({ numbers }: Sale): string {
  return Buffer.from(paper(numbers[0] ?? '')).toString('base64')
}

function karrioPaper(sale: Sale): object {
  return { category: 'invoice', format: 'PDF', base64: paper64(sale) }
}

function image(number: string): string {
  return Buffer.from(`^XA^FD${number}^FS^XZ`).toString('base64')
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((one, name) => (one as Json | undefined)?.[name], value)
}

function sum(amounts: readonly unknown[]): number {
  return amounts.reduce<number>((all, one) => all + Number(one ?? 0), 0)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body)
}

/** The end of the key, whichever way it is sent. */
function readKey(headers: IncomingMessage['headers']): string {
  const { authorization = '', 'api-key': own } = headers
  const [kind, value = ''] = authorization.split(' ')
  const key = own ?? (kind === 'Basic' ? Buffer.from(value, 'base64').toString() : value)
  return String(key).replace(/^shippo_live_|:$/g, '')
}
