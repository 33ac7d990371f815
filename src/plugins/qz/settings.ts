import * as v from 'valibot'
import { makeWarning } from '../../settings/faults.ts'
import { doorPort, field, flag, text, type ValuesOf } from '../../settings/field.ts'
import type { PluginSettings } from '../../settings/schema.ts'
import { fetchHosts } from '../door/settings.ts'
import { readSigningKey } from './signing-key.ts'

const entries = {
  qz_tray: field(
    v.optional(flag, false),
    'QZ Tray',
    'Answers like QZ Tray, for pages of the allowed sites and for calls signed with the QZ certificate.',
  ),
  qz_port: field(
    v.optional(doorPort),
    'QZ Tray port',
    'Port of QZ Tray for wss; ws uses the next port. Left out: 8181, or 8282, 8383 or 8484, which its clients try in turn.',
    { ports: 2, when: 'qz_tray' },
  ),
  qz_certificate: field(
    v.optional(text),
    'QZ certificate',
    'The certificate with which a site signs its calls to QZ Tray (PEM). Signed calls may print from any site. Left out: only allowed sites.',
    { lines: true },
  ),
  fetch_hosts: fetchHosts,
}

/** The values of these keys. */
export type QzKeys = ValuesOf<typeof entries>

/** The keys of QZ Tray. */
export const settings: PluginSettings<QzKeys> = {
  entries,
  // With such a certificate the door does not open.
  findWarnings({ qz_certificate: certificate = '' }) {
    const fault = certificate === '' ? undefined : readSigningKey(certificate).fault
    if (fault === undefined) return []
    return [makeWarning('qz_certificate', `${fault}.`, { key: 'wantRsaKey', values: {} })]
  },
}
