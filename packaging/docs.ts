import { readFileSync, writeFileSync } from 'node:fs'
import { CARRIER_NAMES, CUSTOMS_PARAMS, PACKAGE_PARAMS, type ParamField, useOf } from '#carriers'
import { describeWanted } from '../src/core/request/field-values.ts'
import { FIELD_NAMES, FIELDS, type Field } from '../src/core/request/fields.ts'
import { writeBoundsTable } from '../src/http/bounds.ts'
import { PAPER_PARAMS, PARAMS, PRINT_PARAMS } from '../src/plugins/shipping/call-fields.ts'
import { createDevices } from '../src/printers/index.ts'
import { describeSchema, type FieldDescription } from '../src/settings/describe.ts'
import { EXIT_CODES } from '../src/system/process.ts'
import { FAILURES, type FailureCode } from '../src/words/errors.ts'

// Writes docs/config.md, docs/errors.md the fields and bounds in docs/api.md and the names in docs/shipping.md from the code; `make docs` runs it, a test compares.

/** What each failure means, in words for users. */
export const MEANINGS: Readonly<Record<FailureCode, string>> = {
  LABEL_MISSING: 'The request contains no label.',
  LABEL_EMPTY: 'A label in the request is empty.',
  LABEL_BASE64:
    'A label is not valid base64; the message gives the number of the label and the position.',
  LABEL_UNKNOWN: 'The bytes of a label are not in any format that can be printed.',
  LABEL_REFUSED:
    'The label is in a format that is recognized but cannot be printed, e.g. CPCL or a web page.',
  PICTURE_BROKEN: 'The picture file cannot be read.',
  PICTURE_UNSUPPORTED: 'The picture uses a variant of its format that is not supported.',
  PICTURE_TOO_LARGE: 'The picture has more pixels than the print server accepts.',
  PICTURE_TIMEOUT: 'Drawing the picture took longer than its time limit.',
  PICTURE_MEMORY: 'Drawing the picture took more memory than its limit.',
  LABEL_COMMAND:
    'The label contains a command that changes the printer itself, and the settings refuse those.',
  LABEL_CRASHED:
    'The print server stopped unexpectedly twice while it was reading this message from a queue.',
  LABEL_CUT:
    'The label ends inside a picture, font, form or file. It is held and can only be canceled.',
  LABEL_MISDIRECTED: 'The broker sent a label to a queue that prints a different topic.',
  FIELD_INVALID: 'A field has an invalid value; the message names it.',
  PACKLIST_INVALID: 'The order data of a pack list is invalid; the message names the key.',
  REDIRECT_INVALID: '`redirect_url` is not a web address.',
  IDEMPOTENCY_CONFLICT: 'The idempotency key was used before with another label or other options.',
  BODY_TYPE: 'The content type of the body is not supported.',
  BODY_BROKEN: 'The body does not match its content type.',
  BODY_TOO_LARGE: 'The request is larger than the print server accepts.',
  BODY_TIMEOUT: 'The body of the request did not arrive in time.',
  HEADERS_TOO_LARGE: 'The headers are larger than the print server accepts.',
  SERVER_BUSY: 'More requests are arriving at the same time than the print server has memory for.',
  TOO_MANY_FIELDS: 'The request has more labels or fields than the print server accepts at once.',
  PRINTER_UNKNOWN: 'No printer has this name; the message lists the known ones.',
  PRINTER_AMBIGUOUS: 'The label names no printer, there are several, and none is the default.',
  PRINTER_NONE: 'No printer is known yet.',
  PRINTER_BUSY: 'The printer is printing another label.',
  PRINTER_OFFLINE: 'The printer cannot be reached; nothing was sent.',
  PRINTER_STOPPED: 'The printer accepts no labels until somebody attends to it.',
  PRINTER_LOST:
    'The connection broke in the middle of a label, which may or may not have come out.',
  PRINTER_LANGUAGE: 'A picture cannot be drawn because the language of the printer is unknown.',
  PRINTER_IN_USE: 'Labels wait for this printer, so it cannot be removed or renamed.',
  JOB_UNKNOWN: 'There is no label with this ID, or it was removed.',
  JOB_STATE: 'The label is in a state in which this is not possible.',
  JOB_CANCELED: 'Somebody canceled the label before it was printed.',
  JOB_EXPIRED: 'The label did not print within its time limit and was canceled.',
  JOB_DUPLICATE:
    'The same label was printed on this printer a moment ago, so this one is held for a person.',
  JOB_LABEL_GONE: 'The data of this old label is no longer kept.',
  PREVIEW_NONE: 'There is no picture of this label.',
  SPOOL_FULL: 'There is no room for more labels.',
  SPOOL_BROKEN: 'Labels cannot be stored at the moment.',
  SPOOL_NEWER: 'The stored labels were written by a newer version of the print server.',
  SPOOL_TAKEN: 'Another print server uses the same state folder.',
  SOURCE_UNREACHABLE: 'A queue server or the receiver of the heartbeat does not answer.',
  SOURCE_REFUSED: 'A queue server or the receiver of the heartbeat gives an unexpected answer.',
  HOST_REFUSED: 'The request addresses the print server by a name that is not its own.',
  ORIGIN_REFUSED: 'The request comes from a page of another site, which may not do this.',
  LOGIN_NEEDED: 'This requires the user name and password of the print server.',
  LOGIN_WRONG: 'The user name or password is wrong.',
  LOGIN_LIMIT: 'Too many logins failed in a short time.',
  LOCAL_ONLY:
    'Until a password is set, this works only on the computer that runs the print server.',
  BACKUP_BROKEN: 'The file is not a backup of a print server, or it is damaged.',
  KEY_UNKNOWN: 'No API key of the shipping API has this name.',
  KEY_WRONG: "A call to the shipping API or to PrintNode's has no API key or an unknown one.",
  KEY_LIMIT: 'Too many calls with a wrong key came from one address.',
  KEY_SCOPE: 'The API key is known but does not permit this call.',
  JSON_INVALID:
    'The body of a call to the shipping API is not JSON; clients of that API expect status 500.',
  PEER_UNKNOWN: 'The two print servers are not paired, or one of them was removed on the other.',
  PEER_CODE: 'The pairing code is wrong or expired, or one of the print servers has no HTTPS.',
  PEER_UNREACHABLE: 'The other print server does not answer.',
  PEER_UNSURE:
    'It is unknown whether a label that was handed over has reached the other print server.',
  UPDATE_NONE: 'This installation cannot update itself.',
  CONFIG_INVALID: 'The settings have errors and were not saved; the message names each key.',
  ROUTE_UNKNOWN: 'There is nothing at this address.',
  METHOD_REFUSED: 'This address does not support this method.',
  INTERNAL: 'An error in the program.',
  PROGRAM_BROKEN: 'A file of the program is missing or damaged.',
  CONFIG_BROKEN: 'The configuration file has errors; the message names each line or key.',
  STATE_UNWRITABLE: 'A folder or file of the print server cannot be written.',
  PORT_TAKEN: 'The server cannot listen on this port or host; the message says which and why.',
}

