// Writes docs/config.md, docs/errors.md and the fields and bounds in docs/api.md from the code; `make docs` runs it, a test compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { describeConfig } from './src/config/docs.ts'
import { FAILURES, type FailureCode } from './src/errors.ts'
import { writeBoundsTable } from './src/http/bounds.ts'
import { describeWanted } from './src/request/field-values.ts'
import { FIELD_NAMES, FIELDS, type Field } from './src/request/fields.ts'
import { EXIT_CODES } from './src/system/process.ts'

/** What each failure means, in words for users. */
export const MEANINGS: Readonly<Record<FailureCode, string>> = {
  LABEL_MISSING: 'The request holds no label.',
  LABEL_EMPTY: 'A label of the request has no bytes.',
  LABEL_BASE64: 'A label is not clean base64; the message names its number and the place.',
  LABEL_UNKNOWN: 'The bytes of a label are none of the formats that can be printed.',
  LABEL_REFUSED:
    'The label is of a kind that is recognized but cannot be printed, e.g. CPCL or a web page.',
  PICTURE_BROKEN: 'The picture file cannot be read.',
  PICTURE_UNSUPPORTED: 'The picture uses a variant of its format that is not read.',
  PICTURE_TOO_LARGE: 'The picture has more dots than the print server draws.',
  PICTURE_TIMEOUT: 'Drawing the picture took longer than its time limit.',
  PICTURE_MEMORY: 'Drawing the picture took more memory than its limit.',
  LABEL_COMMAND:
    'The label holds a command that changes the printer itself, which the settings refuse.',
  LABEL_CRASHED: 'A message of a queue that was being read when the print server ended, twice.',
  LABEL_CUT:
    'The label ends inside a picture, font, form or file; it is held, and can only be canceled.',
  LABEL_MISDIRECTED: 'A label that the broker sent to a queue which prints another topic.',
  FIELD_INVALID: 'A field of the request has a value that cannot be used; the message names it.',
  PACKLIST_INVALID: 'The order data of a pack list cannot be used; the message names the key.',
  REDIRECT_INVALID: 'The address to go on to is no web address.',
  IDEMPOTENCY_CONFLICT: 'The key was used before with another label or other options.',
  BODY_TYPE: 'The request says that its body is of a type that is not read.',
  BODY_BROKEN: 'The body of the request is not what its type says.',
  BODY_TOO_LARGE: 'The request is larger than the print server takes.',
  BODY_TIMEOUT: 'The body of the request did not arrive in time.',
  HEADERS_TOO_LARGE: 'The header lines of the request are larger than the print server takes.',
  SERVER_BUSY: 'More requests are being read at once than the print server has memory for.',
  TOO_MANY_FIELDS: 'The request has more labels or fields than the print server takes at once.',
  PRINTER_UNKNOWN: 'No printer has this name; the message lists those there are.',
  PRINTER_AMBIGUOUS: 'The label names no printer, there are several, and none is the default.',
  PRINTER_NONE: 'No printer is known yet.',
  PRINTER_BUSY: 'The printer is printing another label.',
  PRINTER_OFFLINE: 'The printer cannot be reached; nothing was sent.',
  PRINTER_STOPPED: 'The printer takes no labels until somebody has looked after it.',
  PRINTER_LOST: 'The connection broke in the middle of a label: it may have come out or not.',
  PRINTER_LANGUAGE: 'A picture cannot be drawn, as the language of the printer is not known.',
  PRINTER_IN_USE: 'Labels wait for this printer, so it cannot be removed or renamed.',
  JOB_UNKNOWN: 'There is no label of this number, or none any more.',
  JOB_STATE: 'This cannot be done with a label in its present state.',
  JOB_CANCELED: 'Somebody canceled the label before it was printed.',
  JOB_EXPIRED: 'The label could not print in the time that was set for it, and was canceled.',
  JOB_DUPLICATE:
    'The same label was printed on this printer a moment ago, so it waits for a person.',
  JOB_LABEL_GONE: 'The bytes of this old label are no longer kept.',
  PREVIEW_NONE: 'There is no picture of this label.',
  SPOOL_FULL: 'There is no room for more labels.',
  SPOOL_BROKEN: 'Labels cannot be stored at the moment.',
  SPOOL_NEWER: 'The stored labels were written by a newer version of the print server.',
  SPOOL_TAKEN: 'Another print server uses the same state folder.',
  SOURCE_UNREACHABLE: 'A queue server or the receiver of the heartbeat does not answer.',
  SOURCE_REFUSED: 'A queue server or the receiver of the heartbeat answers, but not as it should.',
  HOST_REFUSED: 'The request calls the box by a name that is not its own.',
  ORIGIN_REFUSED: 'The request comes from a page of another site that may not do this.',
  LOGIN_NEEDED: 'This needs the user name and password of the box.',
  LOGIN_WRONG: 'User name or password are wrong.',
  LOGIN_LIMIT: 'Too many logins failed in a short time.',
  LOCAL_ONLY: 'Without a password this works on the computer of the print server only.',
  BACKUP_BROKEN: 'The file is no backup of a print server, or it is damaged.',
  KEY_UNKNOWN: 'No API key of the shipping API has this name.',
  KEY_WRONG:
    "A call of the shipping API or of PrintNode's has no API key, or one that is not known.",
  KEY_LIMIT: 'Many calls of the shipping API came with a wrong key from one address.',
  KEY_SCOPE: 'The API key is known, but not for this.',
  JSON_INVALID:
    'The body of a call of the shipping API is not JSON; 500 is what clients of that API expect.',
  PEER_UNKNOWN: 'Two print servers are not paired, or one was removed at the other.',
  PEER_CODE: 'The code for pairing two print servers is wrong or over, or one has no HTTPS.',
  PEER_UNREACHABLE: 'Another print server does not answer.',
  PEER_UNSURE: 'Nobody can say whether a label that was handed over is on the other print server.',
  UPDATE_NONE: 'This installation cannot update itself.',
  CONFIG_INVALID: 'The settings have faults and were not saved; the message names each key.',
  ROUTE_UNKNOWN: 'There is nothing at this address.',
  METHOD_REFUSED: 'This address does not take this method.',
  INTERNAL: 'A fault of the program.',
  PROGRAM_BROKEN: 'A file of the program is missing or damaged.',
  CONFIG_BROKEN: 'The configuration file has faults; the message names each line or key.',
  STATE_UNWRITABLE: 'A folder or file of the print server cannot be written.',
  PORT_TAKEN: 'The port or the host cannot be had; the message says which and why.',
}

