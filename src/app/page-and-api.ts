import type { BodyBudget } from '../core/request/body-budget.ts'
import type { Spool } from '../core/spool/spool.ts'
import { createAccess } from '../http/access/access.ts'
import { loadSecret } from '../http/access/origin.ts'
import { createApp } from '../http/app.ts'
import { type BackupParts, createBackupRoutes } from '../http/backup.ts'
import { createLimits } from '../http/guard/body-limits.ts'
import { createUpdateRoutes } from '../http/info.ts'
import type { Listening } from '../http/listen.ts'
import type { AppParts, Hooks } from '../http/parts.ts'
import type { Fetcher } from '../http/request-listener.ts'
import { createTrustRoutes } from '../http/tls/trust.ts'
import type { Plugins } from '../plugins/registry.ts'
import type { ConfigStore } from '../settings/store.ts'
import { version } from '../system/process.ts'
import { createUpdates } from '../system/updates.ts'

/** The parts of the page and the API. */
export type PageParts = Omit<AppParts, 'access' | 'limits' | 'spool' | keyof Hooks> &
  Omit<BackupParts, 'access'> & {
    readonly config: ConfigStore
    readonly plugins: Plugins
    /** The budget for the bodies of all ways in. */
    readonly bodies: BodyBudget
    readonly spool: Spool
    /** Folder that root's units read; undefined = none. */
    readonly runtimeFolder: string | undefined
    /** True on the SD image, which has a start label. */
    readonly isAppliance: boolean
    /** The names and addresses that this computer has now. */
    ownNames(): readonly string[]
    /** Undefined until the server listens. */
    listening(): Listening | undefined
  }

/** The page and the API, with the checks of access before them. */
export async function createPageAndApi(parts: PageParts): Promise<Fetcher> {
  const { stateFolder, listening } = parts
  const updates = createUpdates({ stateFolder, runtimeFolder: parts.runtimeFolder })
  const config = () => parts.config.current
  const secret = loadSecret(stateFolder)
  const about = { version, startLabel: parts.isAppliance, restarts: parts.isSupervised }
  const onConfigChange = (listener: () => void) => parts.config.onChange(listener)
  const routes = await parts.plugins.loadRoutes()
  const access = createAccess({
    config,
    keyed: routes.keyed,
    takesAnyName: routes.takesAnyName,
    secret,
    ownNames: () => parts.ownNames(),
    furtherNames: () => parts.plugins.furtherNames(),
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
  const limits = createLimits(() => config().max_body_mb, {}, parts.bodies)
  const app = { ...parts, ...routes.hooks, access, limits }
  const mounted = routes.mount(app)
  return createApp(app, [...mounted, { app: trust }, { app: backup }, { app: update }])
}