/** The text of docs/errors.md. */
export function describeErrors(): string {
  const rows = Object.entries(FAILURES).map(([code, { status, hint }]) => {
    const exit = EXIT_CODES[code]
    const number = exit === undefined ? String(status) : `exit code ${exit}`
    return `| \`${code}\` | ${number} | ${MEANINGS[code as FailureCode]} | ${hint} |`
  })
  return `# Errors

<!-- Written by \`make docs\` from src/words/errors.ts; a test fails when it is stale. -->

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
    const field: Field = FIELDS[name]
    return `| \`${name}\` | ${describeWanted(field)} | ${field.default} | ${field.about} |`
  })
  return `| field | value | default | meaning |\n|---|---|---|---|\n${[LABEL_ROW, ...rows].join('\n')}\n`
}

const BOUNDS_TABLE = /(<!-- bounds: .* -->\n)[\s\S]*?(<!-- end of bounds -->)/

const FIELDS_TABLE = /(<!-- fields: .* -->\n)[\s\S]*?(<!-- end of fields -->)/

/** The text of docs/api.md with the tables of fields and of bounds as they are in the code. */
export function describeApi(text: string): string {
  return text
    .replace(FIELDS_TABLE, (_, begin: string, end: string) => begin + writeFieldsTable() + end)
    .replace(BOUNDS_TABLE, (_, begin: string, end: string) => begin + writeBoundsTable() + end)
}

const NAMES_TABLE = /(<!-- names: .* -->\n)[\s\S]*?(<!-- end of names -->)/

/** The text of docs/shipping.md with the table of names as it is in the code. */
export function describeShipping(text: string): string {
  return text.replace(NAMES_TABLE, (_, begin: string, end: string) => begin + writeNames() + end)
}

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
  const carriers = CARRIER_NAMES.map((name) => name.replace('-REST', ''))
  const head = ['name', 'meaning', ...carriers]
  return [toRow(head), `|${'---|'.repeat(head.length)}`, ...rows, ''].join('\n')
}

function writeName(path: string, name: string, field: ParamField): string {
  const others = (field.aliases ?? []).map((one) => `\`${one}\``).join(', ')
  const values = field.choices === undefined ? '' : `; ${field.choices.join(', ')}`
  const also = others === '' ? '' : `; also ${others}`
  const uses = CARRIER_NAMES.map((carrier) => USES[useOf(field, carrier)])
  return toRow([`\`${path}${name}\``, `${field.about}${values}${also}`, ...uses])
}

const USES = { used: 'yes', refused: '**no**', noted: 'note', unused: '-' } as const

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** The text of docs/config.md: every key, from the schema. */
export function describeConfig(): string {
  const fields = describeSchema()
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

<!-- Written by \`make docs\` from src/settings/; a test fails when it is stale. -->

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
  const folder = new URL('./docs/', import.meta.url)
  writeFileSync(new URL('config.md', folder), describeConfig())
  writeFileSync(new URL('errors.md', folder), describeErrors())
  const api = new URL('api.md', folder)
  writeFileSync(api, describeApi(readFileSync(api, 'utf8')))
  const shipping = new URL('shipping.md', folder)
  writeFileSync(shipping, describeShipping(readFileSync(shipping, 'utf8')))
}
