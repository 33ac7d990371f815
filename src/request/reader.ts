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
