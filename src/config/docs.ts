import { createDevices } from '../printers/index.ts'
import { describeSchema, type FieldDescription } from './describe.ts'

/** The text of docs/config.md: every key, from the schema. */
export function describeConfig(): string {
  const fields = describeSchema()
  const lists = fields.filter((field) => field.fields !== undefined)
  return [
    HEAD,
    table(fields),
    ...lists.map(({ key, fields: inner }) => `## Entries of \`${key}\`\n\n${table(inner ?? [])}`),
    `## Device URIs\n\n${describeDevices()}`,
    FOOT,
  ].join('\n\n')
}

const HEAD = `# Configuration

<!-- Written by \`make docs\` from src/config/; a test fails when it is stale. -->

The file is \`config.json\`: \`--config FILE\`, else \`$PLATEN_CONFIG\`, else \`./config.json\` if there, else the platform's
configuration folder. It is written with the defaults, mode 0600, when it is missing, and by the settings page (a temporary file, then a
rename: power cuts leave the old file or the new one). A file that is not valid JSON, or a bad value, stops the start with exit code 78 and
a sentence for each fault; \`platen --check-config\` looks without starting. An unknown key is a warning and is kept.

\`null\` counts as left out, and so does a blank text where the key has no default. No text and no key may hold a control character (a line
end, a tabulator), except for line ends in the text of a certificate. The file has at most 1 MB.

## Keys`

const FOOT = `## Example

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
    text: 'text',
    number: 'number',
    boolean: '`true` or `false`',
    choice: (choices ?? []).map((choice) => `\`${JSON.stringify(choice)}\``).join(', '),
    texts: 'list of texts',
    list: 'list, see below',
    json: 'any JSON',
  }[type]
  return only === undefined ? words : `${words} (${only.join(', ')})`
}

function describeDefault(field: FieldDescription): string {
  if (field.required) return 'needed'
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
