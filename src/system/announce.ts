import { findInternalAddress } from './address.ts'
import { findOpener, openBrowser } from './browser.ts'

/** Where the page is, and whether to open it. */
export interface Announcement {
  readonly version: string
  /** As configured: '' = every interface. */
  readonly host: string
  /** As bound. */
  readonly port: string
  readonly open_browser: boolean
}

/** Says on standard output where the page is, and opens it in a browser where that is wanted. */
export function announce(
  { version, host, port, open_browser: isWanted }: Announcement,
  log: { debug(fields: object, message: string): void },
): void {
  const name = host === '' ? findInternalAddress() : host
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/`
  process.stdout.write(`platen ${version} listens on ${address}\n`)
  if (!isWanted) return
  const opened = openBrowser(address, findOpener(process.platform, process.env))
  void opened.then((why) => why !== undefined && log.debug({ why }, 'browser not opened'))
}
