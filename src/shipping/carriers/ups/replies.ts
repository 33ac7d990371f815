import { failure, type Remark } from '../../answers.ts'
import type { Reply } from '../../carrier.ts'
import { at, jsonOf, kindOfStatus, listOf, textAt } from '../../reading.ts'

/** 200 with an empty body and the error in two headers is no success. */
export function isGood({ status, headers }: Reply): boolean {
  return status === 200 && headers['errorcode'] === undefined
}

/** UPS's own words; never an empty list. */
export function readErrors(reply: Reply): readonly Remark[] {
  const told = listOf(at(jsonOf(reply.text), 'response', 'errors')).map((one) => ({
    code: textAt(one, 'code'),
    message: textAt(one, 'message'),
  }))
  const { errorcode = '', errordescription = '' } = reply.headers
  if (told.length === 0 && errorcode + errordescription !== '') {
    told.push({ code: errorcode, message: errordescription })
  }
  if (told.length === 0) told.push({ code: String(reply.status), message: '' })
  return told.map(({ code, message }) =>
    failure(classify(code, reply.status), message || `UPS answered with HTTP ${reply.status}.`, {
      carrierCode: code,
    }),
  )
}

// From the saved answers and the published samples; all others go by the HTTP status.
const CODES: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/^250002$/, 'AUTHENTICATION'],
  [/^190102$/, 'UNKNOWN_NUMBER'],
  [/^(111285|9264030)$/, 'NOT_SERVED'],
  [/^120202$/, 'MISSING_FIELD'],
]

function classify(code: string, status: number): Parameters<typeof failure>[0] {
  const found = CODES.find(([pattern]) => pattern.test(code))
  return found?.[1] ?? kindOfStatus(status)
}

/** Notes beside a good answer, e.g. 820: the address was changed. */
export function readAlerts(body: unknown): readonly Remark[] {
  return listOf(at(body, 'Response', 'Alert')).map((alert) => ({
    ...failure('CARRIER_FAULT', textAt(alert, 'Description'), {
      carrierCode: textAt(alert, 'Code'),
    }),
    type: 'NOTE',
  }))
}

/** A gateway's fault leaves open whether it was bought; UPS's own words do not. */
export function refuseOrDoubt(
  reply: Reply,
): { readonly errors: readonly Remark[] } | { readonly unknown: readonly Remark[] } {
  const errors = readErrors(reply)
  const isUps = listOf(at(jsonOf(reply.text), 'response', 'errors')).length > 0
  const isTold = isUps || reply.headers['errorcode'] !== undefined
  if (isTold || (reply.status >= 400 && reply.status < 500)) return { errors }
  return { unknown: errors }
}
