import { type FaultData, LabelFault, type Reason, type Remark } from '#labels'
import { PlatenError, refuseField } from '../words/errors.ts'
import { quoteEnglish, type Sentences } from '../words/say.ts'

// The library of labels speaks in codes and reasons; here they become our failures and sentences, and nowhere else. Its
// functions that refuse something are called
//   through `callLabels`: by drawing/picture-pages.ts, drawing/target.ts, intake/checks.ts and intake/parked.ts of the core,
//   by http/print.ts, and by plugins that look at pictures;
//   in the thread and the process that read labels, from which drawing/renderer.ts and drawing/pdf-process.ts take faults as
//   data;
//   by those who only want to know whether it is a label, and look for `LabelFault` themselves, as spool/restore.ts.
// Should another one be forgotten, http/server-faults.ts and reasons/held-label.ts explain its fault all the same.

/** Converts a refusal of the library into a failure of ours. Decision `faults-as-data`. */
export function explainLabelFault(fault: FaultData): PlatenError {
  const { code, message, reasons, advice, detail, field } = fault
  if (field !== undefined) return refuseField(field.name, field.got, field.wanted)
  return new PlatenError(code, reasons.length === 0 ? message : tellReasons(reasons), {
    cause: fault,
    detail,
    ...(advice.length > 0 && { hint: tellReasons(advice) }),
  })
}

/** Throws an error again, converted where the library refused something. */
export function throwExplained(error: unknown): never {
  throw error instanceof LabelFault ? explainLabelFault(error) : error
}

/**
 * Calls the library.
 * @throws PlatenError where it throws a LabelFault
 */
export function callLabels<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    return throwExplained(error)
  }
}

/** Makes a sentence of what the library says about a label that it drew. */
export function tellRemark(remark: Remark): Sentences {
  return typeof remark === 'string' ? quoteEnglish(remark) : tellReasons([remark].flat())
}

/** Uses reasons as sentences: this compiles only if each reason has a sentence of the same key and values. */
function tellReasons(reasons: readonly Reason[]): Sentences {
  return reasons
}
