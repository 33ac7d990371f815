import { join } from 'node:path'
import t from 'tap'
import type { ServiceGround } from '../../src/system/service.ts'

export const PROGRAM = ['/home/Jörg/my "own" 100%/platen'] as const

/** Makes the ground of a service, with the home in the test's folder; returns the commands that it ran, too. */
export function makeGround(more: Partial<ServiceGround> = {}) {
  const commands: string[] = []
  const home = t.testdirName
  const ground: ServiceGround = {
    platform: 'linux',
    home,
    uid: 501,
    program: PROGRAM,
    configFile: '/etc/a b.json',
    programFiles: join(home, 'Files'),
    programData: join(home, 'Data'),
    lookMs: 1,
    run(command) {
      commands.push(command.join(' '))
      return { code: 0, text: '' }
    },
    ...more,
  }
  return { ground, commands }
}
