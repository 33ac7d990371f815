import { type CarrierRemark, failure } from '../answers.ts'
import type { CarrierOrder } from '../carrier.ts'
import { fieldsOf, missingFields } from '../orders.ts'
import { dayOf } from '../reading.ts'
import {
  type CustomsLine,
  isAbroad,
  isDutiable,
  type Shipment,
  toDecimal,
  travelOf,
} from '../shipment.ts'
import { nameOf, phoneOf, signatureForAll, toAddress } from './wire.ts'

// Shipping.yaml, InternationalForms: products of an invoice, and lines of 35 characters that describe each.
const PRODUCTS_MOST = 50
const DESCRIPTION = { lines: 3, line: 35 } as const
const INVOICE_MOST = 35

/** Refuses a shipment across a border without what UPS wants to know; undefined = all is there. */
export function refuseBare(
  shipment: Shipment,
): { readonly errors: readonly CarrierRemark[] } | undefined {
  const { from, to, customs } = shipment
  if (!isAbroad(shipment) && !isDutiable(shipment)) return undefined
  const missing = missingFields([
    ...fieldsOf('ship', from, ['phone']),
    ...fieldsOf('to', to, ['phone']),
    ['customs', isDutiable(shipment) && customs.length === 0 ? '' : 'given'],
  ])
  if (missing.length > 0) return { errors: missing }
  if (customs.length <= PRODUCTS_MOST) return undefined
  const message = `customs: got ${customs.length} lines, wanted at most ${PRODUCTS_MOST}, which UPS has on an invoice.`
  return { errors: [failure('BAD_SIZE', message, { field: 'customs' })] }
}

/** The invoice of a shipment, what it is worth, and who signs for it where UPS does not ask that of each parcel. */
export function toForms(order: CarrierOrder, mark: string): object {
  const { shipment } = order
  const options = {
    ...signatureForAll(shipment),
    ...(isDutiable(shipment) && { InternationalForms: toInvoice(order, mark) }),
  }
  return {
    ...worthOf(shipment),
    ...(Object.keys(options).length > 0 && { ShipmentServiceOptions: options }),
  }
}

/**
 * Made by UPS, which sends it to customs itself where the account has paperless invoices; `OverridePaperlessIndicator`: its copy comes
 * in any case.
 */
function toInvoice(order: CarrierOrder, mark: string): object {
  const { shipment, now } = order
  const { currency, customs, contents, incoterm, invoiceNumber, isReturn } = shipment
  const { to } = travelOf(shipment)
  return {
    // 05 = partial invoice, the only one that returns have.
    FormType: [isReturn ? '05' : '01'],
    InvoiceNumber: (invoiceNumber || mark).slice(0, INVOICE_MOST),
    InvoiceDate: dayOf(now).replaceAll('-', ''),
    TermsOfShipment: incoterm,
    ReasonForExport: contents === 'MERCHANDISE' ? 'SALE' : contents,
    CurrencyCode: currency,
    OverridePaperlessIndicator: '',
    Contacts: {
      SoldTo: {
        Name: nameOf(to),
        AttentionName: (to.name || nameOf(to)).slice(0, 35),
        Phone: { Number: phoneOf(to) },
        Address: toAddress({ ...to, isResidential: undefined }),
      },
    },
    Product: customs.map(toProduct),
  }
}

function toProduct({ description, quantity, cents, tariffCode, origin }: CustomsLine): object {
  const unit = { Code: 'PCS', Description: 'PCS' }
  const code = tariffCode.replace(/[^0-9A-Za-z]/g, '')
  return {
    Description: linesOf(description),
    Unit: { Number: String(quantity), UnitOfMeasurement: unit, Value: toDecimal(cents) },
    ...(code !== '' && { CommodityCode: code.slice(0, 15) }),
    OriginCountryCode: origin,
  }
}

/** In as many lines as there are for it. */
function linesOf(text: string): readonly string[] {
  const lines = Array.from({ length: DESCRIPTION.lines }, (_, n) =>
    text.slice(n * DESCRIPTION.line, (n + 1) * DESCRIPTION.line),
  )
  return lines.filter((line) => line !== '')
}

/** Gives the invoice total: of no return, and from the United States to Canada and Puerto Rico alone; to others it is for the invoice. */
function worthOf({ from, to, customs, currency, isReturn }: Shipment): object {
  const cents = customs.reduce((sum, line) => sum + line.cents * line.quantity, 0)
  if (isReturn || cents === 0) return {}
  if (from.country !== 'US' || !['CA', 'PR'].includes(to.country)) return {}
  return { InvoiceLineTotal: { CurrencyCode: currency, MonetaryValue: toDecimal(cents) } }
}
