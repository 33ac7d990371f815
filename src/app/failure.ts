import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlatenError } from '../errors.ts'
import { openBrowser } from '../system/announce.ts'
import { createLog } from '../system/log.ts'
import { LogFile } from '../system/log-file.ts'
import { EXIT_CODES } from '../system/process.ts'
import type { Environment } from './environment.ts'

const ADDRESS_FILE = 'address' // in the state folder

/** Notes where the page is, for whoever starts the program once more; needless where nobody sits before the computer. */
export function noteAddress({ stateFolder, opener }: Environment, address: string): void {
  if (opener !== undefined) writeFileSync(join(stateFolder, ADDRESS_FILE), `${address}\n`)
}

/**
 * Ends a start that failed: a fault in words for people, with the exit code of its kind; anything else is a fault of ours.
 * Whoever started it a second time is shown the page of the first; where a window would close at once, a page shows the words.
 */
export async function endFailed(error: unknown, environment: Environment): Promise<void> {
  if (!(error instanceof PlatenError)) throw error
  const { message, code } = error
  const running = code === 'SPOOL_TAKEN' ? readAddress(environment) : undefined
  const hint = running === undefined ? error.hint : `It runs already: its page is ${running}`
  process.stderr.write(`${message}\n${hint}\n`)
  process.exitCode = EXIT_CODES[code] ?? 1 // nothing waits for a browser that opens
  logTo(environment, error)
  const page = running ?? (await writePage(environment, { message, hint }))
  if (page !== undefined) await openBrowser(page, environment.opener)
  process.exit()
}

function readAddress({ stateFolder, opener }: Environment): string | undefined {
  if (opener === undefined) return undefined
  try {
    const address = readFileSync(join(stateFolder, ADDRESS_FILE), 'utf8').trim()
    return /^http:\/\/\S+$/.test(address) ? address : undefined
  } catch {
    return undefined
  }
}

/** The log may not be open yet. */
function logTo({ logFile }: Environment, err: PlatenError): void {
  if (logFile === undefined) return
  const file = new LogFile(logFile)
  const log = createLog({ level: 'info', toJournal: false, write: (line) => file.write(line) })
  log.error({ err }, 'start failed')
}

/** Undefined where whoever started it can read standard error. */
async function writePage(
  { isWindowless, logFile }: Environment,
  words: { readonly message: string; readonly hint: string },
): Promise<string | undefined> {
  const { ownsConsole, writeFailedStart } = await import('../system/failed-start.ts')
  if (!isWindowless && !(await ownsConsole())) return undefined
  return writeFailedStart({ ...words, logFile })
}
