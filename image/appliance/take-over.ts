import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseAuthorizedKeys } from './authorized-keys.ts'
import { parseHostName } from './host-name.ts'
import { type Parsed, readPlainText } from './plain-text.ts'
import { fitSettings } from './settings.ts'
import { parseStaticAddress, writeStaticAddress } from './static-ip.ts'
import { blankPassword, parseWifi, writeWifi } from './wifi.ts'
import { overwrite, writeWhole } from './write.ts'

/** The folders and programs that are used. */
export interface Places {
  /** The folder `platen` of the FAT partition, writable. */
  readonly drop: string
  /** The data partition. */
  readonly data: string
  /** The folder of config.json. */
  readonly configFolder: string
  /** The program that checks a config.json. */
  readonly platen: string
}

/** A kind of file that may be dropped. */
interface Kind {
  /** Windows hides endings and adds `.txt`. */
  readonly names: readonly string[]
  /** Takes it over; gives what to say of it. */
  readonly take: (bytes: Uint8Array, places: Places) => Parsed<string>
  /** Returns the bytes kept in `imported`; left out = the file as it is. */
  readonly keep?: (bytes: Uint8Array, places: Places) => Uint8Array
}

const BIGGEST = 262_144 // bytes: a config.json with many printers has 20 kB
const REPORT = 'LAST-IMPORT.TXT'

const KINDS: readonly Kind[] = [
  {
    names: ['config.json', 'config.json.txt'],
    take: takeConfig,
    // With passwords and keys masked: any PC reads this card.
    keep: (_, { configFolder, platen }) =>
      Buffer.from(check(platen, configFolder, 'config.json').output),
  },
  {
    names: ['wifi.txt', 'wifi.txt.txt', 'wifi'],
    take: (bytes, { data }) =>
      takeText(parseWifi(readPlainText(bytes)), (wifi) => {
        writeWhole(join(data, 'wifi', 'wpa_supplicant.conf'), writeWifi(wifi), 0o600)
        const remark =
          wifi.country === '' ? ' Without a country the box sees the common channels only.' : ''
        return `the box joins the Wi-Fi "${wifi.ssid}".${remark}`
      }),
    keep: blankPassword,
  },
  {
    names: ['static-ip', 'static-ip.txt'],
    take: (bytes, { data }) =>
      takeText(parseStaticAddress(readPlainText(bytes)), (fixed) => {
        const file = join(data, 'network', '10-static.network')
        if (fixed === 'dhcp') {
          rmSync(file, { force: true })
          return 'the network gives the address (DHCP).'
        }
        writeWhole(file, writeStaticAddress(fixed), 0o644)
        return `the address is ${fixed.address} (${fixed.interface}).`
      }),
  },
  {
    names: ['hostname', 'hostname.txt'],
    take: (bytes, { data }) =>
      takeText(parseHostName(readPlainText(bytes)), (name) => {
        writeWhole(join(data, 'hostname'), `${name}\n`, 0o644)
        return `the box is called ${name}.local.`
      }),
  },
  {
    names: ['authorized_keys', 'authorized_keys.txt'],
    take: (bytes, { data }) =>
      takeText(parseAuthorizedKeys(readPlainText(bytes)), (keys) => {
        writeWhole(join(data, 'ssh', 'authorized_keys'), keys, 0o600)
        return `${keys.trimEnd().split('\n').length} key(s) may log in as root by ssh.`
      }),
  },
]

/** Every name that is looked for; platen-import.service starts where one of them lies there. */
export const droppedNames: readonly string[] = KINDS.flatMap(({ names }) => names)

/** Takes over every file that lies there; gives the report, which is also written beside them. */
export function importAll(places: Places): string {
  const lines = KINDS.flatMap((kind) => importKind(kind, places))
  const report = lines.length === 0 ? 'Nothing to import.\n' : `${lines.join('\n')}\n`
  writeWhole(
    join(places.drop, REPORT),
    `What was read at the last import:\n${report}`.replaceAll('\n', '\r\n'),
    0o644,
  )
  return report
}

