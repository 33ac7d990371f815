import { findInternalAddress } from './address.ts'
import { type Command, openBrowser } from './browser.ts'
import { readEverywhere } from './reachable.ts'

/** Where the page is, and whether to open it. */
export interface Announcement {
  readonly version: string
  /** As configured: '' = every interface. */
  readonly host: string
  /** As bound. */
  readonly port: string
  readonly open_browser: boolean
  /** What opens a page on this computer; undefined = nobody sits before it. */
  readonly opener: Command | undefined
}

/** Says on standard output where the page is, and opens it in a browser where that is wanted. */
export function announce(
  { version, host, port, open_browser: isWanted, opener }: Announcement,
  log: { debug(fields: object, message: string): void },
): void {
  const address = findPageAddress(host, port)
  process.stdout.write(`platen ${version} listens on ${address}\n`)
  if (!isWanted) return
  const opened = openBrowser(address, opener)
  void opened.then((why) => why !== undefined && log.debug({ why }, 'browser not opened'))
}

/** The address of the page as a browser can open it. */
export function findPageAddress(host: string, port: string): string {
  const family = readEverywhere(host)
  const name = family === undefined ? host : findInternalAddress({ family })
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/`
}
