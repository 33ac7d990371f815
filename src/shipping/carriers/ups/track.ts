import type { Activity } from '../../answers.ts'
import { failure } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { missingFields } from '../../params.ts'
import { at, jsonOf, listOf, numberAt, textAt } from '../../reading.ts'
import { isGood, readErrors } from './replies.ts'

export function askTrack({ shipment, requestId }: Order): Next {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  return {
    call: {
      method: 'GET',
      path: `/api/track/v1/details/${encodeURIComponent(number)}?locale=en_US`,
      headers: { transId: requestId.slice(0, 32), transactionSrc: 'platen' },
    },
  }
}

export function readTrack(reply: Reply): Outcome<'Track'> {
  const shipment = at(jsonOf(reply.text), 'trackResponse', 'shipment')
  const packages = listOf(at(shipment, 'package'))
  const [first] = packages
  if (!isGood(reply) || first === undefined) {
    const warnings = listOf(at(shipment, 'warnings')).map((one) =>
      failure('UNKNOWN_NUMBER', textAt(one, 'message'), { carrierCode: textAt(one, 'code') }),
    )
    return { errors: warnings.length > 0 ? warnings : readErrors(reply) }
  }
  const dates = listOf(at(first, 'deliveryDate'))
  const dayOf = (type: string): string => {
    const found = dates.find((one) => textAt(one, 'type') === type)
    return toDay(textAt(found, 'date'))
  }
  const activities = packages.map(readActivities)
  const delivered = activities[0]?.find(({ status_code: code }) => code === 'D')
  const place = (type: string): string => {
    const found = listOf(at(first, 'packageAddress')).find((one) => textAt(one, 'type') === type)
    return placeOf(at(found, 'address'))
  }
  return {
    data: {
      status: textAt(first, 'currentStatus', 'description') || (activities[0]?.[0]?.status ?? ''),
      status_code: textAt(first, 'activity', 'status', 'type'),
      shipment_id: textAt(shipment, 'inquiryNumber'),
      ...{ origin: place('ORIGIN'), destination: place('DESTINATION') },
      service: {
        code: textAt(first, 'service', 'code'),
        description: textAt(first, 'service', 'description'),
      },
      pickup_date: '',
      estimated_delivery: dayOf('SDD') || dayOf('RDD'),
      delivered_time: delivered?.time ?? '',
      weight: {
        amount: numberAt(first, 'weight', 'weight'),
        unit: textAt(first, 'weight', 'unitOfMeasurement'),
      },
      dimensions: {
        ...{ length: numberAt(first, 'dimension', 'length') },
        ...{ width: numberAt(first, 'dimension', 'width') },
        ...{ height: numberAt(first, 'dimension', 'height') },
        unit: textAt(first, 'dimension', 'unitOfDimension'),
      },
      reference_numbers: listOf(at(first, 'referenceNumber')).map((one) => textAt(one, 'number')),
      alternative_tracking_ids: listOf(at(first, 'alternateTrackingNumber')).map((one) => ({
        value: textAt(one, 'number'),
      })),
      packages: packages.map((one, index) => ({
        tracking_number: textAt(one, 'trackingNumber'),
        activity: activities[index] ?? [],
      })),
    },
  }
}

/** Newest first, as UPS sends them. */
function readActivities(one: unknown): readonly Activity[] {
  return listOf(at(one, 'activity')).map((event) => ({
    time: toTime(event),
    status: textAt(event, 'status', 'description'),
    status_code: textAt(event, 'status', 'type'),
    location: placeOf(at(event, 'location', 'address')),
  }))
}

/** `date` and `time` are those of the place; `gmtOffset` may be missing. */
function toTime(event: unknown): string {
  const day = toDay(textAt(event, 'date'))
  const time = /^(\d\d)(\d\d)(\d\d)$/.exec(textAt(event, 'time'))
  if (day === '') return ''
  const offset = textAt(event, 'gmtOffset')
  const clock = time === null ? '00:00:00' : `${time[1]}:${time[2]}:${time[3]}`
  return `${day}T${clock}${/^[+-]\d\d:\d\d$/.test(offset) ? offset : '-00:00'}`
}

function toDay(date: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)$/.exec(date)
  return found === null ? '' : `${found[1]}-${found[2]}-${found[3]}`
}

function placeOf(address: unknown): string {
  const parts = ['city', 'stateProvince', 'country'].map((name) => textAt(address, name))
  return parts.filter((part) => part !== '').join(', ')
}
