import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Graph, listInputs } from './graph.ts'
import { listTests } from './tiers.ts'

const LONG = 'test/suite/long.ts'
const HISTORIES = 'test/simulator/history.ts'

interface TestRun {
  readonly tests: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A long proof of `make test-all`. */
export interface Part {
  readonly name: string
  /** Its code; what it reaches decides whether it must run again. */
  readonly entries: readonly string[]
  /** Test files that are run long, or a command line. */
  readonly run: TestRun | { readonly command: readonly string[] }
  /** On a quiet machine of two processors, until this one knows better. */
  readonly minutes: number
  /** The reason why CI leaves it to `make test-all` and to releases. */
  readonly apart?: string
}

const make = (...args: readonly string[]) => ({
  command: ['make', '--no-print-directory', ...args],
})
const tests = (...files: readonly string[]): TestRun => ({ tests: files })

/** The packages, where they run. */
const PACKAGES: readonly Part[] = [
  {
    name: 'the service of the packages in a guest',
    entries: ['test/vm/unit.test.ts', 'test/vm/cases/unit.ts'],
    run: tests('test/vm/unit.test.ts'),
    minutes: 3,
  },
  {
    name: 'updates of the packages',
    entries: ['test/packages/update.test.ts'],
    run: tests('test/packages/update.test.ts'),
    minutes: 3,
  },
  {
    name: 'the packages in Debian 12',
    entries: ['test/packages/deb.test.ts'],
    run: make('test-deb', 'SUITE=bookworm'),
    minutes: 3,
    apart: 'it fetches another Debian',
  },
]

/** Parts that are too long for every change, besides the tests that import `long.ts`. */
const PARTS: readonly Part[] = [
  {
    name: 'updates under a real systemd',
    entries: ['test/packages/live-update.test.ts', 'test/packages/user-service.test.ts'],
    run: make('test-update'),
    minutes: 6,
    apart: 'it needs loop devices and namespaces',
  },
  {
    name: 'the executables',
    entries: ['test/packages/program.test.ts'],
    run: make('test-program'),
    minutes: 6,
    apart: 'it fetches 50 MB for each system',
  },
  {
    name: 'the executables for Windows, under Wine',
    entries: ['test/windows/wine.test.ts', 'test/windows/setup.test.ts', 'packaging'],
    run: make('test-wine'),
    minutes: 10,
    apart: 'it fetches Wine and its Debian, 300 MB',
  },
  {
    name: 'the container image',
    entries: ['test/packages/container.test.ts', 'packaging', 'Dockerfile'],
    run: make('test-container'),
    minutes: 3,
    apart: 'it fetches parts of Debian for two processors',
  },
  {
    name: 'a release, twice',
    entries: ['test/packages/release.test.ts', 'packaging'],
    run: make('test-release'),
    minutes: 12,
    apart: 'it makes everything twice',
  },
  {
    name: 'coverage',
    entries: ['test/coverage.ts', 'src', 'test'],
    run: make('coverage'),
    minutes: 30,
    apart: 'it is make test once more',
  },
  {
    name: 'kills',
    entries: ['test/e2e/kill.test.ts', 'packaging/launcher/platen.js'],
    run: make('kill-test'),
    minutes: 20,
  },
  {
    name: 'hostile bodies, 200 for each door and route',
    entries: ['test/attacks/hostile-bodies.test.ts', 'packaging/launcher/platen.js'],
    run: {
      tests: ['test/attacks/hostile-bodies.test.ts'],
      env: { PLATEN_TEST_BODIES: '200' },
    },
    minutes: 12,
  },
  {
    name: 'soak',
    entries: ['test/e2e/soak.test.ts', 'packaging/launcher/platen.js'],
    run: make('soak-test'),
    minutes: 20,
    apart: 'it takes the whole machine for long',
  },
  {
    name: 'a fleet',
    entries: [
      'test/fleet/fleet-run.test.ts',
      'docs/fleet/platen.rules.yml',
      'packaging/launcher/platen.js',
    ],
    run: make('fleet-test'),
    minutes: 25,
    apart: 'it takes the whole machine for long',
  },
  {
    name: 'the benches, once',
    entries: ['test/bench/run.ts', 'test/bench/one-picture.js', 'packaging/launcher/platen.js'],
    run: make('bench', 'ONCE=1'),
    minutes: 6,
  },
  {
    name: 'damaged pictures and headers',
    entries: ['test/labels/codecs/fuzz-many.ts', 'test/labels/codecs/fuzz-headers-many.ts'],
    run: make('fuzz'),
    minutes: 20,
  },
  {
    name: 'pictures of other projects',
    entries: ['test/corpora/run.ts'],
    run: make('corpora'),
    minutes: 10,
    apart: 'it needs sources of Debian packages',
  },
  {
    name: 'two boxes of one name',
    entries: ['test/image/names.test.ts'],
    run: make('test-names'),
    minutes: 2,
    apart: 'it installs avahi',
  },
  {
    name: 'USB in an arm64 guest',
    entries: ['test/vm/vm.test.ts', 'test/vm/guest.ts'],
    run: make('test-vm-arm64'),
    minutes: 10,
    apart: 'it fetches another system',
  },
  {
    name: 'power cuts of the spool',
    entries: ['test/power-cut/run.ts', 'packaging/launcher/platen.js'],
    run: make('power-cut-test'),
    minutes: 40,
    apart: 'it needs libnbd and loop devices',
  },
  {
    name: 'power cuts in updates',
    entries: ['test/power-cut/update.ts'],
    run: make('power-cut-update-test'),
    minutes: 40,
    apart: 'it needs libnbd and loop devices',
  },
  {
    name: 'floods',
    entries: ['test/e2e/floods.ts', 'packaging/launcher/platen.js'],
    run: make('flood-test'),
    minutes: 65,
  },
  {
    name: 'updates of the SD image',
    entries: ['test/image/upgrade.test.ts', 'image'],
    run: make('test-image-upgrade'),
    minutes: 30,
    apart: 'an emulated machine takes all of the time',
  },
  {
    name: 'power cuts of the SD image',
    entries: ['test/image/power-cut.ts', 'image'],
    run: make('power-cut-image'),
    minutes: 60,
    apart: 'an emulated machine takes all of the time',
  },
  {
    name: 'the SD image on a Raspberry Pi 3B',
    entries: ['test/image/boot.test.ts', 'image', 'packaging', 'systemd', 'udev'],
    run: make('test-image-raspi3b'),
    minutes: 15,
    apart: 'an emulated machine takes all of the time',
  },
]

/** Test files of the parts; the image has a rule of its own (test/image/when-changed.ts). */
const ELSEWHERE = [
  ...[...PACKAGES, ...PARTS].flatMap(({ run }) => ('tests' in run ? run.tests : [])),
  ...['image', 'boot', 'emergency', 'upgrade', 'names'].map((name) => `test/image/${name}.test.ts`),
  ...['live-update', 'user-service'].map((name) => `test/packages/${name}.test.ts`),
  'test/windows/wine.test.ts',
  'test/windows/setup.test.ts',
]

/** Lists the tests of `make test`: all but those that only a part runs. */
export function listUsual(graph: Graph): readonly string[] {
  return listTests(graph).filter((file) => !ELSEWHERE.includes(file))
}

/** All parts; CI, whose time ends, begins with the first that never passed there. */
export function listParts(graph: Graph): readonly Part[] {
  const usual = listUsual(graph)
  const long = usual
    .filter((file) => graph.imports(file).includes(LONG))
    .map((file) => ({
      name: `${file}, long`,
      entries: [file],
      minutes: 2,
      run: { tests: [file], env: { PLATEN_TEST_LONG: '1' } },
    }))
  const histories = usual
    .filter((file) => graph.imports(file).includes(HISTORIES))
    .map((file) => ({
      name: `${file}, many histories`,
      entries: [file],
      minutes: 15,
      run: make('race-test', `RACES=${file}`),
    }))
  const program = usual.filter((file) => file.startsWith('test/e2e/'))
  const fromSource: Part = {
    name: 'the program from source',
    entries: [...program, 'packaging/launcher/platen.js'],
    minutes: 3,
    run: { tests: program, env: { PLATEN_TEST_ENTRIES: 'packaging/launcher/platen.js' } },
  }
  return [fromSource, ...PACKAGES, ...long, ...PARTS, ...histories]
}

/** A digest of all that the part reaches. */
export function digest(root: string, graph: Graph, part: Part): string {
  const hash = createHash('sha256').update(JSON.stringify(part.run))
  for (const file of listInputs(graph, part.entries)) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}
