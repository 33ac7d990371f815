import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

const SCRIPT = '/usr/lib/platen/update'

/** The exit code, and a sentence when there is something to say. */
export interface CommandEnd {
  readonly code: number
  readonly text: string
}

/**
 * `platen update`: hands on to the script of the Debian package, which needs root and says itself what it does. Other
 * installations are told how they are updated. `program` is the file that runs.
 */
export function runUpdate(args: readonly string[], program: string, script = SCRIPT): CommandEnd {
  if (dirname(program) !== dirname(script) || !existsSync(script))
    return { code: 1, text: ELSEWHERE }
  const { status } = spawnSync(script, [...args], { stdio: 'inherit' })
  return { code: status ?? 1, text: '' }
}

// Never by the name alone: on npm's public registry it is not ours, and whoever takes it could send any program.
const ELSEWHERE = `Only the Debian package updates itself. This print server is updated the way it was installed:
  npm          npm install -g ./platen-VERSION.tgz: the file of the new version, which make program writes to packages/
  a download   stop it, put the new file in the place of the old one, start it
  a checkout   git pull, then make run
`
