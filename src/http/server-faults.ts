import { LabelFault } from '#labels'
import { PrinterFault } from '#printers'
import { explainLabelFault } from '../core/label-faults.ts'
import { explainPrinterFault } from '../core/printers/faults.ts'
import { readFaults, type SettingFault } from '../settings/faults.ts'
import { PlatenError } from '../words/errors.ts'
import { FAILURES } from '../words/failures.ts'
import { inEnglish, isTranslated, type Sentences, saidJson, say } from '../words/say.ts'

/** The refusals that can only be temporary: seconds until it makes sense to try again (RFC 9110, 10.2.3). */
const RETRY_AFTER: Readonly<Record<number, string>> = { 408: '1', 429: '60', 503: '10', 507: '60' }

/** The value of Retry-After for a status, or undefined. */
export function retryAfterOf(status: number): string | undefined {
  return RETRY_AFTER[status]
}

/** The one shape of errors outside `/packlist` and `/v1`. */
interface RefusalJson {
  readonly Status: 'Error'
  readonly Message: string
  readonly code: string
  readonly hint: string
  /** Keys and values of both, or of `plain`, for other languages: `readSentences`. */
  readonly texts?: unknown
  /** The message for people, where `Message` is for programmers. */
  readonly plain?: { readonly message: string; readonly hint: string }
  /** Technical words; left out where there are none. */
  readonly detail?: string
  /** All faults of settings at once, by key. */
  readonly faults?: readonly unknown[]
}

/** The failure that a client sees: any other error is our own fault and stays in the log. */
export function toFailure(error: unknown): PlatenError {
  if (error instanceof PlatenError) return error
  if (error instanceof LabelFault) return explainLabelFault(error)
  if (error instanceof PrinterFault) return explainPrinterFault(error)
  return new PlatenError('INTERNAL', say('serverFault'), { cause: error })
}

/** The failure of a file of the program that could not be loaded: cleaners and virus scanners delete some. */
export function toUnloaded(error: unknown): PlatenError {
  if (error instanceof PlatenError) return error
  return new PlatenError('PROGRAM_BROKEN', 'A part of the print server is missing or damaged.')
}

/** Codes that only the author of the page or program can act on. */
const FOR_MAKERS: ReadonlySet<string> = new Set(['unclear', 'sameKey', 'noLabelSent'])

/** A failure in words for people who use the page; the rest is in the detail. */
export function forPeople(failure: PlatenError): {
  readonly message: Sentences
  readonly hint: Sentences
  readonly detail: string
} {
  const { code, said, todo, detail, whole } = failure
  if (said.length > 0 && isTranslated(said)) return { message: said, hint: todo, detail }
  const key = FAILURES[code].plain
  return FOR_MAKERS.has(key)
    ? { message: say(key), hint: say('tellMaker'), detail: `${whole} ${failure.hint}` }
    : { message: say(key), hint: todo, detail: whole }
}

/** A failure as JSON. */
export function refusalJson(failure: PlatenError): RefusalJson {
  const { code, said, message, hint } = failure
  const people = forPeople(failure)
  const plain = { message: inEnglish(people.message), hint: inEnglish(people.hint) }
  const faults = readFaults(failure).map(faultJson)
  return {
    Status: 'Error',
    Message: message,
    code,
    hint,
    ...saidJson(people.message, people.hint),
    ...(people.message !== said && { plain }),
    ...(people.detail !== '' && { detail: people.detail }),
    ...(faults.length > 0 && { faults }),
  }
}

function faultJson({ key, message, sentences }: SettingFault): object {
  return { key, message, plain: inEnglish(sentences), texts: sentences }
}
