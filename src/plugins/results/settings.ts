import * as v from 'valibot'
import { makeWarning } from '../../settings/faults.ts'
import { field, text, type ValuesOf, webAddress } from '../../settings/field.ts'
import type { PluginSettings } from '../../settings/schema.ts'

const entries = {
  result_url: field(
    v.optional(webAddress),
    'Result address',
    'Receives the outcome of every label and every change of a printer.',
    { restart: true, unquoted: true },
  ),
  result_secret: field(
    v.optional(text),
    'Result secret',
    'Signs requests to the result address (HMAC-SHA256), so that the receiver knows who sent them.',
    { restart: true, secret: true },
  ),
}

/** The address for results, and the secret that signs them. */
export type ResultSettings = ValuesOf<typeof entries>

/** The keys of the result address. */
export const settings: PluginSettings<ResultSettings> = {
  entries,
  findWarnings({ result_secret, result_url }) {
    if (result_secret === undefined || result_url !== undefined) return []
    const message = 'nothing is sent or signed, as there is no result_url.'
    return [makeWarning('result_secret', message, { key: 'unusedSecret', values: {} })]
  },
}
