/** What the door works with. */
export interface BrowserPrintSettings {
  readonly host: string
  /** Of http; https is on the next one. */
  readonly port: number
}
