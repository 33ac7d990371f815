import { type Activity, BLANKS, failure } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, listOf, placeAt, textAt, toZonedTime } from '../../reading.ts'
import { bodyOf, readErrors } from './replies.ts'
import { send } from './wire.ts'

export function askTrack({ shipment }: Order): Next {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  const path = `/tracking/v3/tracking/${encodeURIComponent(number)}?expand=DETAIL`
  return { call: send('GET', path) }
}

export function readTrack(reply: Reply): Outcome<'Track'> {
  const body = bodyOf(reply)
  const number = textAt(body, 'trackingNumber')
  if (number === '') return { errors: readErrors(reply) }
  const activity = listOf(at(body, 'trackingEvents')).map(toActivity)
  const delivered = activity.find((one) => /^delivered/i.test(one.status))
  const place = (side: 'origin' | 'destination'): string =>
    placeAt(body, `${side}City`, `${side}State`, `${side}ZIP`)
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(body, 'status') || textAt(body, 'statusSummary'),
      status_code: textAt(body, 'statusCategory'),
      shipment_id: number,
      ...{ origin: place('origin'), destination: place('destination') },
      service: { code: textAt(body, 'mailClass'), description: textAt(body, 'mailClass') },
      estimated_delivery: toZonedTime(
        textAt(body, 'expectedDeliveryTimeStamp') || textAt(body, 'predictedDeliveryTimeStamp'),
      ),
      delivered_time: delivered?.time ?? '',
      packages: [{ tracking_number: number, activity }],
    },
  }
}

function toActivity(event: unknown): Activity {
  return {
    time: toZonedTime(textAt(event, 'GMTTimestamp') || textAt(event, 'eventTimestamp')),
    status: textAt(event, 'eventType'),
    status_code: textAt(event, 'eventCode'),
    location: placeAt(event, 'eventCity', 'eventState', 'eventZIP', 'eventCountry'),
  }
}

export function askAddress({ shipment }: Order): Next {
  const { to } = shipment
  const missing = missingFields(fieldsOf('to', to, ['addr1', 'state']))
  if (missing.length > 0) return { errors: missing }
  const query = Object.entries({
    ...{ firm: to.company.slice(0, 50), streetAddress: to.addr1, secondaryAddress: to.addr2 },
    ...{ city: to.city, state: to.state.toUpperCase(), ZIPCode: to.code.slice(0, 5) },
  }).filter(([, value]) => value !== '')
  const written = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return { call: send('GET', `/addresses/v3/address?${written}`) }
}

export function readAddress(reply: Reply, { shipment }: Order): Outcome<'AddressValidate'> {
  const body = bodyOf(reply)
  const address = at(body, 'address')
  const more = at(body, 'additionalInfo')
  if (textAt(address, 'streetAddress') === '') return { errors: readErrors(reply) }
  const confirmed = textAt(more, 'DPVConfirmation')
  const business = textAt(more, 'business')
  const remarks = [...listOf(at(body, 'corrections')), ...listOf(at(body, 'warnings'))].flatMap(
    (one) => {
      const words = textAt(one, 'text') || textAt(one)
      const carrierCode = textAt(one, 'code')
      const note = { ...failure('NOT_SERVED', words, { carrierCode }), type: 'NOTE' as const }
      return words === '' ? [] : [note]
    },
  )
  return {
    data: {
      ...{
        name: shipment.to.name || textAt(body, 'firm'),
        addr1: textAt(address, 'streetAddress'),
      },
      ...{ addr2: textAt(address, 'secondaryAddress'), addr3: '', city: textAt(address, 'city') },
      ...{ state: textAt(address, 'state'), zip_code: textAt(address, 'ZIPCode') },
      ...{ zip_code_addon: textAt(address, 'ZIPPlus4'), country: 'US' },
      // D and S: the house is there, the apartment is missing or wrong.
      match: confirmed === 'Y' ? true : confirmed === 'N' ? false : null,
      ...{ city_state_zip_match: null, po_box: null, suggestions: [] },
      residential: business === 'N' ? true : business === 'Y' ? false : null,
    },
    remarks,
  }
}
