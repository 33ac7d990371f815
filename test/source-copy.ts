import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

const ROOT = join(import.meta.dirname, '..')

/** The program's sources in a folder of their own, where a test may add to them what a contributor would. */
export interface SourceCopy {
  /** The program, for `startServer`. */
  readonly entry: string
  /** Adds a file. */
  add(path: string, text: string): void
  /** Adds an entry to the list of an `index.ts`: what it is imported from, and its name. */
  list(path: string, name: string, from: string): void
  /** Loads a module of the copy. */
  load(path: string): Promise<Readonly<Record<string, unknown>>>
}

export function copySources(t: Test): SourceCopy {
  const folder = t.testdir()
  for (const part of ['src', 'web', 'packaging/launcher/platen.js', 'package.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return {
    entry: join(folder, 'packaging/launcher/platen.js'),
    add(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    list(path, name, from) {
      const text = readFileSync(join(folder, path), 'utf8')
      const listed = text.replace(/(?<= = \[[^\]]*)(?=\] as const)/, `, ${name}`)
      if (listed === text) throw new Error(`${path} has no list`)
      writeFileSync(join(folder, path), `import { ${name} } from '${from}'\n${listed}`)
    },
    load: (path) => import(join(folder, path)),
  }
}
