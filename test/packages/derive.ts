import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The changes that make a package another one. */
export interface Derivation {
  readonly version: string
  /** Put before the server's first line. */
  readonly fault?: string
  /** A unit that it brings along and the other one has not. */
  readonly unit?: string
}

/** A package of another version beside `deb`, as a release of it would be; gives its file. */
export function derivePackage(deb: string, { version, fault, unit }: Derivation): string {
  const [name = '', , arch = ''] = basename(deb).split('_')
  const made = join(deb, '..', `${name}_${version}_${arch}`)
  const tree = mkdtempSync(`${made}.tree-`)
  const edit = (path: string, change: (text: string) => string) => {
    const file = join(tree, path)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }
  execFileSync('dpkg-deb', ['-R', deb, tree])
  edit('DEBIAN/control', (text) =>
    text
      .replace(/^Version: .*$/m, `Version: ${version}`)
      .replace(/^(Depends: platen \(>= )[^)]*/m, `$1${version}`),
  )
  if (name === 'platen') {
    const lib = 'usr/lib/platen'
    for (const file of readdirSync(join(tree, lib)).filter((one) => one.endsWith('.js'))) {
      edit(join(lib, file), (text) =>
        text.replace(/^( {2}name: "platen",\n {2}version: ")[^"]*/m, `$1${version}`),
      )
    }
    edit(join(lib, 'main.js'), (text) => (fault ?? '') + text)
  }
  if (unit !== undefined) {
    writeFileSync(
      join(tree, 'usr/lib/systemd/system', unit),
      '[Service]\nExecStart=true\n[Install]\nWantedBy=multi-user.target\n',
    )
    for (const script of ['postinst', 'prerm', 'postrm']) {
      edit(join('DEBIAN', script), (text) => text.replace(/^units='/m, `units='${unit} `))
    }
  }
  // dpkg-deb wants no other rights there; quick, and what a box's /var/cache can hold.
  const packing = name === 'platen-node' ? ['-Zzstd', '-z3'] : ['-Zgzip']
  execFileSync('dpkg-deb', ['--root-owner-group', ...packing, '-b', tree, made], {
    stdio: 'ignore',
  })
  rmSync(tree, { recursive: true })
  return made
}
