/** What the door works with. */
export interface QzSettings {
  readonly host: string
  /** Of wss; undefined = the first free pair of those that clients try. */
  readonly port: number | undefined
  /** PEM; '' = signatures count for nothing. */
  readonly certificate: string
}
