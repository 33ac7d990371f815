/**
 * Whole cents of a decimal text, rounded half away from zero: floats are never summed (`0.1 + 0.2`). A JSON number is read
 * by the text that JSON has for it. Undefined for what is not an amount.
 */
export function readCents(amount: unknown): number | undefined {
  const text = typeof amount === 'number' ? String(amount) : amount
  if (typeof text !== 'string') return undefined
  const match = /^\s*(-?)(\d{1,12})(?:\.(\d*))?\s*$/.exec(text)
  if (match === null) return undefined
  const [, sign, units = '', decimals = ''] = match
  const cents = Number(units) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0'))
  const rounded = cents + (Number(decimals[2] ?? '0') >= 5 ? 1 : 0)
  return sign === '-' && rounded !== 0 ? -rounded : rounded
}

/** Cents as the number on the wire: at most two decimals. */
export function toAmount(cents: number): number {
  return cents / 100
}

/** Cents as a carrier's decimal text, two decimals always. */
export function toDecimal(cents: number): string {
  return (cents / 100).toFixed(2)
}