function importKind(kind: Kind, places: Places): readonly string[] {
  const name = kind.names.find((each) => existsSync(join(places.drop, each)))
  if (name === undefined) return []
  const file = join(places.drop, name)
  try {
    if (statSync(file).size > BIGGEST)
      return [`${name}: REFUSED: it is larger than ${BIGGEST} bytes.`]
    const bytes = readFileSync(file)
    const taken = kind.take(bytes, places)
    if ('fault' in taken) return [`${name}: REFUSED: ${taken.fault}`]
    putAside(file, name, kind.keep?.(bytes, places), places)
    return [`${name}: taken: ${taken.value}`]
  } catch (error) {
    return [`${name}: REFUSED: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** Moves the file to `imported`. Secrets are overwritten in place first: a new file would leave them in the old sectors. */
function putAside(
  file: string,
  name: string,
  kept: Uint8Array | undefined,
  { drop }: Places,
): void {
  const folder = join(drop, 'imported')
  mkdirSync(folder, { recursive: true })
  if (kept !== undefined) overwrite(file, kept)
  rmSync(join(folder, name), { force: true })
  renameSync(file, join(folder, name))
}

function takeText<T>(parsed: Parsed<T>, take: (value: T) => string): Parsed<string> {
  return 'fault' in parsed ? parsed : { value: take(parsed.value) }
}

/** The text with which --check-config hides secrets; in `queues` a reference follows. */
const MASK = '********'
const MASKED = /"\*{8}(?:[0-9a-f]{16})?"/
const DRAFT = '.config.json.import'
// Each begins with a new file: a link or a pipe of that name is not written through.
const WRITE = `set -e
umask 077
cd "$1"
rm -rf "$2"
cat >"$2"
sync -d "$2"`
const INSTALL = `${WRITE}
if [ -e "$3" ]; then
  rm -rf "$3.before.new"
  cat "$3" >"$3.before.new"
  sync -d "$3.before.new"
  mv -T "$3.before.new" "$3.before"
fi
mv -T "$2" "$3"
sync .`

/** The old file stays beside it as config.json.before. */
function takeConfig(bytes: Uint8Array, { configFolder, platen }: Places): Parsed<string> {
  const plain = readPlainText(bytes)
  // Of `imported`, as people edit it, or as a power cut left it before it was moved there.
  if (MASKED.test(plain)) return { fault: `it has ${MASK} in place of a secret; type the secret.` }
  const written = asOwner(configFolder, ['sh', '-c', WRITE, 'sh', configFolder, DRAFT], plain)
  if (!written.isRight) throw new Error(written.output.trim())
  const checked = check(platen, configFolder, DRAFT)
  if (!checked.isRight) {
    asOwner(configFolder, ['rm', '-rf', join(configFolder, DRAFT)])
    return { fault: checked.output.replaceAll(DRAFT, 'config.json').trim() }
  }
  const { text, remarks } = fitSettings(plain)
  const install = ['sh', '-c', INSTALL, 'sh', configFolder, DRAFT, 'config.json']
  const installed = asOwner(configFolder, install, text)
  if (!installed.isRight) throw new Error(installed.output.trim())
  return { value: ['it is the configuration of the print server.', ...remarks].join(' ') }
}

/** Runs `platen --check-config`, which prints the settings with secrets masked, or what is wrong. */
function check(platen: string, folder: string, name: string): Ended {
  return asOwner(folder, [platen, '--check-config', '--config', join(folder, name)])
}

interface Ended {
  readonly isRight: boolean
  /** The text that it printed, or what is wrong. */
  readonly output: string
}

/**
 * Runs a command as whom the folder belongs to: the server's user, who may have put links, pipes and files without an end there.
 * Root reads, writes and follows nothing in it.
 */
function asOwner(folder: string, command: readonly string[], input = ''): Ended {
  const { uid, gid } = statSync(folder)
  const [program = '', ...args] = command
  const { status, stdout, stderr } = spawnSync(program, args, {
    uid,
    gid,
    input,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 21,
  })
  return status === 0
    ? { isRight: true, output: stdout }
    : { isRight: false, output: stderr || 'it could not be checked.' }
}
