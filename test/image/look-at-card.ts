import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FAT = 1
const ROOT_A = 2
const DATA = 4
const SECTOR = 512

/** The content of a card whose box has no power. */
export interface Look {
  /** Faults of the card. */
  readonly faults: readonly string[]
  /** A copy of the folder of the print server, when there is one. */
  readonly state: string
  /** Our packages as dpkg knows them, and what it left half done. */
  readonly packages: string
  /** Checksums of what the box boots from. */
  readonly boot: string
}

interface Partition {
  readonly start: number
  readonly size: number
}

/** Reads a card from outside, from copies of its partitions in `work`: their journals are played back as at the next boot. */
export async function lookAtCard(card: string, work: string): Promise<Look> {
  const folder = join(work, 'look')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const table = JSON.parse((await run('sfdisk', ['-J', card])).stdout) as {
    partitiontable: { partitions: readonly Partition[] }
  }
  const copy = async (number: number): Promise<string> => {
    const part = table.partitiontable.partitions[number - 1]
    if (part === undefined) throw new Error(`the card has no partition ${number}`)
    const file = join(folder, `part-${number}`)
    const [skip, count] = [part.start, part.size].map((sectors) => String(sectors * SECTOR))
    const flags = ['iflag=skip_bytes,count_bytes', 'conv=sparse', 'status=none', 'bs=1M']
    await run('dd', [`if=${card}`, `of=${file}`, `skip=${skip}`, `count=${count}`, ...flags])
    return file
  }
  const [fat, root, data] = [await copy(FAT), await copy(ROOT_A), await copy(DATA)]
  const faults = [...(await checkExt4(root)), ...(await checkExt4(data))]
  await debugfs(data, `rdump /var-lib-platen ${folder}`)
  const state = join(folder, 'var-lib-platen')
  return { faults, state, packages: await readPackages(root), boot: await readBoot(fat, folder) }
}

/** A card's file system is sound when the journal and what every mount mends by itself make it so. */
async function checkExt4(part: string): Promise<readonly string[]> {
  const mended = await finish('e2fsck', ['-fp', part])
  if (mended.code >= 4) return [`${part}: ${mended.text}`]
  const { code, text } = await finish('e2fsck', ['-fn', part])
  return code === 0 ? [] : [`${part}: ${text}`]
}

async function readPackages(root: string): Promise<string> {
  const status = await debugfs(root, 'cat /var/lib/dpkg/status')
  const ours = status
    .split('\n\n')
    .filter((entry) => /^Package: platen/.test(entry))
    .map((entry) =>
      ['Package', 'Version', 'Status'].map((key) => field(entry, key).replace('install ok ', '')),
    )
  const files = await debugfs(root, 'ls -p /usr/lib/platen')
  const pending = await debugfs(root, 'ls -p /var/lib/dpkg/updates')
  const half = files.match(/\.dpkg-(new|tmp)/g)?.length ?? 0
  const notes = pending.match(/^(?:\/\d+){5}\//gm)?.length ?? 0
  return `${ours.map((one) => one.join(' ')).join(', ')}; ${half} files half unpacked, ${notes} notes of dpkg`
}

function field(entry: string, key: string): string {
  return new RegExp(`^${key}: (.*)$`, 'm').exec(entry)?.[1] ?? '?'
}

async function readBoot(fat: string, folder: string): Promise<string> {
  const boot = join(folder, 'boot')
  await mkdir(boot)
  await run('mcopy', ['-n', '-s', '-i', fat, '::/*', boot])
  const script = `cd ${boot} && find . -type f -not -path './platen/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum`
  return (await run('sh', ['-c', script])).stdout.slice(0, 16)
}

async function debugfs(part: string, command: string): Promise<string> {
  return (await finish('debugfs', ['-R', command, part])).text
}

async function finish(
  program: string,
  args: readonly string[],
): Promise<{ code: number; text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
  execFile(program, [...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
    const text = error === null ? stdout : stdout + stderr
    resolve({ code: error === null ? 0 : Number(error.code ?? 99), text })
  })
  return await promise
}
