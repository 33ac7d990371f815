import { numberOf, textOf } from '../jobs/spool/columns.ts'
import type { Shipping } from '../shipping/part.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

const HOUR_MS = 3_600_000
const OWED = 'SELECT count(*) AS owed FROM purchase WHERE owes > 0'
const SHIPMENTS = `SELECT carrier, state, count(*) AS count FROM purchase WHERE action = 'SubmitShipment'
  GROUP BY carrier, state`

/** The shipping API: nothing of it is loaded before its first request, but where a bought label has still to print. */
export function buildShipping({ store, environment, fault, metrics }: Core, jobs: Jobs) {
  const { spool, intake, printers } = jobs
  const { records } = spool
  let opened: Promise<Shipping> | undefined
  const load = async (): Promise<Shipping> => {
    const { openShipping } = await import('../shipping/part.ts')
    return openShipping({
      ...{ records, intake, printers, fault, stateFolder: environment.stateFolder },
      credentialsFolder: environment.credentialsFolder,
      keptMs: () => store.current.job_retention_hours * HOUR_MS,
    })
  }
  const open = async (): Promise<Shipping> => {
    opened ??= load()
    try {
      return await opened
    } catch (error) {
      // The next call tries again: what was in the way (a full disk, too many open files) may be gone.
      opened = undefined
      throw error
    }
  }
  const countOwed = (): number => {
    return numberOf(
      records.read(() => records.prepare(OWED).get()),
      'owed',
    )
  }
  metrics.register({
    shipments: () => ({
      shipments: records
        .read(() => records.prepare(SHIPMENTS).all())
        .map((row) => ({
          ...{ carrier: textOf(row, 'carrier'), state: textOf(row, 'state') },
          count: numberOf(row, 'count'),
        })),
      owed: countOwed(),
    }),
  })
  return {
    shipping: open,
    /** Prints what was bought before the program last ended. */
    start(): void {
      if (countOwed() > 0)
        open()
          .then(({ desk }) => desk.resume())
          .catch(fault)
    },
  }
}
