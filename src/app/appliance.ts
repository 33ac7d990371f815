import { hostname } from 'node:os'
import { join } from 'node:path'
import { ensurePin } from '../config/pin.ts'
import type { ConfigStore } from '../config/store.ts'
import { keepFile } from '../config/write.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import { printFirstStart, printStartLabel } from '../jobs/intake/first-start.ts'
import type { Intake } from '../jobs/intake/intake.ts'
import type { Taken } from '../jobs/intake/requests.ts'
import type { Printers } from '../printers/registry.ts'
import type { StartLabel } from '../render/start-label.ts'
import { findInternalAddress } from '../system/address.ts'
import { type BoxState, followBox, readAnnounced } from '../system/box-state.ts'
import { version } from '../system/version.ts'

/** What the SD image does besides printing. */
export interface ApplianceParts {
  readonly store: ConfigStore
  readonly printers: Printers
  readonly intake: Intake
  readonly stateFolder: string
  /** Where units of root look (`RUNTIME_DIRECTORY`); undefined = nobody shows the state. */
  readonly runtimeFolder: string | undefined
  readonly certificates: () => Certificates | undefined
  readonly fault: (error: unknown) => void
}

/** The running appliance. */
export interface Appliance {
  /** Prints the start label again. @throws PlatenError PRINTER_UNKNOWN, SPOOL_* */
  startLabel(printer: string): Taken
}

/**
 * The PIN, the start label, and the state for LED and STATUS.TXT. The box answers on port 80 (platen-web.socket), so its
 * addresses need none.
 */
export async function startAppliance(
  parts: ApplianceParts,
  signal: AbortSignal,
): Promise<Appliance> {
  const { store, printers, intake, stateFolder, runtimeFolder, certificates, fault } = parts
  const kept = keepFile(join(stateFolder, 'start-label'))
  const onNew = (): void => kept.save('')
  const pin = await ensurePin({ store, kept: keepFile(join(stateFolder, 'pin')), onNew })
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

/** Where the page is, as avahi announces it. */
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
  return { name, isOffline, isStopped: status.state === 'stopped', message, hint }
}
