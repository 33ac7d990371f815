// Makes platen's executables for Windows from Node's own: the program as a resource, our name, version and icon, and no
// signature of others over bytes that are not theirs. Whoever has a certificate signs the result (osslsigncode, signtool).
//   usage: node windows-exe.ts NODE.EXE BLOB VERSION OUT.EXE OUT-WITHOUT-CONSOLE.EXE
// The forms: Microsoft, "PE Format" and "VERSIONINFO resource"; NODE_SEA_BLOB and the fuse: nodejs.org/api/single-executable-applications.html.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit'
import sharp from 'sharp'

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:'
const RT_RCDATA = 10
const ENGLISH = 1033
const UNICODE = 1200
const ICON_GROUP = 1
const ICON_SIZES = [16, 32, 48, 256] // what Explorer and the task bar ask for
const WINDOW = 2 // IMAGE_SUBSYSTEM_WINDOWS_GUI: Windows opens no console for it
const CONSOLE = 3

/** The parts of an executable. */
export interface WindowsParts {
  /** Node's executable. */
  readonly node: Uint8Array
  /** The program, as `node --experimental-sea-config` prepares it. */
  readonly blob: Uint8Array
  /** `1.2.3` */
  readonly version: string
  /** PNGs by their width. */
  readonly icons: ReadonlyMap<number, Buffer>
  /** Without a console it is for people, who start it from a menu; with one for the command line. */
  readonly hasConsole: boolean
}

/** The executable. @throws Error when Node's mark for a program inside is not there once */
export function makeWindowsExe({ node, blob, version, icons, hasConsole }: WindowsParts): Buffer {
  // Before the header's checksum is made over it.
  const exe = NtExecutable.from(lightFuse(node), { ignoreCert: true })
  exe.newHeader.optionalHeader.subsystem = hasConsole ? CONSOLE : WINDOW
  const resources = NtExecutableResource.from(exe)
  describe(resources, version, hasConsole ? 'platen.exe' : 'platenw.exe')
  const items = [...icons].map(([size, png]) => Data.RawIconItem.from(png, size, size, 32))
  Resource.IconGroupEntry.replaceIconsForResource(resources.entries, ICON_GROUP, ENGLISH, items)
  const bin = Uint8Array.from(blob).buffer
  resources.entries.push({ type: RT_RCDATA, id: 'NODE_SEA_BLOB', lang: 0, codepage: 0, bin })
  resources.outputResource(exe)
  return Buffer.from(exe.generate())
}

function lightFuse(node: Uint8Array): Buffer {
  const bytes = Buffer.from(node)
  const at = bytes.indexOf(`${FUSE}0`)
  if (at < 0 || bytes.indexOf(FUSE, at + 1) >= 0)
    throw new Error('this Node.js has no single mark for a program inside')
  bytes[at + FUSE.length] = 0x31
  return bytes
}

/** Writes the facts that Task Manager, the firewall and the file's properties show. */
function describe(resources: NtExecutableResource, version: string, file: string): void {
  const [info] = Resource.VersionInfo.fromEntries(resources.entries)
  if (info === undefined) throw new Error('this Node.js has no version resource')
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  info.setFileVersion(major, minor, patch, 0, ENGLISH)
  info.setProductVersion(major, minor, patch, 0, ENGLISH)
  info.setStringValues(
    { lang: ENGLISH, codepage: UNICODE },
    {
      ProductName: 'platen',
      FileDescription: 'platen label print server',
      CompanyName: 'platen',
      InternalName: 'platen',
      OriginalFilename: file,
      FileVersion: version,
      ProductVersion: version,
      LegalCopyright: 'MIT license; contains Node.js and others, see docs',
    },
  )
  info.outputToResourceEntries(resources.entries)
}

/** The page's icon in the sizes of Windows. */
export async function drawIcons(): Promise<ReadonlyMap<number, Buffer>> {
  const svg = readFileSync(join(import.meta.dirname, '../web/icon.svg'))
  const draw = (size: number) =>
    sharp(svg, { density: 72 * 16 })
      .resize(size, size)
      .png()
      .toBuffer()
  return new Map(
    await Promise.all(ICON_SIZES.map(async (size) => [size, await draw(size)] as const)),
  )
}

/** An .ico file of the icons, for setups. */
export function packIcons(icons: ReadonlyMap<number, Buffer>): Buffer {
  const file = new Data.IconFile()
  for (const [size, png] of icons)
    file.icons.push({
      width: size % 256,
      height: size % 256,
      colors: 0,
      planes: 1,
      bitCount: 32,
      data: Data.RawIconItem.from(png, size, size, 32),
    })
  return Buffer.from(file.generate())
}

if (import.meta.main) {
  const [node, blob, version, withConsole, without] = process.argv.slice(2)
  if (without === undefined || withConsole === undefined)
    throw new Error(
      'usage: node windows-exe.ts NODE.EXE BLOB VERSION OUT.EXE OUT-WITHOUT-CONSOLE.EXE',
    )
  const icons = await drawIcons()
  const parts = {
    node: readFileSync(node ?? ''),
    blob: readFileSync(blob ?? ''),
    version: version ?? '',
    icons,
  }
  writeFileSync(withConsole, makeWindowsExe({ ...parts, hasConsole: true }))
  writeFileSync(without, makeWindowsExe({ ...parts, hasConsole: false }))
}
