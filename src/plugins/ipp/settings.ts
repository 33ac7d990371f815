import * as v from 'valibot'
import { field, flag, type ValuesOf } from '../../settings/field.ts'
import type { Config, PluginSettings } from '../../settings/schema.ts'
import { isReachable } from '../../system/address.ts'

const entries = {
  share_printers: field(
    v.optional(flag),
    'Print dialogs',
    'Offers every printer to the print dialogs of other computers and phones (IPP, AirPrint). Left out: on, unless only this computer can reach the print server.',
  ),
}

/** The switch of print dialogs. */
export type DialogSettings = ValuesOf<typeof entries>

/** The keys of print dialogs. */
export const settings: PluginSettings<DialogSettings> = { entries }

/** Tells whether print dialogs may use the printers: by default only if other computers can reach this one. */
export function sharesPrinters({
  share_printers: wish,
  host,
}: DialogSettings & Pick<Config, 'host'>): boolean {
  return wish ?? isReachable(host)
}
