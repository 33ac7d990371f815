import { hostname } from 'node:os'
import { join } from 'node:path'
import type { StartLabel } from '#labels'
import type { RequestReceipt } from '../../core/intake/requests.ts'
import type { Printers } from '../../core/printers/registry.ts'
import { keepFile } from '../../settings/write.ts'
import { findInternalAddress } from '../../system/address.ts'
import { readAnnounced } from '../../system/box.ts'
import { version } from '../../system/process.ts'
import { inEnglish } from '../../words/say.ts'
import type { PluginCore } from '../plugin.ts'
import { ensurePin } from './pin.ts'
import { printFirstStart, printStartLabel } from './start-label.ts'
import { type BoxState, followBox } from './state.ts'

/** The parts of the print server that the SD image works with. */
type ApplianceParts = Pick<
  PluginCore,
  'settings' | 'printers' | 'intake' | 'stateFolder' | 'runtimeFolder' | 'certificates' | 'fault'
>

/** The running appliance. */
export interface Appliance {
  /**
   * Prints the start label again.
   * @throws PlatenError PRINTER_UNKNOWN, SPOOL_*
   */
  startLabel(printer: string): RequestReceipt
}

/**
 * Starts the PIN, the start label, and the state for LED and STATUS.TXT. The box answers on port 80 (platen-web.socket), so its addresses
 * need no port.
 */
export async function startAppliance(
  parts: ApplianceParts,
  signal: AbortSignal,
): Promise<Appliance> {
  const { settings, printers, intake, stateFolder, runtimeFolder, certificates, fault } = parts
  const kept = keepFile(join(stateFolder, 'start-label'))
  const onNew = (): void => kept.save('')
  const pin = await ensurePin({
    store: settings,
    kept: keepFile(join(stateFolder, 'pin')),
    onNew,
    fault,
  })
  const facts = (): StartLabel => ({
    ...locate(),
    // Somebody may have chosen another password since.
    pin: pin() ?? '',
    fingerprint: certificates()?.fingerprint ?? '',
    version,
  })
  void printFirstStart({ printers, intake, facts, kept, fault }, signal)
  if (runtimeFolder !== undefined) {
    const state = () => ({ ...locate(), version, printers: printers.list().map(describe) })
    void followBox({ folder: runtimeFolder, state, fault }, signal)
  }
  return { startLabel: (printer) => printStartLabel({ intake, facts }, printer) }
}

/** Addresses of the page, as avahi announces them. */
function locate(): Pick<StartLabel, 'name' | 'url' | 'alias'> {
  const address = findInternalAddress()
  const host = address.includes(':') ? `[${address}]` : address
  const alias = readAnnounced('alias')
  return {
    name: readAnnounced('host') ?? `${hostname()}.local`,
    url: address === '127.0.0.1' ? '' : `http://${host}/`,
    alias: alias === undefined ? '' : `http://${alias}/`,
  }
}

function describe({
  name,
  status,
}: ReturnType<Printers['list']>[number]): BoxState['printers'][number] {
  const isOffline = status.reasons.includes('offline')
  const { message, hint } = status
  return {
    name,
    isOffline,
    isStopped: status.state === 'stopped',
    message: inEnglish(message),
    hint: inEnglish(hint),
  }
}
