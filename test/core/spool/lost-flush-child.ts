import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { cancel } from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { newJob } from '../labels.ts'

// Takes two labels, one after the other, and says what became of each. After the first the disk keeps nothing any more.

const folder = process.argv[2] ?? ''
const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
let told = 0
spool.onChange(() => {
  told += 1
})

/** From here on strace gives every flush of this program another end. Gives back what ends that. */
async function breakDisk(): Promise<() => Promise<unknown>> {
  const args = ['-f', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO', '-p']
  const strace = spawn('strace', [...args, String(process.pid)])
  await new Promise((resolve) => strace.stderr.once('data', resolve)) // "Process … attached"
  const ended = once(strace, 'exit')
  return async () => {
    strace.kill()
    await ended
  }
}

async function outcome(work: () => unknown): Promise<string> {
  try {
    return String(await work())
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error)
  }
}

const repeat = (mark: number) => ({ key: `http:${mark}`, fingerprint: 'f' })
const take = (mark: number) => () =>
  spool.commits.take('a', () => spool.add([newJob(mark)], repeat(mark)).jobs[0]?.state)
const first = await outcome(take(1))
const [job] = spool.line.unfinished('Bench 1')
const end = await breakDisk()
const second = await outcome(take(2))
const move = () => spool.move(job?.id ?? '', (now) => cancel(now, 1)).state
const seen = {
  first,
  second,
  told,
  step: await outcome(() => spool.commits.step(move)),
  write: await outcome(move),
  answers: await outcome(() => spool.health.answers()),
}
// From here on the disk says that all is well, and has forgotten what it lost.
await end()
const later = {
  again: await outcome(take(2)),
  known: await outcome(() => spool.repeats.find(repeat(2))?.length),
  list: await outcome(() => spool.history.list({ limit: 9 }).length),
  events: await outcome(() => spool.outbox.oldest(9).length),
  close: await outcome(() => spool.close()),
}
const log = statSync(join(folder, 'spool.db-wal')).size > 0
process.stdout.write(JSON.stringify({ ...seen, ...later, log }))
process.exit()
