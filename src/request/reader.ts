/** Reads the fields of one print request out of bytes that arrive in pieces, into `RequestFields`. */
export interface Reader {
  /**
   * The next bytes.
   * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
   */
  push(chunk: Uint8Array): void
  /**
   * To be called after the last piece.
   * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
   */
  end(): void
  /** Gives the memory back of a request that was refused before its end. */
  free?(): void
}

/** What one print request may hold, whichever way it comes. */
export const REQUEST_LIMITS = {
  /** Labels in one request. */
  labels: 100,
  /** Copies of each label. */
  copies: 100,
  /** Jobs of one request: labels x copies. */
  jobs: 500,
  /** Fields, labels and unknown ones too. */
  fields: 1_000,
  nameBytes: 256,
  /** Of a field that is not a label. */
  valueBytes: 4_096,
  /** Headers of one part of a multipart body. */
  partHeaderBytes: 2_048,
  jsonDepth: 32,
  jsonValues: 20_000,
} as const

/** What the readers are bounded by. */
export type RequestBounds = Readonly<Record<Exclude<keyof typeof REQUEST_LIMITS, 'copies'>, number>>
