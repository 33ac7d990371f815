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

const ELSEWHERE = `Only the Debian package updates itself. This print server is updated the way it was installed:
  npm          npm install --global platen@latest
  a download   stop it, put the new file in the place of the old one, start it
  a checkout   git pull, then make run
`
