import { failure, type Remark } from '../../answers.ts'
import type { Reply } from '../../carrier.ts'
import { at, jsonOf, kindOfStatus, listOf, textAt } from '../../reading.ts'

type Kind = Parameters<typeof failure>[0]

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^(PARAMETER|ADDRESS\.PARAMETERS)\./, 'MISSING_FIELD'],
  [/^PARCEL\./, 'BAD_SIZE'],
  [/^SHIPMENT\.MISSING_RATE$/, 'UNKNOWN_SERVICE'],
  [/^ADDRESS\.VERIFY/, 'NOT_SERVED'],
  [/^TRACKER\.NOT_FOUND$/, 'UNKNOWN_NUMBER'],
]

function classify(code: string, status: number): Kind {
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? kindOfStatus(status)
}

/**
 * `{error: {code, message, errors}}`, where the message may be a list and the errors objects or texts; never an empty list.
 */
export function readErrors({ text, status }: Reply): readonly Remark[] {
  const error = at(jsonOf(text), 'error')
  const code = textAt(error, 'code')
  const kind = classify(code, status)
  const details = listOf(at(error, 'errors')).flatMap((one) => {
    const description = textAt(one) || textAt(one, 'message')
    const field = textAt(one, 'field')
    return description === '' ? [] : [{ description, field }]
  })
  const message = listOf(at(error, 'message'))
    .map((one) => textAt(one))
    .join(' ')
    .trim()
  const whole = { description: message || `EasyPost answered with HTTP ${status}.`, field: '' }
  return [whole, ...details].map(({ description, field }) =>
    failure(kind, description, { carrierCode: code, field }),
  )
}

/** Why some carriers offer nothing, beside the rates of others. */
export function readMessages(shipment: unknown): readonly Remark[] {
  return listOf(at(shipment, 'messages')).map((one) => {
    const told = [textAt(one, 'carrier'), textAt(one, 'message')].filter((part) => part !== '')
    return failure('NOT_SERVED', told.join(': ') || 'A carrier offers no rate.', {
      carrierCode: textAt(one, 'type'),
    })
  })
}

/** Anything but a fault of its own. */
export function isGood({ status }: Reply): boolean {
  return status === 200 || status === 201
}
