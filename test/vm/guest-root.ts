import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Arch, hostArch } from './guest-machine.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The tree that the guest sees: this machine's own, or one that is unpacked for it; or the sentence why there is none. */
export function prepareRoot(arch: Arch): { folder: string } | { missing: string } {
  if (arch === hostArch()) return { folder: '/' }
  const versions = ['node', 'usb'].map((name) => {
    const file = join(ROOT, 'node_modules', name, 'package.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  })
  try {
    const script = join(import.meta.dirname, 'foreign-root.sh')
    const made = execFileSync(script, [join(ROOT, '.cache/vm'), arch, ...versions], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { folder: made.trim() }
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    return { missing: `no files for a guest of ${arch} could be had: ${stderr.trim()}` }
  }
}
