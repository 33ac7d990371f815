import * as v from 'valibot'
import { field, hostNames } from '../../settings/field.ts'

/** The key `fetch_hosts` of doors that take the address of a label. */
export const fetchHosts = field(
  v.optional(hostNames),
  'Hosts for addresses',
  'Hosts of your own network from which labels may be fetched when a PrintNode program or a QZ Tray page sends an address. Left out: only internet hosts.',
)
