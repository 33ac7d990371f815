import { sharesPrinters } from '../config/load.ts'
import type { ConfigStore } from '../config/store.ts'
import { Dialogs } from '../doors/ipp/dialogs.ts'
import { createAccess } from '../http/access/access.ts'
import { loadSecret } from '../http/access/origin.ts'
import { createApp } from '../http/app.ts'
import { type BackupParts, createBackupRoutes } from '../http/backup.ts'
import { createLimits } from '../http/body-budget.ts'
import { createUpdateRoutes } from '../http/info.ts'
import type { Listening } from '../http/listen.ts'
import type { AppParts } from '../http/parts.ts'
import { takeTestLabel } from '../http/printers.ts'
import type { Fetcher } from '../http/request-listener.ts'
import { createTrustRoutes } from '../http/tls/trust.ts'
import type { Spool } from '../jobs/spool/spool.ts'
import { version } from '../system/process.ts'
import { createUpdates } from '../system/updates.ts'

/** What the page and the API work with. */
export type PageParts = Omit<AppParts, 'access' | 'limits' | 'dialogs' | 'spool'> &
  Omit<BackupParts, 'access'> & {
    readonly config: ConfigStore
    readonly spool: Spool
    /** Where units of root look; undefined = nobody does. */
    readonly runtimeFolder: string | undefined
    /** The SD image: it has a start label. */
    readonly isAppliance: boolean
    /** Names and addresses of this computer now. */
    ownNames(): readonly string[]
    /** Undefined until the server listens. */
    listening(): Listening | undefined
  }

/** The page and the API, with the doors of access before them. */
export async function createPageAndApi(parts: PageParts): Promise<Fetcher> {
  const { stateFolder, listening } = parts
  const updates = createUpdates({ stateFolder, runtimeFolder: parts.runtimeFolder })
  const config = () => parts.config.current
  const secret = await loadSecret(stateFolder)
  const about = { version, startLabel: parts.isAppliance, restarts: parts.isSupervised }
  const onConfigChange = (listener: () => void) => parts.config.onChange(listener)
  const access = createAccess({
    config,
    secret,
    ownNames: () => parts.ownNames(),
    onConfigChange,
    log: parts.log,
    ...about,
  })
  const trust = createTrustRoutes({
    access,
    certificates: () => listening()?.certificates(),
    securePort: () => listening()?.securePort ?? '',
  })
  const backup = createBackupRoutes({ ...parts, access })
  const update = createUpdateRoutes({ access, version, updates })
  const limits = createLimits(() => config().max_body_mb)
  const dialogs = new Dialogs({
    ...{ spool: parts.spool, intake: parts.intake, scheduler: parts.scheduler },
    sharer: () => ({ secret, hostName: parts.info().hostName }),
    printers: parts.printers,
    documentBytes: () => limits.body().bounds.bodyBytes,
    identify: (printer, client) => void takeTestLabel(parts, printer, client),
    isOn: () => sharesPrinters(config()),
  })
  return createApp({ ...parts, access, limits, dialogs }, trust, backup, update)
}
