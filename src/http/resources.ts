import type { Hono } from 'hono'
import { loginCalls } from './access/login.ts'
import { backupCalls } from './backup.ts'
import type { Calls } from './call.ts'
import { canPrintCalls, createCanPrintRoutes } from './can-print.ts'
import { configCalls, createConfigRoutes } from './config.ts'
import { createEventRoutes, eventCalls } from './events.ts'
import { createInfoRoutes, infoCalls } from './info.ts'
import { createJobRoutes, jobCalls } from './jobs.ts'
import { createWebRoutes, pageCalls } from './page.ts'
import type { AppParts, HttpEnv, Refusals } from './parts.ts'
import { createPrintRoutes, packListRefusals, printCalls } from './print.ts'
import { createPrinterRoutes, printerCalls } from './printers.ts'
import { trustCalls } from './tls/trust.ts'

/** A file of the HTTP API. */
interface Resource {
  /** Its calls, in the order in which they are described. */
  readonly calls: Calls
  /** Creates the routes that answer them; left out where src/app/ does so, with parts that nobody else needs. */
  create?(parts: AppParts): Hono<HttpEnv>
  readonly refusals?: Refusals
}

/** The HTTP API but for what plugins add. */
export const resources: readonly Resource[] = [
  { calls: printCalls, create: createPrintRoutes, refusals: packListRefusals },
  { calls: jobCalls, create: createJobRoutes },
  { calls: printerCalls, create: createPrinterRoutes },
  { calls: infoCalls, create: createInfoRoutes },
  { calls: pageCalls, create: createWebRoutes },
  { calls: canPrintCalls, create: createCanPrintRoutes },
  { calls: eventCalls, create: createEventRoutes },
  { calls: loginCalls },
  { calls: configCalls, create: createConfigRoutes },
  { calls: backupCalls },
  { calls: trustCalls },
]

/** All calls of these. */
export const calls: Calls = Object.assign({}, ...resources.map((one) => one.calls))
