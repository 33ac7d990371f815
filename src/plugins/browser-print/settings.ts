import * as v from 'valibot'
import { doorPort, field, flag, type ValuesOf } from '../../settings/field.ts'
import type { PluginSettings } from '../../settings/schema.ts'

const entries = {
  browser_print: field(
    v.optional(flag, false),
    'Browser Print',
    'Answers like Zebra Browser Print, for pages of the allowed sites.',
  ),
  browser_print_port: field(
    v.optional(doorPort, 9100),
    'Browser Print port',
    'Port of Browser Print for http; https uses the next port.',
    { ports: 2, when: 'browser_print' },
  ),
}

/** The values of these keys. */
export type BrowserPrintKeys = ValuesOf<typeof entries>

/** The keys of Browser Print. */
export const settings: PluginSettings<BrowserPrintKeys> = { entries }
