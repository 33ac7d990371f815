import { randomInt } from 'node:crypto'

const DIGITS = 15

/** A tracking number of the local carrier: `PL`, 9, 15 random digits and a check digit. */
export function makeNumber(): string {
  const digits = Array.from({ length: DIGITS }, () => randomInt(10)).join('')
  const body = `9${digits}`
  return `PL${body}${checkDigitOf(body)}`
}

/** Modulo 10 with the weights 1 and 3 from the left. */
export function checkDigitOf(digits: string): number {
  const sum = [...digits].reduce((all, digit, n) => all + Number(digit) * (n % 2 === 0 ? 1 : 3), 0)
  return (10 - (sum % 10)) % 10
}

/** False for a number that was misread or mistyped. */
export function isNumber(text: string): boolean {
  const match = /^PL(9\d{15})(\d)$/.exec(text)
  return match !== null && checkDigitOf(match[1] ?? '') === Number(match[2])
}
