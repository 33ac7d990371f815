import { join } from 'node:path'
import type { Intake } from '../jobs/intake/intake.ts'
import type { Records } from '../jobs/spool/records.ts'
import type { Printers } from '../printers/registry.ts'
import { ShippingDesk } from './desk.ts'
import { Journal } from './journal.ts'
import { Keys } from './keys.ts'
import { LocalCarrier } from './local/index.ts'
import { Outbound } from './outbound.ts'
import { LabelPrinter } from './print.ts'
import { Tokens } from './tokens.ts'

/** What the shipping API is built on. */
export interface ShippingParts {
  readonly records: Records
  readonly intake: Pick<Intake, 'accept'>
  readonly printers: Pick<Printers, 'resolve'>
  readonly stateFolder: string
  /** Milliseconds that a finished purchase is kept. */
  readonly keptMs: () => number
  readonly fault: (error: unknown) => void
  /** Where a service manager puts credentials; undefined = nowhere. */
  readonly credentialsFolder?: string | undefined
  /** For tests: origins in the place of carriers' own. */
  readonly origins?: Readonly<Record<string, string>>
  readonly now?: () => number
}

/** All of the shipping API; loaded by its first request. */
export interface Shipping {
  readonly desk: ShippingDesk
  readonly journal: Journal
  readonly keys: Keys
  readonly local: LocalCarrier
}

/** Opens the shipping API on the spool's database. */
export function openShipping(parts: ShippingParts): Shipping {
  const { records, intake, printers, stateFolder } = parts
  const journal = new Journal(records)
  const labels = new LabelPrinter(intake, printers)
  const ratesFile = join(stateFolder, 'shipping', 'rates.csv')
  const local = new LocalCarrier({ records, ratesFile })
  const accounts = {
    own: join(stateFolder, 'shipping', 'accounts'),
    credentials: parts.credentialsFolder,
  }
  const ways = { outbound: new Outbound(), tokens: new Tokens(), origins: parts.origins ?? {} }
  return {
    desk: new ShippingDesk({ ...parts, ...ways, journal, labels, local, accounts }),
    journal,
    keys: new Keys(stateFolder, parts.now),
    local,
  }
}
