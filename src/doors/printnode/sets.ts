import { PlatenError, quoteShort } from '../../errors.ts'

/** Ids of a request, e.g. `1,5-9`: pairs of first and last. */
export type IdSet = readonly (readonly [first: number, last: number])[]

export const EVERY: IdSet = [[0, Number.MAX_SAFE_INTEGER]]

const PARTS_MOST = 100

/** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS */
export function readSet(text: string | undefined): IdSet {
  if (text === undefined) return EVERY
  const parts = text.replace(/%2c/gi, ',').split(',')
  if (parts.length > PARTS_MOST)
    throw new PlatenError('TOO_MANY_FIELDS', `The set has more than ${PARTS_MOST} parts.`)
  return parts.map((part) => {
    const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part) ?? []
    if (first === undefined)
      throw new PlatenError('FIELD_INVALID', `Got ${quoteShort(text)}, wanted ids as in 1,5-9.`)
    return [Number(first), Number(last)] as const
  })
}

export function isIn(set: IdSet, id: number): boolean {
  return set.some(([first, last]) => id >= first && id <= last)
}
