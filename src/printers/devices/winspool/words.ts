import { PlatenError } from '../../../errors.ts'

// JOB_STATUS_… of winspool.h
const PAUSED = 0x1
const ERROR = 0x2
const DELETING = 0x4
const OFFLINE = 0x20
const PAPEROUT = 0x40
const PRINTED = 0x80
const DELETED = 0x100
const BLOCKED = 0x200
const INTERVENTION = 0x400
const COMPLETE = 0x1000

/** A job's status bits as IPP printer-state-reasons; empty when nothing holds it up. */
export function listReasons(status: number): readonly string[] {
  const pairs = [
    [PAPEROUT, 'media-empty'],
    [OFFLINE, 'offline'],
    [PAUSED, 'paused'],
    [ERROR | BLOCKED | INTERVENTION, 'other'],
  ] as const
  return pairs.filter(([bits]) => (status & bits) !== 0).map(([, reason]) => reason)
}

/** What became of a job: on its way, sent to the printer, or taken out of the queue by somebody. */
export function judgeJob(status: number): 'waiting' | 'sent' | 'deleted' {
  if ((status & (PRINTED | COMPLETE)) !== 0) return 'sent'
  return (status & (DELETING | DELETED)) === 0 ? 'waiting' : 'deleted'
}

/** GetJobW's error for a job that the queue has no more: it was sent, unless the queue keeps printed documents. */
export const JOB_UNKNOWN = 87 // ERROR_INVALID_PARAMETER

// Error codes of winerror.h
const ACCESS_DENIED = 5
const DISK_FULL = 112
const RPC_UNAVAILABLE = 1722
const NAME_UNKNOWN = 1801
const DATATYPE_UNKNOWN = 1804

/** Why a printer of Windows cannot be opened, in words. */
export function explainSpooler(code: number, name: string): PlatenError {
  return new PlatenError('PRINTER_OFFLINE', explainCode(code, `"${name}"`), {
    hint: 'Put this right in Windows; the label prints by itself afterwards.',
  })
}

/** What an error code of the spooler means to a person. */
export function explainCode(code: number, name: string): string {
  switch (code) {
    case ACCESS_DENIED:
      return `Windows does not let this user print on ${name}: allow it in the printer's properties, Security.`
    case DISK_FULL:
      return 'The disk of this computer is full: Windows cannot take the label.'
    case RPC_UNAVAILABLE:
      return 'The print spooler of Windows does not run: start the service "Print Spooler".'
    case NAME_UNKNOWN:
      return `Windows knows no printer named ${name}: choose one of those that it lists.`
    case DATATYPE_UNKNOWN:
      return `The driver of ${name} takes no raw labels: install the printer maker's own driver, or "Generic / Text Only".`
    default:
      return `Windows does not take the label for ${name} (error ${code}).`
  }
}
