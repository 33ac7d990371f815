/** What is wrong with one key. */
export interface Fault {
  /** As `printers[0].uri`; '' = the whole. */
  readonly key: string
  /** `got …, wanted …`, without the key. Never quotes a secret. */
  readonly message: string
}
