import { PlatenError } from '../../errors.ts'
import { GROUPS, type IppMessage, type IppValue, readText, readTexts } from '../../ipp/message.ts'
import { charset, language, text } from '../../ipp/values.ts'
import {
  cancelJob,
  cancelMyJobs,
  getJobAttributes,
  getJobs,
  holdJob,
  releaseJob,
} from './job-operations.ts'
import type { Answer, Asked, Operation, OperationParts } from './operation.ts'
import { closeJob, createJob, printJob, sendDocument, validate } from './print-operations.ts'
import { describePrinter, selectAttributes } from './printer-attributes.ts'
import { OPERATIONS, Refusal, STATUS, toRefusal } from './protocol.ts'

const TABLE: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OPERATIONS.getPrinterAttributes, getPrinterAttributes],
  [OPERATIONS.validateJob, (_, asked) => validate(asked).answer([])],
  [OPERATIONS.printJob, printJob],
  [OPERATIONS.createJob, createJob],
  [OPERATIONS.sendDocument, sendDocument],
  [OPERATIONS.closeJob, closeJob],
  [OPERATIONS.cancelJob, cancelJob],
  [OPERATIONS.cancelMyJobs, cancelMyJobs],
  [OPERATIONS.holdJob, holdJob],
  [OPERATIONS.releaseJob, releaseJob],
  [OPERATIONS.getJobAttributes, getJobAttributes],
  [OPERATIONS.getJobs, getJobs],
  [OPERATIONS.identifyPrinter, identifyPrinter],
])

/** Answers a request; a refusal is an answer too. */
export async function answerRequest(parts: OperationParts, asked: Asked): Promise<IppMessage> {
  const { message } = asked
  const [major, minor] = message.version
  const version: IppMessage['version'] = major === 1 || major === 2 ? [major, minor] : [2, 0]
  const { status, groups, words } = await perform(parts, asked)
  const own = new Map<string, readonly IppValue[]>([
    ['attributes-charset', charset('utf-8')],
    ['attributes-natural-language', language('en')],
    ...(words === '' ? [] : [['status-message', text(words.slice(0, 255))] as const]),
  ])
  return {
    version,
    code: status,
    requestId: message.requestId,
    groups: [{ tag: GROUPS.operation, attributes: own }, ...groups],
  }
}

async function perform(
  parts: OperationParts,
  asked: Asked,
): Promise<Answer & { readonly words: string }> {
  try {
    checkMessage(asked.message)
    const operation = TABLE.get(asked.message.code)
    if (operation === undefined) {
      const code = asked.message.code.toString(16)
      throw new Refusal('operationNotSupported', `There is no operation 0x${code} here.`)
    }
    return { ...(await operation(parts, asked)), words: '' }
  } catch (error) {
    const refusal = error instanceof PlatenError ? toRefusal(error) : error
    if (!(refusal instanceof Refusal)) throw error
    return { status: refusal.status, groups: [], words: refusal.message }
  }
}

/** What every request must have (RFC 8011, 4.1). */
function checkMessage({ version, requestId, groups }: IppMessage): void {
  const [major, minor] = version
  if (major !== 1 && major !== 2) {
    throw new Refusal('versionNotSupported', `version ${major}.${minor}; wanted 1.1 or 2.0`)
  }
  if (requestId < 1) throw new Refusal('badRequest', `request-id ${requestId}; wanted 1 or more`)
  const [operation] = groups
  if (operation?.tag !== GROUPS.operation) {
    throw new Refusal('badRequest', 'wanted the operation attributes first')
  }
  if (groups.some(({ tag }, n) => tag < (groups[n - 1]?.tag ?? 0))) {
    throw new Refusal('badRequest', 'the groups are out of order')
  }
  const [first, second] = operation.attributes.keys()
  if (first !== 'attributes-charset' || second !== 'attributes-natural-language') {
    throw new Refusal(
      'badRequest',
      'wanted attributes-charset, then attributes-natural-language, first',
    )
  }
  const set = readText(operation, first)?.toLowerCase() ?? ''
  if (set !== 'utf-8' && set !== 'us-ascii') {
    throw new Refusal('charsetNotSupported', `charset ${set}; wanted utf-8`)
  }
  if (
    readText(operation, 'printer-uri') === undefined &&
    readText(operation, 'job-uri') === undefined
  ) {
    throw new Refusal('badRequest', 'wanted printer-uri or job-uri')
  }
}

function getPrinterAttributes({ countWaiting }: OperationParts, asked: Asked): Answer {
  const { shared, place, message } = asked
  const all = describePrinter(shared, place, countWaiting(shared.printer.name))
  const wanted = readTexts(message.groups[0], 'requested-attributes')
  const attributes = selectAttributes(all, wanted)
  return { status: STATUS.ok, groups: [{ tag: GROUPS.printer, attributes }] }
}

/** A label with the printer's name: a screen is nowhere near it. */
function identifyPrinter({ identify }: OperationParts, { shared, client }: Asked): Answer {
  identify(shared.printer.name, client)
  return { status: STATUS.ok, groups: [] }
}
