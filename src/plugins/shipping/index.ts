import { gauge, only, type Series } from '../../core/figures.ts'
import { numberOf, textOf } from '../../core/spool/columns.ts'
import type { Records } from '../../core/spool/upkeep.ts'
import { LoadedLate } from '../../system/loaded-late.ts'
import type { Plugin, PluginCore } from '../plugin.ts'
import type { RunningShipping, Shipping } from './part.ts'
import { tables } from './tables.ts'

/** `POST /v1`: nothing is loaded before its first call, unless a bought label has yet to print. */
export const shipping: Plugin<RunningShipping> = {
  name: 'shipping',
  title: 'Shipping API',
  tables: [tables],
  start(core) {
    const { records } = core.spool
    const late = new LoadedLate(() => load(core))
    return {
      listening() {
        // What was bought before the program last ended.
        if (countOwed(records) > 0) late.open().catch(core.fault)
      },
      open: () => late.open(),
      figures: () => tellShipments(records),
      // What a carrier is just selling is paid for: its answer is waited for, as the label in hand is.
      stop: async () => await (await late.opened())?.desk.settled(SALE_MS),
    }
  },
  routes: async () => (await import('./routes.ts')).shippingRoutes,
  describe: async () => (await import('./openapi.ts')).describeShipping(),
  async info() {
    const { CARRIERS } = await import('./carriers.ts')
    return { carriers: CARRIERS.map(({ name, title, tested }) => ({ name, title, tested })) }
  },
}

const HOUR_MS = 3_600_000
const SALE_MS = 10_000

async function load(core: PluginCore): Promise<Shipping> {
  const { openShipping } = await import('./part.ts')
  const { settings, fault } = core
  const opened = openShipping({
    ...core,
    keptMs: () => settings.current.job_retention_hours * HOUR_MS,
  })
  try {
    opened.desk.resume()
  } catch (error) {
    fault(error)
  }
  return opened
}

const OWED = 'SELECT count(*) AS owed FROM purchase WHERE owes > 0'
const SHIPMENTS = `SELECT carrier, state, count(*) AS count FROM purchase WHERE action = 'SubmitShipment' AND is_thin = 0
  GROUP BY carrier, state`

function countOwed(records: Records): number {
  const row = records.read(() => records.prepare(OWED).get())
  return numberOf(row, 'owed')
}

/** Collects the figures of the shipping API; none when nothing was ever bought. */
function tellShipments(records: Records): readonly Series[] {
  const rows = records.read(() => records.prepare(SHIPMENTS).all())
  if (rows.length === 0) return []
  return [
    gauge(
      'platen_shipments',
      'Shipments that are remembered, by carrier and state.',
      rows.map((row) => ({
        labels: { carrier: textOf(row, 'carrier'), state: textOf(row, 'state') },
        value: numberOf(row, 'count'),
      })),
    ),
    gauge(
      'platen_shipments_unprinted',
      'Shipments whose labels were bought for a printer and have not reached its queue.',
      only(countOwed(records)),
    ),
  ]
}
