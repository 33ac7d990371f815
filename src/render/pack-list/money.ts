/** An exact decimal number: ten-thousand-millionths (1e-10) of the currency's unit, so that sums never drift. */
export type Money = bigint

const DECIMALS = 10
const CENT = 10n ** BigInt(DECIMALS - 2)

/** The largest amount that is taken, either way. */
export const MOST_MONEY = 1_000_000_000

/**
 * Reads a number, or a text that holds one such as `12.50`; the decimal digits count as they are written, not their binary
 * neighbour. Undefined when it is no number, not finite, or beyond `MOST_MONEY`.
 */
export function readMoney(value: unknown): Money | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const number = Number(value)
  if (!Number.isFinite(number) || Math.abs(number) > MOST_MONEY) return undefined
  const text = typeof value === 'number' ? plainDigits(value) : value.trim()
  const [, sign = '', whole = '', rest = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? []
  if (whole === '' && rest === '') return undefined
  const units = BigInt(whole + rest.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
  return sign === '-' ? -units : units
}

/** The shortest decimal text of a number, without an exponent. */
function plainDigits(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(DECIMALS) : text
}

/** Two decimals, halves rounded away from zero, no currency sign, since the request names none. */
export function writeMoney(money: Money): string {
  const positive = money < 0n ? -money : money
  const cents = (positive + CENT / 2n) / CENT
  const digits = String(cents).padStart(3, '0')
  const sign = money < 0n && cents > 0n ? '-' : ''
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
