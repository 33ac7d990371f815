import type { Remark } from '../../answers.ts'
import type { HttpCall, Order } from '../../carrier.ts'
import { toDecimal } from '../../money.ts'
import { missingFields } from '../../params.ts'
import { type Address, hasSize, type Parcel, type Shipment } from '../../shipment.ts'
import { jsonCall } from '../../writing.ts'

/** The newest that Rating allows. */
export const VERSION = 'v2409'

export function post(path: string, body: object): HttpCall {
  return jsonCall('POST', path, {}, body)
}

/** What UPS would only refuse; undefined = all is there. */
export function findMissing(
  { account, shipment }: Order,
  fields: readonly (readonly [string, string])[],
): { readonly errors: readonly Remark[] } | undefined {
  const number = account['account_number'] ?? ''
  const missing = missingFields([['account_number', number], ...fields])
  if (missing.length > 0) return { errors: missing }
  if (shipment.parcels.length > 0) return undefined
  return { errors: missingFields([['packages', '']]) }
}

export function nameOf({ name, company }: Address): string {
  return (company || name || 'Shipper').slice(0, 35)
}

export function toAddress({
  addr1,
  addr2,
  city,
  state,
  code,
  country,
  isResidential,
}: Address): object {
  return {
    AddressLine: [addr1, addr2].filter((line) => line !== '').map((line) => line.slice(0, 35)),
    City: city.slice(0, 30),
    ...(state === '' ? {} : { StateProvinceCode: state }),
    PostalCode: code.replace(/[\s-]/g, ''),
    CountryCode: country,
    ...(isResidential === true ? { ResidentialAddressIndicator: 'Y' } : {}),
  }
}

/** Numbers are texts there; every unit needs its description too. */
export function toPackage(parcel: Parcel, { weightUnit, lengthUnit }: Shipment): object {
  const { length, width, height, weight, insuredCents, insuredCurrency } = parcel
  const inches = { Code: 'IN', Description: 'Inches' }
  const centimeters = { Code: 'CM', Description: 'Centimeters' }
  const options = {
    ...(insuredCents === 0
      ? {}
      : {
          DeclaredValue: { CurrencyCode: insuredCurrency, MonetaryValue: toDecimal(insuredCents) },
        }),
    ...confirmation(parcel),
  }
  return {
    ...(hasSize(parcel) && {
      Dimensions: {
        UnitOfMeasurement: lengthUnit === 'IN' ? inches : centimeters,
        ...{ Length: whole(length), Width: whole(width), Height: whole(height) },
      },
    }),
    PackageWeight: {
      UnitOfMeasurement:
        weightUnit === 'LB'
          ? { Code: 'LBS', Description: 'Pounds' }
          : { Code: 'KGS', Description: 'Kilograms' },
      Weight: readableWeight(weight),
    },
    ...(Object.keys(options).length > 0 && { PackageServiceOptions: options }),
  }
}

// Shipping.yaml, DeliveryConfirmation.DCISType: 2 = signature, 3 = adult signature.
function confirmation({ signature }: Parcel): object {
  if (signature === 'DIRECT') return { DeliveryConfirmation: { DCISType: '2' } }
  return signature === 'ADULT' ? { DeliveryConfirmation: { DCISType: '3' } } : {}
}

/** A size of three digits, never rounded down: a parcel that is larger costs more, and a fine. */
function whole(size: number): string {
  return String(Math.min(999, Math.ceil(size)))
}

/** A weight of at most five characters, never rounded down. */
export function readableWeight(weight: number): string {
  const tenths = Math.ceil(Math.round(weight * 1_000) / 100) / 10
  return String(tenths >= 1_000 ? Math.ceil(weight) : tenths)
}
