import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../tls/replace-file.ts'

const LENGTH = 32

/**
 * The secret that signs the page's cookie, from `secret` in the state folder; made when it is not there or damaged.
 * With it, a page that stays open follows the jobs again after a restart.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function loadSecret(folder: string): Promise<Uint8Array> {
  const file = join(folder, 'secret')
  const seen = await readFile(file).catch(() => undefined)
  if (seen?.length === LENGTH) return seen
  const secret = randomBytes(LENGTH)
  await replaceFile(file, secret)
  return secret
}
