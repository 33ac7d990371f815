import type { Shipping } from '../shipping/part.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

const HOUR_MS = 3_600_000
const OWED = 'SELECT seq FROM purchase WHERE owes > 0 LIMIT 1'

/** The shipping API: nothing of it is loaded before its first request, but where a bought label has still to print. */
export function buildShipping({ store, environment, fault }: Core, jobs: Jobs) {
  const { spool, intake, printers } = jobs
  const { records } = spool
  let opened: Promise<Shipping> | undefined
  const open = async (): Promise<Shipping> => {
    opened ??= import('../shipping/part.ts').then(({ openShipping }) =>
      openShipping({
        ...{ records, intake, printers, fault, stateFolder: environment.stateFolder },
        credentialsFolder: environment.credentialsFolder,
        keptMs: () => store.current.job_retention_hours * HOUR_MS,
      }),
    )
    return await opened
  }
  return {
    shipping: open,
    /** Prints what was bought before the program last ended. */
    start(): void {
      const isOwed = records.read(() => records.prepare(OWED).get()) !== undefined
      if (isOwed)
        open()
          .then(({ desk }) => desk.resume())
          .catch(fault)
    },
  }
}
