// Takes over what a person dropped on the FAT partition, once, before network and server start. Each file is checked first
// and taken whole or not at all; what was taken moves to imported/, what was wrong stays and is tried again at each start.
//   env, for tests: DROP, DATA, CONFIG_FOLDER, PLATEN, REMOUNT
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { importAll } from './take-over.ts'

const env = process.env
const drop = env['DROP'] ?? '/boot/firmware/platen'
const remount = (how: 'rw' | 'ro'): void => {
  const [command = 'mount', ...args] = (env['REMOUNT'] ?? 'mount -o').split(' ')
  execFileSync(command, [
    ...args,
    `remount,${how}`,
    env['REMOUNT'] === undefined ? '/boot/firmware' : drop,
  ])
}

if (existsSync(drop)) {
  remount('rw')
  try {
    const report = importAll({
      drop,
      data: env['DATA'] ?? '/data',
      configFolder: env['CONFIG_FOLDER'] ?? '/etc/platen',
      platen: env['PLATEN'] ?? '/usr/bin/platen',
    })
    process.stdout.write(report)
  } finally {
    remount('ro')
  }
}
