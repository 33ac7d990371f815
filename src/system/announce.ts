import { spawn } from 'node:child_process'
import { findInternalAddress, readEverywhere } from './address.ts'

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

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: readonly string[]]

/** What opens a page in the browser of this computer; undefined when nobody sits before it. */
export function findOpener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Command | undefined {
  if (platform === 'win32') return ['cmd', '/c', 'start', ''] // the first text in quotes is a window title
  const isRemote = env['SSH_CONNECTION'] !== undefined
  if (platform === 'darwin') return isRemote ? undefined : ['open']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

/**
 * Opens the page. Resolves with undefined once the opener is done, or with a sentence why it could not: nothing that should
 * stop a print server.
 */
export function openBrowser(url: string, opener: Command | undefined): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  if (opener === undefined) return Promise.resolve('This computer has no display.')
  const [program, ...args] = opener
  const child = spawn(program, [...args, url], {
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  })
  child.once('error', (error) => resolve(`${program} does not start: ${error.message}.`))
  child.once('exit', (code) => resolve(code === 0 ? undefined : `${program} ended with ${code}.`))
  child.unref()
  return promise
}
