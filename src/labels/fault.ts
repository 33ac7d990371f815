/** Error code for a label, its target or its data; programs branch on it. */
export type LabelFaultCode =
  | 'FIELD_INVALID'
  | 'LABEL_EMPTY'
  | 'LABEL_REFUSED'
  | 'LABEL_UNKNOWN'
  | 'PACKLIST_INVALID'
  | 'PICTURE_BROKEN'
  | 'PICTURE_MEMORY'
  | 'PICTURE_TOO_LARGE'
  | 'PICTURE_UNSUPPORTED'
  | 'PRINTER_LANGUAGE'

/** All that the library has to say to people, with the names of its values: a program has the sentences. */
export const REASONS = {
  // What a label is
  isEmpty: [],
  notPrintable: [],
  isInLanguage: ['language'],
  isPictureKind: ['kind'],
  isPictureKindAn: ['kind'],
  isFileKind: ['kind'],
  isFileKindAn: ['kind'],
  isSeveral: [],
  isWholeAnswer: [],
  isAnswer: [],
  isBrokenBase64: [],
  isSettings: [],
  isWebPage: [],
  isAddress: [],
  packedTooLarge: ['most'],
  packedBroken: [],
  tooManyPages: ['n', 'most'],
  // What a PDF is
  lockedPdf: [],
  pdfBroken: [],
  pdfDamaged: ['page'],
  pdfPageGone: [],
  pdfAsText: [],
  pdfUnknown: ['page'],
  pdfUnseen: ['page'],
  blankPdf: [],
  blankPages: [],
  // What to do about it
  sendOneOf: ['formats'],
  askForOneOf: ['formats'],
  saveAsPdf: [],
  iphoneFormats: [],
  otherMaker: [],
  chooseFormat: [],
  loginPage: [],
  unpackIt: [],
  downloadIt: [],
  downloadAgain: [],
  sendEach: [],
  sendPart: ['part'],
  readAnswer: [],
  printInParts: ['most', 'next'],
  unlockPdf: [],
  reprintPdf: [],
  newPdf: [],
  sendAsBytes: [],
  embedFonts: [],
  askForSize: ['label'],
  // How a label came out
  pageReduced: ['page', 'percent'],
  pageCut: ['page', 'size', 'label'],
  pageUnits: ['page', 'size', 'label'],
  pageTiny: ['page', 'size', 'label'],
  pictureCut: ['size', 'label'],
  pictureTiny: ['size', 'label'],
  pictureReduced: ['percent'],
  palePart: [],
  blankPicture: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of a reason. */
export type ReasonKey = keyof typeof REASONS

type ReasonValues<K extends ReasonKey> = Readonly<
  Record<(typeof REASONS)[K][number], string | number>
>

/** A sentence for people, as data. */
export type Reason = {
  readonly [K in ReasonKey]: { readonly key: K; readonly values: ReasonValues<K> }
}[ReasonKey]

/** Something to say: to people as data, to developers in technical English. */
export type Remark = string | Reason | readonly Reason[]

/** A reason with its values. */
export function reason<K extends ReasonKey>(
  key: K,
  ...[values]: (typeof REASONS)[K] extends readonly [] ? [] : [ReasonValues<K>]
): Reason {
  return { key, values: values ?? {} } as Reason
}

/** A field of a request that is refused: what was sent, and what was wanted instead. */
export interface RefusedField {
  readonly name: string
  readonly got: string
  readonly wanted: string
}

/** All that a fault says; it goes from the thread or the process that reads a label to the program. */
export interface FaultData {
  readonly code: LabelFaultCode
  /** In technical English; of a fault with reasons, their names. */
  readonly message: string
  /** Reasons for people; none where it is for developers only. */
  readonly reasons: readonly Reason[]
  /** Advice on it; none = what the code says. */
  readonly advice: readonly Reason[]
  /** Details of what was seen and wanted, in technical English; '' = the message says it. */
  readonly detail: string
  readonly field: RefusedField | undefined
}

/** The only error that the library throws on purpose. */
export class LabelFault extends Error implements FaultData {
  override readonly name = 'LabelFault'
  readonly code: LabelFaultCode
  readonly reasons: readonly Reason[]
  readonly advice: readonly Reason[]
  readonly detail: string
  readonly field: RefusedField | undefined

  constructor(
    code: LabelFaultCode,
    what: Remark,
    more: {
      readonly cause?: unknown
      readonly advice?: Reason | readonly Reason[]
      readonly detail?: string
      readonly field?: RefusedField
    } = {},
  ) {
    const reasons = typeof what === 'string' ? [] : [what].flat()
    const message = typeof what === 'string' ? what : reasons.map(describeReason).join(', ')
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.reasons = reasons
    this.advice = [more.advice ?? []].flat()
    this.detail = more.detail ?? ''
    this.field = more.field
  }
}

/** Makes the refusal of a field of a request. */
export function refuseField(name: string, got: string, wanted: string): LabelFault {
  return new LabelFault('FIELD_INVALID', `${name}: got ${JSON.stringify(got)}, wanted ${wanted}.`, {
    field: { name, got, wanted },
  })
}

/** A fault without what belongs to an error of its thread. */
export function toFaultData(fault: LabelFault): FaultData {
  const { code, message, reasons, advice, detail, field } = fault
  return { code, message, reasons, advice, detail, field }
}

function describeReason({ key, values }: Reason): string {
  const told = Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  return told.length === 0 ? key : `${key} (${told.join(', ')})`
}
