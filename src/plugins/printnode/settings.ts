import * as v from 'valibot'
import { field, flag, hostName, text, type ValuesOf, webAddress } from '../../settings/field.ts'
import type { PluginSettings } from '../../settings/schema.ts'
import { fetchHosts } from '../door/settings.ts'

const entries = {
  fetch_hosts: fetchHosts,
  printnode: field(
    v.optional(flag, false),
    'PrintNode',
    "Answers like PrintNode's API, at /printnode, for programs with one of this print server's API keys.",
  ),
  printnode_name: field(
    v.optional(hostName),
    'PrintNode name',
    "A host name that serves only PrintNode's API, without /printnode, for programs that take only a host name. Left out: none.",
  ),
  printnode_webhook: field(
    v.optional(webAddress),
    'PrintNode webhook',
    'Receives each state of the labels that came through PrintNode, in the form of its webhooks.',
    { unquoted: true },
  ),
  printnode_webhook_secret: field(
    v.optional(text),
    'PrintNode webhook secret',
    'Sent with each call to the PrintNode webhook, so that the receiver knows who sent it.',
    { secret: true },
  ),
}

/** The values of these keys. */
export type PrintNodeKeys = ValuesOf<typeof entries>

/** The keys of PrintNode. */
export const settings: PluginSettings<PrintNodeKeys> = { entries }
