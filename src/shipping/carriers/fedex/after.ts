import { type Activity, BLANKS } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { missingFields } from '../../params.ts'
import { at, listOf, numberAt, placeAt, textAt, toZonedTime } from '../../reading.ts'
import { outputOf, readAlerts, readErrors, toFailure } from './replies.ts'
import { send, toPlace, toStreet } from './wire.ts'

const PLACE = ['city', 'stateOrProvinceCode', 'countryCode'] as const

export function askTrack({ shipment }: Order): Next {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  const trackingInfo = [{ trackingNumberInfo: { trackingNumber: number } }]
  return {
    call: send('POST', '/track/v1/trackingnumbers', { includeDetailedScans: true, trackingInfo }),
  }
}

export function readTrack(reply: Reply): Outcome<'Track'> {
  const result = at(outputOf(reply), 'completeTrackResults', 0)
  const tracked = at(result, 'trackResults', 0)
  const error = at(tracked, 'error')
  const status = at(tracked, 'latestStatusDetail')
  if (tracked === undefined) return { errors: readErrors(reply) }
  if (textAt(error, 'code') !== '') {
    return { errors: [toFailure(error, 404, 'FedEx does not know this number.')] }
  }
  const timeOf = (type: string): string => {
    const times = listOf(at(tracked, 'dateAndTimes'))
    return toZonedTime(
      textAt(
        times.find((one) => textAt(one, 'type') === type),
        'dateTime',
      ),
    )
  }
  const weights = at(tracked, 'packageDetails', 'weightAndDimensions')
  const ids = listOf(at(tracked, 'additionalTrackingInfo', 'packageIdentifiers'))
  const number =
    textAt(result, 'trackingNumber') || textAt(tracked, 'trackingNumberInfo', 'trackingNumber')
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(status, 'statusByLocale') || textAt(status, 'description'),
      status_code: textAt(status, 'derivedCode') || textAt(status, 'code'),
      shipment_id: number,
      origin: placeAt(at(tracked, 'shipperInformation', 'address'), ...PLACE),
      destination: placeAt(at(tracked, 'recipientInformation', 'address'), ...PLACE),
      service: {
        code: textAt(tracked, 'serviceDetail', 'type'),
        description: textAt(tracked, 'serviceDetail', 'description'),
      },
      pickup_date: timeOf('ACTUAL_PICKUP'),
      estimated_delivery: timeOf('ESTIMATED_DELIVERY'),
      delivered_time: timeOf('ACTUAL_DELIVERY'),
      weight: {
        amount: numberAt(weights, 'weight', 'value'),
        unit: textAt(weights, 'weight', 'unit'),
      },
      dimensions: {
        ...{ length: numberAt(weights, 'dimensions', 'length') },
        ...{ width: numberAt(weights, 'dimensions', 'width') },
        ...{ height: numberAt(weights, 'dimensions', 'height') },
        unit: textAt(weights, 'dimensions', 'units'),
      },
      reference_numbers: ids.flatMap((one) =>
        listOf(at(one, 'values') ?? at(one, 'value')).map((value) => textAt(value)),
      ),
      packages: [
        { tracking_number: number, activity: listOf(at(tracked, 'scanEvents')).map(toActivity) },
      ],
    },
    remarks: readAlerts(outputOf(reply)),
  }
}

function toActivity(event: unknown): Activity {
  const more = textAt(event, 'exceptionDescription')
  const words = textAt(event, 'eventDescription')
  return {
    time: toZonedTime(textAt(event, 'date')),
    status: more === '' ? words : `${words}: ${more}`,
    status_code: textAt(event, 'derivedStatusCode') || textAt(event, 'eventType'),
    location: placeAt(at(event, 'scanLocation'), ...PLACE),
  }
}

export function askAddress({ shipment }: Order): Next {
  const { to } = shipment
  const missing = missingFields([
    ['to_addr1', to.addr1],
    ['to_code', to.code || to.city],
  ])
  if (missing.length > 0) return { errors: missing }
  const place = toPlace({ ...to, isResidential: undefined })
  const addressesToValidate = [{ address: { streetLines: toStreet(to), ...place } }]
  return { call: send('POST', '/address/v1/addresses/resolve', { addressesToValidate }) }
}

/** FedEx publishes this one without a file: names as in its developer portal. */
export function readAddress(reply: Reply, { shipment }: Order): Outcome<'AddressValidate'> {
  const output = outputOf(reply)
  const found = at(output, 'resolvedAddresses', 0)
  if (found === undefined) return { errors: readErrors(reply) }
  const line = (n: number): string => textAt(found, 'streetLinesToken', n)
  const flag = (name: string): boolean | null => readFlag(at(found, 'attributes', name))
  const kind = textAt(found, 'classification')
  const { to } = shipment
  const remarks = listOf(at(found, 'customerMessages')).map((one) => ({
    ...toFailure(one, 200, 'FedEx has a remark about the address.'),
    type: 'NOTE' as const,
  }))
  return {
    data: {
      ...{ name: to.name || to.company, addr1: line(0), addr2: line(1), addr3: line(2) },
      ...{ city: textAt(found, 'city'), state: textAt(found, 'stateOrProvinceCode') },
      zip_code: textAt(found, 'parsedPostalCode', 'base') || textAt(found, 'postalCode'),
      zip_code_addon: textAt(found, 'parsedPostalCode', 'addOn'),
      country: textAt(found, 'countryCode'),
      match: flag('Resolved') === false ? false : flag('DPV'),
      city_state_zip_match: flag('CityStateValidated'),
      residential: kind === 'RESIDENTIAL' ? true : kind === 'BUSINESS' ? false : null,
      po_box: flag('POBox'),
      suggestions: [],
    },
    remarks,
  }
}

/** A truth as a text. */
function readFlag(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}
