/** What the door works with. */
export interface PrintNodeSettings {
  /** Hosts that labels may be fetched from wherever their address lies. */
  readonly hosts: readonly string[]
}
