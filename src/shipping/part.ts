import { join } from 'node:path'
import { PlatenError, quoteShort } from '../errors.ts'
import type { Intake } from '../jobs/intake/intake.ts'
import type { Records } from '../jobs/spool/upkeep.ts'
import type { Printers } from '../printers/registry.ts'
import { Accounts } from './accounts.ts'
import { type Action, BLANKS } from './answers.ts'
import type { CredentialField } from './carrier.ts'
import { type CarrierEntry, findCarrier } from './carriers/index.ts'
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
  readonly accounts: Accounts
  /** What an account of a carrier holds, and what can be asked of it. @throws PlatenError FIELD_INVALID */
  describe(carrier: string): Promise<Described>
}

/** A carrier as the page asks for its accounts. */
export interface Described {
  readonly entry: CarrierEntry
  readonly actions: readonly Action[]
  readonly credentials: readonly CredentialField[]
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
    accounts: new Accounts(accounts),
    describe: async (carrier) => {
      const entry = findCarrier(carrier)
      if (entry === undefined) throw unknownCarrier(carrier)
      const performer = await entry.open({ ...ways, local })
      const actions = (Object.keys(BLANKS) as Action[]).filter((one) => performer.supports(one))
      return { entry, actions, credentials: performer.credentials }
    },
  }
}

function unknownCarrier(carrier: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `There is no carrier ${quoteShort(carrier)}.`, {
    hint: 'GET /info lists the carriers.',
  })
}
