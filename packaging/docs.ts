import { readFileSync, writeFileSync } from 'node:fs'
import { CARRIERS, CUSTOMS_PARAMS, PACKAGE_PARAMS, type ParamField, useOf } from '#carriers'
import { describeWanted } from '../src/core/request/field-values.ts'
import { FIELD_NAMES, FIELDS, type RequestField } from '../src/core/request/fields.ts'
import { type BoundTable, writeBoundsTable } from '../src/http/bounds.ts'
import { plugins, settingsSchema } from '../src/plugins/index.ts'
import { Plugins } from '../src/plugins/registry.ts'
import { PAPER_PARAMS, PARAMS, PRINT_PARAMS } from '../src/plugins/shipping/call-fields.ts'
import { LOCAL_TAKES } from '../src/plugins/shipping/local/index.ts'
import { createDevices } from '../src/printers/index.ts'
import type { FieldDescription } from '../src/settings/describe.ts'
import { EXIT_CODES } from '../src/system/process.ts'
import { FAILURES, type FailureCode } from '../src/words/failures.ts'
import { ENGLISH } from '../src/words/say.ts'

// Writes docs/config.md, docs/errors.md the fields and bounds in docs/api.md and the names in docs/shipping.md from the code; `make docs` runs it, a test compares.

/** The text of docs/errors.md. */
export function describeErrors(): string {
  const rows = (Object.keys(FAILURES) as FailureCode[]).map((code) => {
    const exit = EXIT_CODES[code]
    const number = exit === undefined ? String(FAILURES[code].status) : `exit code ${exit}`
    return `| \`${code}\` | ${number} | ${ENGLISH[`${code}.meaning`]} | ${ENGLISH[`${code}.hint`]} |`
  })
  return `# Errors

<!-- Written by \`make docs\` from src/words/; a test fails when it is stale. -->

Every refused request and every label that did not print has one of these codes, a message that says what went wrong, and the hint below.

- In programs, branch on the code. Codes stay the same between versions; messages and hints may change.
- Once labels are accepted the answer is 200 or 202 whatever happens to them; the code is in the job.

| code | status | what happened | what to do |
|---|---|---|---|
${rows.join('\n')}
`
}

const LABEL_ROW =
  '| `label` | base64, repeatable | required | a ZPL, EPL, TSPL, PNG, JPEG or GIF label, or a PDF, TIFF, PWG or URF, in which each page is a label. `label[]`, `label[0]` and `labels` mean the same. Pictures have at most 40 million pixels, some formats fewer ([printers.md](printers.md)) |'

/** The table of fields in docs/api.md. */
export function writeFieldsTable(): string {
  const rows = FIELD_NAMES.map((name) => {
    const field: RequestField = FIELDS[name]
    return `| \`${name}\` | ${describeWanted(field)} | ${field.default} | ${field.about} |`
  })
  return `| field | value | default | meaning |\n|---|---|---|---|\n${[LABEL_ROW, ...rows].join('\n')}\n`
}

const described = await new Plugins(plugins, console.error).describe()

/** Bounds that plugins bring. */
export const PLUGIN_BOUNDS: BoundTable = Object.assign({}, ...described.map(({ bounds }) => bounds))

const BOUNDS_TABLE = /(<!-- bounds: .* -->\n)[\s\S]*?(<!-- end of bounds -->)/

const FIELDS_TABLE = /(<!-- fields: .* -->\n)[\s\S]*?(<!-- end of fields -->)/

/** The text of docs/api.md with the tables of fields and of bounds as they are in the code. */
export function describeApi(text: string): string {
  return text
    .replace(FIELDS_TABLE, (_, begin: string, end: string) => begin + writeFieldsTable() + end)
    .replace(
      BOUNDS_TABLE,
      (_, begin: string, end: string) => begin + writeBoundsTable(PLUGIN_BOUNDS) + end,
    )
}

const NAMES_TABLE = /(<!-- names: .* -->\n)[\s\S]*?(<!-- end of names -->)/

/** The text of docs/shipping.md with the table of names as it is in the code. */
export function describeShipping(text: string): string {
  return text.replace(NAMES_TABLE, (_, begin: string, end: string) => begin + writeNames() + end)
}

/** The columns of the table. */
const TAKERS = [
  { name: 'local', takes: LOCAL_TAKES },
  ...(await Promise.all(CARRIERS.map(({ load }) => load()))),
]

