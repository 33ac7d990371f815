import { type IppMessage, readNumber, readText } from '#printers'
import type { Intake } from '../../core/intake/intake.ts'
import { tidyTitle, titleOfFile } from '../../core/request/field-values.ts'
import { PlatenError } from '../../words/errors.ts'
import { ANONYMOUS, type IppJobs, type IppWish } from './jobs.ts'
import { type IppRefusal, OPERATIONS, STATUS } from './protocol.ts'

interface EvidenceParts {
  readonly jobs: Pick<IppJobs, 'find'>
  readonly intake: Pick<Intake, 'forSource'>
}

type IppSender = Pick<IppWish, 'printer' | 'client' | 'name' | 'user'>

/** The name of a job that was given none (RFC 8011, 4.2.1.1). */
export const UNTITLED = 'Untitled'
/** Bytes kept of a document that is too large: as much as from a raw port. */
const LARGE_BYTES = 64 * 2 ** 10

/** Returns the title and the user that the page shows. */
export function whoSent({ name, user }: Pick<IppWish, 'name' | 'user'>) {
  return {
    title: name === UNTITLED ? '' : titleOfFile(name),
    user: tidyTitle(user === ANONYMOUS ? '' : user),
  }
}

/**
 * Keeps a refused document where a person sees it: clients have sent it by then, and CUPS 2.4 calls its job completed. Refusals before the
 * document, e.g. by Validate-Job, are shown by the dialogs themselves.
 */
export async function keepRefused(
  { intake }: Pick<EvidenceParts, 'intake'>,
  { printer, client, ...sender }: IppSender,
  document: Uint8Array,
  why: PlatenError | IppRefusal,
  messageId?: string,
): Promise<void> {
  const isLarge = why.status === STATUS.tooLarge || why.status === 413
  const code = isLarge ? 'BODY_TOO_LARGE' : 'LABEL_UNKNOWN'
  try {
    await intake.forSource('ipp', printer).setAside({
      bytes: Uint8Array.from(isLarge ? document.subarray(0, LARGE_BYTES) : document),
      error: why instanceof PlatenError ? why : new PlatenError(code, why.message),
      from: { ...whoSent(sender), sender: client },
      ...(messageId === undefined ? {} : { messageId }),
    })
  } catch (error) {
    // The page has enough of them, or there is no room: the client is refused all the same.
    if (!(error instanceof PlatenError)) throw error
  }
}

/**
 * Keeps the beginning of a document that is not even read; CUPS 2.4 sends it again a few times before it gives up, which is reported once.
 */
export async function keepLarge(
  parts: EvidenceParts,
  where: Pick<IppSender, 'printer' | 'client'>,
  { message, document }: { readonly message: IppMessage; readonly document: Uint8Array },
  why: PlatenError,
): Promise<void> {
  const { code, groups } = message
  if (code !== OPERATIONS.printJob && code !== OPERATIONS.sendDocument) return
  const [operation] = groups
  const job = parts.jobs.find(readNumber(operation, 'job-id') ?? 0, where.client)
  const name = job?.name ?? readText(operation, 'job-name') ?? UNTITLED
  const user = readText(operation, 'requesting-user-name') ?? ANONYMOUS
  const id = JSON.stringify([where, user, name])
  await keepRefused(parts, { ...where, name, user }, document, why, id)
}
