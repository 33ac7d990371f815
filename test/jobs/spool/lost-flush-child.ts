import { spawn } from 'node:child_process'
import { cancel } from '../../../src/jobs/moves.ts'
import { Spool } from '../../../src/jobs/spool/spool.ts'
import { newJob } from '../labels.ts'

// Takes two labels, one after the other, and says what became of each. After the first the disk keeps nothing any more.

const spool = new Spool({ folder: process.argv[2] ?? '', minFreeBytes: 0, ballastBytes: 0 })
let told = 0
spool.onChange(() => {
  told += 1
})

/** From here on strace gives every flush of this program another end. Gives back what ends that. */
async function breakDisk(): Promise<() => void> {
  const args = ['-f', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO', '-p']
  const strace = spawn('strace', [...args, String(process.pid)])
  await new Promise((resolve) => strace.stderr.once('data', resolve)) // "Process … attached"
  return () => strace.kill()
}

async function outcome(work: () => unknown): Promise<string> {
  try {
    return String(await work())
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error)
  }
}

const take = (mark: number) => () =>
  spool.commits.take('a', () => spool.add([newJob(mark)]).jobs[0]?.state)
const first = await outcome(take(1))
const [job] = spool.line.unfinished('Bench 1')
const end = await breakDisk()
const second = await outcome(take(2))
const move = () => spool.move(job?.id ?? '', (now) => cancel(now, 1)).state
const seen = {
  ...{ first, second, told },
  step: await outcome(() => spool.commits.step(move)),
  write: await outcome(move),
  answers: await outcome(() => spool.health.answers()),
}
end()
process.stdout.write(JSON.stringify(seen))
process.exit()
