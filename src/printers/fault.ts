/** The reason why a printer could not be used. */
export type PrinterFaultCode =
  /** It cannot be opened; no byte has left. */
  | 'PRINTER_OFFLINE'
  /** Somebody else uses it; no byte has left. */
  | 'PRINTER_BUSY'
  /** It was lost, or left, in the middle of a label. */
  | 'PRINTER_LOST'

/** Advice to a person, by name: a program has the sentences. */
export type Advice =
  | 'acceptAgain'
  | 'chooseItself'
  | 'correctPort'
  | 'correctQueue'
  | 'mendWindows'
  | 'plugBack'
  | 'resumeWindows'
  | 'startCups'
  | 'tellKeeper'

/** The only error that the library throws on purpose. Its message is in technical English. */
export class PrinterFault extends Error {
  override readonly name = 'PrinterFault'
  readonly code: PrinterFaultCode
  /** Bytes that the printer surely took before (PRINTER_LOST). */
  readonly accepted: number | undefined
  /** Left out = what the code says. */
  readonly advice: Advice | undefined

  constructor(
    code: PrinterFaultCode,
    message: string,
    more: {
      readonly cause?: unknown
      readonly accepted?: number
      readonly advice?: Advice
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.accepted = more.accepted
    this.advice = more.advice
  }
}
