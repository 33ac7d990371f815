import type { HttpCall } from './carrier.ts'

/** A call with a body of JSON, or without one. */
export function jsonCall(
  method: HttpCall['method'],
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): HttpCall {
  if (body === undefined) return { method, path, headers }
  return {
    ...{ method, path, body: JSON.stringify(body) },
    headers: { ...headers, 'Content-Type': 'application/json' },
  }
}

/** The fields that are not blank: carriers take a blank text for a value, or refuse it. */
export function withoutBlanks(
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