/** The text of docs/errors.md. */
export function describeErrors(): string {
  const rows = Object.entries(FAILURES).map(([code, { status, hint }]) => {
    const exit = EXIT_CODES[code]
    const number = exit === undefined ? String(status) : `exit code ${exit}`
    return `| \`${code}\` | ${number} | ${MEANINGS[code as FailureCode]} | ${hint} |`
  })
  return `# Errors

<!-- Written by \`make docs\` from src/errors.ts; a test fails when it is stale. -->

Every refusal and every label that did not print carries one of these codes, a sentence that names what was seen and wanted, and the hint below.
Programs branch on the code. Codes stay the same between versions; sentences and hints may get better. Once labels are accepted the answer is
200 or 202 whatever becomes of them, and the code stands in the job.

| code | status | what happened | what to do |
|---|---|---|---|
${rows.join('\n')}
`
}

const LABEL_ROW =
  '| `label` | base64, repeatable | needed | one ZPL, EPL, TSPL, PNG, JPEG or GIF label each, or a PDF, TIFF, PWG or URF, each of whose pages is one; also under the names `label[]`, `label[0]` and `labels`; pictures of at most 40 million pixels, some kinds fewer ([printers.md](printers.md)) |'

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

if (import.meta.main) {
  const folder = new URL('./docs/', import.meta.url)
  writeFileSync(new URL('config.md', folder), describeConfig())
  writeFileSync(new URL('errors.md', folder), describeErrors())
  const api = new URL('api.md', folder)
  writeFileSync(api, describeApi(readFileSync(api, 'utf8')))
}
