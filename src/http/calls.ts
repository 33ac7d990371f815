import { loginCalls } from './access/login.ts'
import { backupCalls } from './backup.ts'
import type { Calls } from './call.ts'
import { canPrintCalls } from './can-print.ts'
import { configCalls } from './config.ts'
import { eventCalls } from './events.ts'
import { infoCalls } from './info.ts'
import { jobCalls } from './jobs.ts'
import { pageCalls } from './page.ts'
import { printCalls } from './print.ts'
import { printerCalls } from './printers.ts'
import { trustCalls } from './tls/trust.ts'

/** Every call of the HTTP API but those of features, which are described beside their routes. */
export const calls: Calls = {
  ...printCalls,
  ...jobCalls,
  ...printerCalls,
  ...infoCalls,
  ...pageCalls,
  ...canPrintCalls,
  ...eventCalls,
  ...loginCalls,
  ...configCalls,
  ...backupCalls,
  ...trustCalls,
}