function writeNames(): string {
  const tables = [
    ['', PARAMS],
    ['packages[].', PACKAGE_PARAMS],
    ['customs[].', CUSTOMS_PARAMS],
    ['print.', PRINT_PARAMS],
    ['print.documents.', PAPER_PARAMS],
  ] as const
  const rows = tables.flatMap(([path, table]) =>
    Object.entries(table).map(([name, field]) => writeName(path, name, field)),
  )
  const carriers = TAKERS.map(({ name }) => name.replace('-REST', ''))
  const head = ['name', 'meaning', ...carriers]
  return [toRow(head), `|${'---|'.repeat(head.length)}`, ...rows, ''].join('\n')
}

function writeName(path: string, name: string, field: ParamField): string {
  const others = (field.aliases ?? []).map((one) => `\`${one}\``).join(', ')
  const values = field.choices === undefined ? '' : `; ${field.choices.join(', ')}`
  const also = others === '' ? '' : `; also ${others}`
  const uses = TAKERS.map(({ takes }) => USES[useOf(name, field, takes)])
  return toRow([`\`${path}${name}\``, `${field.about}${values}${also}`, ...uses])
}

const USES = { used: 'yes', refused: '**no**', noted: 'note', unused: '-' } as const

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** The text of docs/config.md: every key, from its schema. */
export function describeConfig(): string {
  const { fields } = settingsSchema
  const lists = fields.filter((field) => field.fields !== undefined)
  return [
    CONFIG_HEAD,
    table(fields),
    ...lists.map(({ key, fields: inner }) => `## Entries of \`${key}\`\n\n${table(inner ?? [])}`),
    `## Device URIs\n\n${describeDevices()}`,
    CONFIG_FOOT,
  ].join('\n\n')
}

const CONFIG_HEAD = `# Configuration

<!-- Written by \`make docs\` from src/settings/ and the settings.ts of plugins; a test fails when it is stale. -->

Change the settings on the page (*Settings*), or edit \`config.json\`. \`platen --check-config\` checks the file without starting the server.

- **Where**: \`--config FILE\`, else \`$PLATEN_CONFIG\`, else \`./config.json\` if it exists, else the platform's configuration folder. A missing
  file is written with the defaults, mode 0600.
- **Errors**: invalid JSON or an invalid value stops the start with exit code 78 and a message for each error. An unknown key causes a warning
  and is kept.
- **Saving** writes a temporary file and renames it: a power cut leaves the old file or the new one.
- \`null\` counts as left out, and so does a blank string if the key has no default.
- Strings and keys must not contain control characters (line ends, tabs), except line ends in a certificate. The file may have at most 1 MB.

## Keys`

const CONFIG_FOOT = `## Example

\`\`\`json
{
  "host": "",
  "port": "8080",
  "printer": "Bench 1",
  "printers": [
    { "name": "Bench 1", "uri": "socket://192.168.1.50:9100", "language": "zpl", "dpi": 203 },
    { "name": "Bench 2", "uri": "socket://192.168.1.51:9100", "language": "epl", "rotate": 180 }
  ]
}
\`\`\`
`

function table(fields: readonly FieldDescription[]): string {
  const rows = fields.map((field) => {
    const cells = [`\`${field.key}\``, describeType(field), describeDefault(field), meaning(field)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| key | type | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function describeType({ type, choices, only }: FieldDescription): string {
  const words = {
    text: 'string',
    number: 'number',
    boolean: '`true` or `false`',
    choice: (choices ?? []).map((choice) => `\`${JSON.stringify(choice)}\``).join(', '),
    texts: 'list of strings',
    list: 'list, see below',
    json: 'any JSON',
  }[type]
  return only === undefined ? words : `${words} (${only.join(', ')})`
}

function describeDefault(field: FieldDescription): string {
  if (field.required) return 'required'
  return 'default' in field ? `\`${JSON.stringify(field.default)}\`` : ''
}

function meaning({ description, restart, secret }: FieldDescription): string {
  const marks = [...(restart ? ['Takes effect at the next start.'] : [])]
  if (secret) marks.push('Secret: never logged, never shown.')
  return [description, ...marks].join(' ')
}

function describeDevices(): string {
  const devices = createDevices({ stateFolder: '' })
  return devices.map(({ example, about }) => `- \`${example}\`: ${about}`).join('\n')
}

if (import.meta.main) {
  const folder = new URL('../docs/', import.meta.url)
  writeFileSync(new URL('config.md', folder), describeConfig())
  writeFileSync(new URL('errors.md', folder), describeErrors())
  const api = new URL('api.md', folder)
  writeFileSync(api, describeApi(readFileSync(api, 'utf8')))
  const shipping = new URL('shipping.md', folder)
  writeFileSync(shipping, describeShipping(readFileSync(shipping, 'utf8')))
}
