import type { Repeats } from '../../core/spool/repeats.ts'

const TICKET = /^([a-z2-9]{4})\.(\d{1,15})$/

/**
 * Issues a ticket to another print server that hands labels over: the moment since when this spool remembers requests. A request under a
 * ticket that still holds, and that is not known, was never taken, whatever happened to clocks, disk and spool since.
 */
export function issueTicket(repeats: Pick<Repeats, 'moment'>): string {
  const { epoch, run } = repeats.moment()
  return `${epoch}.${Math.floor(run)}`
}

/** True when every request that was taken since the ticket is still known. */
export function holdsTicket(repeats: Pick<Repeats, 'knowsAllSince'>, ticket: string): boolean {
  const [, epoch, run] = TICKET.exec(ticket) ?? []
  return epoch !== undefined && repeats.knowsAllSince({ epoch, run: Number(run) })
}
