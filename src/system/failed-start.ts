import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a person reads when the program does not start. */
export interface FailedStart {
  readonly message: string
  readonly hint: string
  /** Where more stands; undefined = nowhere. */
  readonly logFile: string | undefined
}

/**
 * Writes a page that says why the program does not start: a window that closes with the program shows nothing. Gives its
 * address (file:).
 * @throws what the file system throws
 */
export function writeFailedStart({ message, hint, logFile }: FailedStart): string {
  const more = logFile === undefined ? '' : `<p><small>Log: ${escapeHtml(logFile)}</small></p>`
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>platen does not start</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>
<h1>The print server does not start</h1>
<p>${escapeHtml(message)}</p><p><strong>${escapeHtml(hint)}</strong></p>${more}</html>
`
  const file = join(mkdtempSync(join(tmpdir(), 'platen-')), 'platen.html')
  writeFileSync(file, page, { mode: 0o600 })
  return pathToFileURL(file).href
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/**
 * True when Windows opened a console only for this program, as it does for a double-click: it closes with the program, and
 * nobody can read what stood in it. Microsoft, "GetConsoleProcessList": how many processes share the console.
 */
export async function ownsConsole(platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== 'win32' || !process.stdin.isTTY) return false
  try {
    const { default: koffi } = await import('koffi')
    const kernel = koffi.load('kernel32.dll')
    const count = kernel.func(
      'uint32_t GetConsoleProcessList(_Out_ uint32_t *list, uint32_t count)',
    )
    return count([0], 1) === 1
  } catch {
    return false // koffi is left out where npm had no build of it
  }
}
