import type { Arch } from './guest-machine.ts'
import { hostArch } from './guest-machine.ts'

/** The tree that the guest sees: this machine's own; or the sentence why there is none. */
export function prepareRoot(arch: Arch): { folder: string } | { missing: string } {
  if (arch === hostArch()) return { folder: '/' }
  return { missing: `no files of ${arch} here` }
}
