import type { Facts } from '../heartbeat.ts'

/** The body of a heartbeat, exactly as seed 2.4 has it: every value a text, and the user's own JSON as it is. */
export function makeBody(facts: Facts, params: unknown): string {
  const { printer, availablePrinters, port, isOnline, ip, version } = facts
  return JSON.stringify({
    printer: {
      printer,
      available_printers: availablePrinters,
      port,
      online: isOnline ? '1' : '0',
      ip,
      version,
      params: params ?? null,
    },
  })
}
