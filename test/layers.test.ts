import t from 'tap'
import { checkHouse } from './layers.ts'

const TABLE = `
| folder | may import | of Node | what it is |
|---|---|---|---|
| \`src/main.ts\` | \`app\` | | the beginning |
| \`src/app/\` | \`plugins\`, \`core\` | | the parts |
| \`src/plugins/*/\` | \`core\` | | what can be left out |
| \`src/core/\` | \`labels\` | | the jobs |
| \`src/labels/\` as \`#labels\` | | \`zlib\` | the library |
`

/** A house that is as its table says. */
const HOUSE = {
  'src/main.ts': "import { start } from './app/start.ts'",
  'src/app/start.ts': `import type { Job } from '../core/job.ts'
export const load = () => import('../plugins/mail/index.ts')`,
  'src/plugins/mail/index.ts': "import { print } from '../../core/queue/print.ts'",
  'src/plugins/fax/index.ts': "import type { Job } from '../../core/job.ts'",
  'src/core/job.ts': 'export interface Job {}',
  'src/core/queue/print.ts': `import {
  convert,
} from '#labels'
import type { Job } from '../job.ts'`,
  'src/labels/index.ts': "export { convert } from './pictures/convert.ts'",
  'src/labels/pictures/convert.ts': "import { inflateSync } from 'node:zlib'",
}

/** The faults of the house with other files in it. */
function faultsWith(
  files: Record<string, string>,
  exceptions: readonly string[] = [],
  table = TABLE,
): readonly string[] {
  const all = new Map(Object.entries({ ...HOUSE, ...files }))
  return checkHouse({ files: all, table, exceptions }).faults
}

t.test('imports that the table allows pass', (t) => {
  t.same(faultsWith({}), [])
  t.end()
})

t.test('other imports are refused with what to do instead', (t) => {
  const refused: readonly [path: string, text: string, fault: string][] = [
    [
      'src/core/spool/save.ts',
      "import type { Mail } from '../../plugins/mail/index.ts'",
      'src/core/spool/save.ts imports src/plugins/mail/index.ts, but src/core/ may import only labels. Take what you need as an argument, or move it to where both may import it from.',
    ],
    [
      'src/plugins/fax/send.ts',
      "export const load = () => import('../mail/index.ts')",
      'src/plugins/fax/send.ts imports src/plugins/mail/index.ts, but src/plugins/fax/ may import only core. Take what you need as an argument, or move it to where both may import it from.',
    ],
    [
      'src/labels/pictures/draw.ts',
      "const worker = new URL('../../core/job.ts', import.meta.url)",
      'src/labels/pictures/draw.ts imports src/core/job.ts, but src/labels/ may import nothing else of src/. Take what you need as an argument, or move it to where both may import it from.',
    ],
    [
      'src/labels/pictures/draw.ts',
      "import { readFileSync } from 'node:fs'",
      'src/labels/pictures/draw.ts imports node:fs, but src/labels/ uses zlib of Node only: let the caller do what needs it.',
    ],
    [
      'src/core/queue/draw.ts',
      "import { convert } from '../../labels/pictures/convert.ts'",
      "src/core/queue/draw.ts imports src/labels/pictures/convert.ts by its path. Import from '#labels'; what is not there yet, src/labels/index.ts can export.",
    ],
    [
      'src/tools/sum.ts',
      '',
      'src/tools has no row in docs/architecture.md, "Layers": move it to a folder that has one, or write there what it may import.',
    ],
    [
      'src/errors.ts',
      '',
      'src/errors.ts has no row in docs/architecture.md, "Layers": move it to a folder that has one, or write there what it may import.',
    ],
  ]
  for (const [path, text, fault] of refused) t.same(faultsWith({ [path]: text }), [fault])
  t.end()
})

t.test('folders that import each other are told, of whatever depth', (t) => {
  const files = {
    'src/core/queue/next.ts': "import { line } from '../spool/rows/line.ts'",
    'src/core/spool/rows/line.ts': "import type { Print } from '../../queue/print.ts'",
  }
  t.same(faultsWith(files), [
    `In src/core/ these import each other in a circle: queue, spool. Move what two of them need to a third, or hand it over as an argument.
  src/core/queue/next.ts -> src/core/spool/rows/line.ts
  src/core/spool/rows/line.ts -> src/core/queue/print.ts`,
  ])
  const file = {
    'src/core/job.ts': "import { rows } from './spool/rows.ts'",
    'src/core/spool/rows.ts': "import type { Job } from '../job.ts'",
  }
  t.match(faultsWith(file), [
    /^In src\/core\/ these import each other in a circle: job\.ts, spool\./,
  ])
  t.end()
})

t.test('neither the core nor http declares something with the name of a plugin', (t) => {
  const told = (path: string, name: string) => [
    `${path} names the plugin mail (${name}): have the plugin bring what is its own, or say what it is to all.`,
  ]
  for (const [text, name] of [
    ['export function sendMail(): void {}', 'sendMail'],
    ['const MAIL_MS = 10', 'MAIL_MS'],
    ['export interface Parts {\n  readonly mailBox?: string\n}', 'mailBox'],
    ['class Line {\n  #mail(): void {}\n}', 'mail'],
  ] as const) {
    const path = 'src/core/queue/print.ts'
    t.same(faultsWith({ [path]: text }), told(path, name))
  }
  const path = 'src/core/mail-line.ts'
  t.same(faultsWith({ [path]: '' }), told(path, path))
  const prose = '// Mail, or a type mail of it.\nexport const mailing = 1 // mail: (mail)'
  t.same(faultsWith({ 'src/core/queue/print.ts': prose }), [])
  t.end()
})

t.test('an exception is needed, or it goes', (t) => {
  const file = { 'src/core/spool/save.ts': "import { Mail } from '../../plugins/mail/index.ts'" }
  t.same(faultsWith(file, ['src/core/spool/save.ts -> src/plugins/mail/index.ts']), [])
  t.same(faultsWith(file, ['src/core/ -> src/plugins/']), [])
  t.same(faultsWith({}, ['src/core/ -> src/plugins/']), [
    'test/layers.json has "src/core/ -> src/plugins/", which is not needed any more: run "node test/layers.ts --prune".',
  ])
  const circle = {
    'src/core/queue/next.ts': "import { line } from '../spool/line.ts'",
    'src/core/spool/line.ts': "import type { Print } from '../queue/print.ts'",
  }
  t.same(faultsWith(circle, ['src/core/spool/ -> src/core/queue/']), [])
  t.end()
})

t.test('the table has a row for what is there, and imports point down in it', (t) => {
  const row = '| `src/mail/` | `app` | | letters |\n'
  t.same(faultsWith({}, [], TABLE + row), [
    'src/mail/ has a row in docs/architecture.md, "Layers", and is not there: remove the row.',
    'In docs/architecture.md, "Layers", src/mail/ imports src/app, whose row is above its own: imports point down.',
  ])
  t.end()
})
