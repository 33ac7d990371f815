import { createHash, randomUUID } from 'node:crypto'
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Certificates, ensureCertificates } from '../../../src/http/tls/certificates.ts'

/** The entry of the real child that makes certificates. */
export const CERTIFICATE_ENTRY = new URL('../../../src/http/tls/certificate.ts', import.meta.url)

const SOURCES = ['certificate.ts', 'certificate-files.ts', 'certificates.ts']
/** The digest of the code that makes them is in the name: after a change they are made again. */
const KEPT = join(import.meta.dirname, '../../../.cache/certificates', digestSources())

/**
 * Fills the folder `tls` of a box, for a test whose subject is not how certificates are made: by the real child the first
 * time, by a copy of that later. Boxes of different names have different keys.
 */
export async function giveCertificates(
  folder: string,
  box: string,
  names: readonly string[] = [],
): Promise<Certificates> {
  const kept = join(KEPT, [box, ...names].join('-'))
  if (existsSync(kept)) cpSync(kept, folder, { recursive: true })
  const settings = { folder, names, certificateEntry: CERTIFICATE_ENTRY, now: Date.now }
  const certificates = await ensureCertificates(settings, AbortSignal.timeout(60_000))
  if (certificates.made !== 'nothing') keep(folder, kept)
  return certificates
}

/** Whole or not at all: other test files run beside this one. */
function keep(folder: string, kept: string): void {
  const made = `${kept}.${randomUUID()}`
  cpSync(folder, made, { recursive: true })
  try {
    renameSync(made, kept)
  } catch {
    rmSync(made, { recursive: true }) // another file was quicker
  }
}

function digestSources(): string {
  const hash = createHash('sha256')
  for (const name of SOURCES) hash.update(readFileSync(new URL(name, CERTIFICATE_ENTRY)))
  return hash.digest('hex').slice(0, 16)
}
