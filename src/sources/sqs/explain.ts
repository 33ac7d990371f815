import { PlatenError } from '../../errors.ts'
import { explainNetwork } from '../network.ts'

/** What the box does with a queue, for the policy of its user. */
const RIGHTS =
  'sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes'

const MESSAGE_MOST = 200

/**
 * A failed call as one sentence. The names are those of the service (Amazon SQS API Reference, Common Errors) and of the
 * SDK's own errors.
 */
export function explainAws(where: string, region: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError || !(cause instanceof Error)) return explainNetwork(where, cause)
  const { name } = cause
  const status = readStatus(cause)
  if (name === 'CredentialsProviderError') {
    return refused(
      `No AWS credentials were found for ${where}: set access_key_id and secret_access_key, or one of the places that AWS looks at.`,
      cause,
    )
  }
  if (/QueueDoesNotExist|NonExistentQueue/.test(name)) {
    return refused(`There is no queue ${where} in the region ${region}.`, cause)
  }
  if (status === 401 || status === 403) {
    return refused(
      `${where} does not let these credentials in (${name}); they need ${RIGHTS}.`,
      cause,
    )
  }
  // AbortError: a deadline of our own; who was stopped from outside asks for no sentence.
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new PlatenError('SOURCE_UNREACHABLE', `${where} does not answer.`, { cause })
  }
  if (status === undefined) return explainNetwork(where, cause)
  if (status >= 500 || status === 429 || /Throttl|OverLimit|LimitExceeded/.test(name)) {
    const message = `${where} cannot answer now (${status} ${name}).`
    return new PlatenError('SOURCE_UNREACHABLE', message, { cause })
  }
  return refused(`${where} refused: ${name}, ${cause.message.slice(0, MESSAGE_MOST)}`, cause)
}

/** True when the queue knows who asks and only this call is not allowed (AccessDenied, AccessDeniedException). */
export function isDenied(error: unknown): error is PlatenError {
  if (!(error instanceof PlatenError) || !(error.cause instanceof Error)) return false
  return readStatus(error.cause) === 403 && error.cause.name.includes('AccessDenied')
}

function refused(message: string, cause: unknown): PlatenError {
  return new PlatenError('SOURCE_REFUSED', message, { cause })
}

/** The HTTP status, where there was an answer. */
function readStatus(error: Error): number | undefined {
  const metadata = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const status = 'httpStatusCode' in metadata ? metadata.httpStatusCode : undefined
  return typeof status === 'number' ? status : undefined
}
