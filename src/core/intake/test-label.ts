import { clockText, dayText } from '../job.ts'
import type { Intake } from './intake.ts'
import type { RequestReceipt } from './requests.ts'

/** Takes a test label for a printer. @throws PlatenError PRINTER_*, SPOOL_FULL, SPOOL_BROKEN */
export function takeTestLabel(
  intake: Pick<Intake, 'acceptDocument'>,
  { hostName }: { readonly hostName: string },
  { printer, network, now = Date.now() }: TestLabelRequest,
): RequestReceipt {
  const body = JSON.stringify({ printer, host: hostName, at: timeWords(new Date(now)) })
  return intake.acceptDocument({
    format: 'test',
    body: Buffer.from(body),
    options: { printer },
    source: 'test',
    network,
  })
}

/** A request for a test label. */
interface TestLabelRequest {
  readonly printer: string
  /** The network whose share of the spool it takes. */
  readonly network: string
  /** The time on the label, in milliseconds since the epoch; default: now. */
  readonly now?: number | undefined
}

/** Date and time of day at the box, to the minute: a person with the label asks "is this the one from just now?". */
function timeWords(time: Date): string {
  return `${dayText(time)} ${clockText(time)}`
}
