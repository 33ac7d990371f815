import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePair, putAside } from './certificate-files.ts'
import { replaceFile } from './replace-file.ts'

/** The authority's file as it is, for a backup; '' when there is none. */
export async function readAuthority(folder: string): Promise<string> {
  return await readFile(join(folder, 'authority.pem'), 'utf8').catch(() => '')
}

/**
 * Puts the authority of a backup in the place of this box's own, which is kept beside it: clients that trusted the dead
 * box trust this one. True when it is another one; it takes effect at the next start. Damage counts as none.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function restoreAuthority(folder: string, text: string): Promise<boolean> {
  const own = await readAuthority(folder)
  if (own === text || parsePair(text) === undefined) return false
  if (own !== '') await putAside(folder, 'authority')
  await replaceFile(join(folder, 'authority.pem'), text)
  await rm(join(folder, 'server.pem'), { force: true }) // signed by the one that was
  return true
}
