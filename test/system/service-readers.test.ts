import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeAgent, writeUnit } from '../../src/system/service.ts'
import { makeGround } from './make-ground.ts'

t.test(
  'systemd reads the unit as it is meant',
  existsSync('/usr/bin/systemd-analyze') ? {} : { skip: 'this machine lacks systemd' },
  (t) => {
    const folder = t.testdir()
    const program = [join(folder, "a 100% $HOME 'b'")] as const
    writeFileSync(program[0], '', { mode: 0o755 })
    const file = join(folder, 'platen.service')
    writeFileSync(file, writeUnit(makeGround({ program }).ground))
    execFileSync('systemd-analyze', ['--user', 'verify', '--man=no', file], {
      stdio: 'pipe',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    })
    t.end()
  },
)

t.test(
  'an independent reader reads the agent',
  existsSync('/usr/bin/python3') ? {} : { skip: 'this machine lacks python3' },
  (t) => {
    const script =
      'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
    const { ground } = makeGround({ platform: 'darwin', home: '/Users/Jörg', program: ['/a & b'] })
    const text = execFileSync('python3', ['-c', script], { input: writeAgent(ground) })
    t.match(JSON.parse(text.toString()), {
      Label: 'platen',
      ProgramArguments: ['/a & b', '--no-browser', '--config', '/etc/a b.json'],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ExitTimeOut: 20,
      EnvironmentVariables: { PLATEN_LOG_FILE: '/Users/Jörg/Library/Logs/platen/platen.log' },
    })
    t.end()
  },
)
