import type { Answers } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, jsonOf, listOf, textAt } from '../../reading.ts'
import type { Address } from '../../shipment.ts'
import { isGood, readAlerts, readErrors } from './replies.ts'
import { nameOf, post } from './wire.ts'

export function askAddress({ shipment }: Order): Next {
  const { to } = shipment
  const missing = missingFields(fieldsOf('to', to, ['addr1', 'city', 'code']))
  if (missing.length > 0) return { errors: missing }
  // 1 = is it there; 3 would add the classification, which UPS bills for.
  const call = post('/api/addressvalidation/v2/1', {
    XAVRequest: {
      AddressKeyFormat: {
        ConsigneeName: nameOf(to),
        AddressLine: [to.addr1, to.addr2].filter((line) => line !== ''),
        ...{ PoliticalDivision2: to.city, PoliticalDivision1: to.state },
        ...{ PostcodePrimaryLow: to.code.slice(0, 5), CountryCode: to.country },
      },
    },
  })
  return { call }
}

export function readAddress(reply: Reply, { shipment }: Order): Outcome<'AddressValidate'> {
  const body = at(jsonOf(reply.text), 'XAVResponse')
  if (!isGood(reply) || body === undefined) return { errors: readErrors(reply) }
  const candidates = listOf(at(body, 'Candidate')).map((one) => at(one, 'AddressKeyFormat'))
  const isMatch = at(body, 'ValidAddressIndicator') !== undefined
  const isNone = at(body, 'NoCandidatesIndicator') !== undefined
  const data: Answers['AddressValidate'] = {
    ...describe(shipment.to, isMatch ? candidates[0] : undefined),
    match: isMatch ? true : isNone ? false : null,
    residential: readKind(textAt(body, 'AddressClassification', 'Code')),
    suggestions: candidates.map((one) => ({
      ...{ addr1: textAt(one, 'AddressLine', 0), addr2: textAt(one, 'AddressLine', 1) },
      ...{ city: textAt(one, 'PoliticalDivision2'), state: textAt(one, 'PoliticalDivision1') },
      ...{ zip_code: textAt(one, 'PostcodePrimaryLow'), country: textAt(one, 'CountryCode') },
    })),
  }
  return { data, remarks: readAlerts(body) }
}

/** As UPS writes it where it is sure, else as it was given. */
function describe(to: Address, best: unknown) {
  const line = (n: number): string => textAt(best, 'AddressLine', n)
  return {
    ...{ name: to.name, addr1: line(0) || to.addr1, addr3: '' },
    addr2: best === undefined ? to.addr2 : line(1),
    city: textAt(best, 'PoliticalDivision2') || to.city,
    state: textAt(best, 'PoliticalDivision1') || to.state,
    zip_code: textAt(best, 'PostcodePrimaryLow') || to.code,
    zip_code_addon: textAt(best, 'PostcodeExtendedLow'),
    country: textAt(best, 'CountryCode') || to.country,
    ...{ city_state_zip_match: null, po_box: null },
  }
}

// AddressValidation.yaml: 0 = unknown, 1 = commercial, 2 = residential.
function readKind(code: string): boolean | null {
  if (code === '2') return true
  return code === '1' ? false : null
}
