import { failure, type Remark } from '../../answers.ts'
import type { Reply } from '../../carrier.ts'
import { at, jsonOf, kindOfStatus, listOf, textAt } from '../../reading.ts'

/** `output` of a good answer. */
export function outputOf({ status, text }: Reply): unknown {
  return status === 200 ? at(jsonOf(text), 'output') : undefined
}

/** FedEx's own words; never an empty list. */
export function readErrors({ status, text }: Reply): readonly Remark[] {
  const told = listOf(at(jsonOf(text), 'errors')).map((one) =>
    toFailure(one, status, `FedEx answered with HTTP ${status}.`),
  )
  if (told.length > 0) return told
  return [
    failure(kindOfStatus(status), `FedEx answered with HTTP ${status}.`, {
      carrierCode: String(status),
    }),
  ]
}

/** A `{code, message}` of FedEx. */
export function toFailure(one: unknown, status: number, otherwise: string): Remark {
  const code = textAt(one, 'code')
  const field = textAt(one, 'parameterList', 'key')
  return failure(classify(code, status), textAt(one, 'message') || otherwise, {
    ...{ carrierCode: code, field },
  })
}

// FedEx's codes are words: what is wrong stands at their end.
const CODES: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/^(NOT\.AUTHORIZED|FORBIDDEN|LOGIN|UNAUTHORIZED)\b/, 'AUTHENTICATION'],
  [/ALREADY/, 'ALREADY_VOID'],
  [/^TRACKING\..*NOT\.?FOUND|TRACKINGNUMBER\.(INVALID|NOTFOUND)/, 'UNKNOWN_NUMBER'],
  [/^(SERVICE|SERVICETYPE)\b.*(INVALID|NOT|UNAVAILABLE)/, 'UNKNOWN_SERVICE'],
  [/(WEIGHT|DIMENSION|LENGTH|GIRTH)/, 'BAD_SIZE'],
  [/(POSTAL|ZIP|COUNTRY|STATE|CITY).*(INVALID|NOTFOUND|NOT\.SERVED|MISMATCH)/, 'NOT_SERVED'],
  [/(REQUIRED|MISSING|EMPTY|INVALID\.INPUT)/, 'MISSING_FIELD'],
]

function classify(code: string, status: number): Parameters<typeof failure>[0] {
  return CODES.find(([pattern]) => pattern.test(code))?.[1] ?? kindOfStatus(status)
}

/** Notes and warnings beside a good answer. */
export function readAlerts(output: unknown): readonly Remark[] {
  return listOf(at(output, 'alerts')).flatMap((one) => {
    const description = textAt(one, 'message') || textAt(one)
    const type = textAt(one, 'alertType') === 'WARNING' ? 'WARNING' : 'NOTE'
    const carrierCode = textAt(one, 'code')
    return description === ''
      ? []
      : [{ ...failure('CARRIER_FAULT', description, { carrierCode }), type }]
  })
}
