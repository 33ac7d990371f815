import type { MiddlewareHandler } from 'hono'
import { PlatenError } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import type { AppParts } from './parts.ts'

/** Device URIs of printers on a cable of the box itself. */
const ON_A_CABLE = /^(?:usb|serial):/

/**
 * Who may print the start label, which tells the PIN: anybody at the page, on a printer that hangs on the box itself. Whoever
 * takes that paper could take the card as well. A printer of the network may stand anywhere: only the admin's.
 */
export function guardStartLabel({ access, printers }: AppParts): MiddlewareHandler {
  const [operate, admin] = [access.operate(), access.admin()]
  return (c, next) => {
    const { uri } = printers.resolve(c.req.param('name'))
    return ON_A_CABLE.test(uri) ? operate(c, next) : admin(c, next)
  }
}

/**
 * A start label that was printed once is no way around that.
 * @throws PlatenError FIELD_INVALID
 */
export function refuseStartLabel(job: Job | undefined): void {
  if (job?.format !== 'start') return
  throw new PlatenError(
    'FIELD_INVALID',
    'A start label tells the PIN, so it is not reprinted: the tab Printers prints a new one.',
  )
}
