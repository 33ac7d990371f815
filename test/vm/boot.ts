// Boots the guest and runs one command in it; what the command writes to its standard output comes out here.
//   node test/vm/boot.ts [--arch amd64|arm64] [--root FOLDER] [--systemd] [--out FOLDER] [--limit SECONDS] COMMAND...
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Arch, hostArch, runGuest } from './guest-machine.ts'

const { values, positionals } = parseArgs({
  options: {
    arch: { type: 'string', default: hostArch() },
    root: { type: 'string', default: '/' },
    systemd: { type: 'boolean', default: false },
    out: { type: 'string' },
    limit: { type: 'string', default: '600' },
  },
  allowPositionals: true,
})
const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), 'platen-guest-')))
process.exitCode = await runGuest({
  arch: values.arch as Arch,
  root: values.root,
  out,
  limitMs: Number(values.limit) * 1000,
  command: positionals.join(' '),
  init: values.systemd ? 'systemd' : 'alone',
})
if (values.out === undefined) rmSync(out, { recursive: true, force: true })
