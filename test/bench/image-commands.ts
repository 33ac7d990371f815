import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that does not come from npm, as it is called for one picture. */
export interface ImageCommand {
  readonly name: string
  readonly file: string
  readonly args: (picture: string, size: string) => readonly string[]
}

const magick = (picture: string, size: string): readonly string[] => [
  picture,
  '-colorspace',
  'gray',
  '-resize',
  size,
  '-monochrome',
  'pbm:-',
]

/** Programs that end at a bitmap; ImageMagick 6 has another name than 7. */
const KNOWN = [
  { name: 'ImageMagick', command: 'magick', args: magick },
  { name: 'ImageMagick', command: 'convert', args: magick },
  {
    name: 'GraphicsMagick',
    command: 'gm',
    args: (picture: string, size: string) => [
      'convert',
      picture,
      '-resize',
      size,
      '-monochrome',
      'pbm:-',
    ],
  },
] as const

/** Finds the installed programs, each once. A script of the same name that stands in for the program does not count. */
export function findImageCommands(): readonly ImageCommand[] {
  const found = new Map<string, ImageCommand>()
  for (const { name, command, args } of KNOWN) {
    const file = findProgram(command, name)
    if (file !== undefined && !found.has(name)) found.set(name, { name, file, args })
  }
  return [...found.values()]
}

function findProgram(command: string, name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => isElf(file) && spawnSync(file, ['-version']).stdout.includes(name))
}

function isElf(file: string): boolean {
  const head = Buffer.alloc(4)
  try {
    const opened = openSync(file, 'r')
    readSync(opened, head, 0, head.length, 0)
    closeSync(opened)
  } catch {
    return false // not there, or not for us
  }
  return head.toString('latin1') === '\x7fELF'
}
