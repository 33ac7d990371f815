/** Every failure a user can meet: code -> HTTP status and what to do about it. `docs/errors.md` is made from it. */
export const FAILURES = {
  // A label or a request that cannot be taken.
  LABEL_MISSING: {
    status: 400,
    hint: 'Send at least one label in the field "label" or "label[]".',
  },
  LABEL_EMPTY: { status: 400, hint: 'Send the whole label file.' },
  LABEL_BASE64: {
    status: 400,
    hint: 'Encode the label file as base64, and escape + / = when you send it as a form.',
  },
  LABEL_UNKNOWN: {
    status: 415,
    hint: 'Send a label in the language of a label printer, or as a picture.',
  },
  LABEL_REFUSED: {
    status: 415,
    hint: 'Ask the shop or carrier for one of the formats that the message names.',
  },
  PICTURE_BROKEN: { status: 422, hint: 'The picture file is damaged: fetch the label again.' },
  PICTURE_UNSUPPORTED: {
    status: 422,
    hint: 'Save the picture as an ordinary PNG, or ask for the label as ZPL.',
  },
  PICTURE_TOO_LARGE: {
    status: 413,
    hint: 'Ask for the label at the size of your labels and the resolution of your printer, or as ZPL.',
  },
  PICTURE_TIMEOUT: {
    status: 422,
    hint: 'Send a smaller picture (the size of your labels at the resolution of your printer is enough), or ask for the label as ZPL.',
  },
  PICTURE_MEMORY: {
    status: 422,
    hint: 'Ask for the label at the size of your labels and the resolution of your printer, or as ZPL.',
  },
  LABEL_COMMAND: {
    status: 422,
    hint: 'Ask for a label without such commands, or let them print: Settings, Printer commands.',
  },
  LABEL_CRASHED: {
    status: 422,
    hint: 'Ask the sender for this label as ZPL or PNG, and please report the message as an error of the print server.',
  },
  LABEL_CUT: {
    status: 422,
    hint: 'Cancel this one, and print the label again from the shop. If it happens again, tell the sender of the label.',
  },
  LABEL_MISDIRECTED: {
    status: 409,
    hint: 'If you did not just change the topic of this queue, somebody else uses its client ID: give each queue and each print server its own.',
  },
  FIELD_INVALID: { status: 400, hint: 'Correct the field and send the request again.' },
  PACKLIST_INVALID: { status: 400, hint: 'Correct the order data and send it again.' },
  REDIRECT_INVALID: {
    status: 400,
    hint: 'redirect_url must be an absolute http:// or https:// address.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    hint: 'Use a new idempotency key for a different label; the first label is not affected.',
  },
  BODY_TYPE: {
    status: 415,
    hint: 'Send application/x-www-form-urlencoded, multipart/form-data, application/json, or the label itself as application/octet-stream.',
  },
  BODY_BROKEN: { status: 400, hint: 'Correct the request body and send it again.' },
  BODY_TOO_LARGE: {
    status: 413,
    hint: 'Send fewer or smaller labels at once, or raise Largest request in the settings.',
  },
  BODY_TIMEOUT: { status: 408, hint: 'The sender was too slow: check its network and send again.' },
  HEADERS_TOO_LARGE: { status: 431, hint: 'Send fewer or shorter headers and cookies.' },
  SERVER_BUSY: {
    status: 503,
    hint: 'Too many requests arrived at once: send the label again in a moment.',
  },
  TOO_MANY_FIELDS: { status: 413, hint: 'Send fewer labels or fields in one request.' },
  // Where it should print.
  PRINTER_UNKNOWN: { status: 404, hint: 'Use one of the printer names that the page shows.' },
  PRINTER_AMBIGUOUS: {
    status: 400,
    hint: 'Name the printer with the label, or choose a default printer.',
  },
  PRINTER_NONE: { status: 503, hint: 'Connect a printer, or add one.' },
  PRINTER_BUSY: { status: 503, hint: 'Wait for the current label, or choose another printer.' },
  PRINTER_OFFLINE: {
    status: 503,
    hint: 'Switch the printer on and check its cable; the label then prints automatically.',
  },
  PRINTER_STOPPED: {
    status: 503,
    hint: 'Check labels, ribbon, cover and the pause button; the label then prints automatically.',
  },
  PRINTER_LOST: {
    status: 503,
    hint: 'Look at the printer, then press "It came out" or "Print again".',
  },
  PRINTER_LANGUAGE: {
    status: 409,
    hint: 'Set the language of this printer in the settings.',
  },
  PRINTER_IN_USE: {
    status: 409,
    hint: 'Let its labels print, cancel them, or move them to another printer; then try again.',
  },
  // Jobs and the spool.
  JOB_UNKNOWN: {
    status: 404,
    hint: 'Look at the list of jobs; old ones are removed after a while.',
  },
  JOB_STATE: { status: 409, hint: 'Reload the page to see what became of the label.' },
  JOB_CANCELED: { status: 409, hint: 'Send the label again if it is still wanted.' },
  JOB_EXPIRED: { status: 409, hint: 'Send the label again if it is still wanted.' },
  JOB_DUPLICATE: { status: 409, hint: 'Release it to print anyway, or cancel it.' },
  JOB_LABEL_GONE: { status: 410, hint: 'The label is no longer kept: send it again.' },
  PREVIEW_NONE: { status: 404, hint: 'Only labels that were pictures have a preview.' },
  SPOOL_FULL: {
    status: 507,
    hint: 'Let waiting labels print, or cancel some; then send the label again.',
  },
  SPOOL_BROKEN: {
    status: 503,
    hint: 'Check the disk of the print server; labels already accepted are kept.',
  },
  // Queues and heartbeat replies.
  SOURCE_UNREACHABLE: {
    status: 503,
    hint: 'Check the address, the network and that the other side is running; the print server tries again automatically.',
  },
  SOURCE_REFUSED: {
    status: 502,
    hint: 'Compare the settings of this source with those of the other side.',
  },
  // Who may do what.
  HOST_REFUSED: {
    status: 403,
    hint: 'Use a name or address of the print server itself, or add this name in the settings, Allowed host names.',
  },
  ORIGIN_REFUSED: {
    status: 403,
    hint: "Use the print server's own page, or add the site in the settings, Allowed sites.",
  },
  LOGIN_NEEDED: {
    status: 401,
    hint: 'Log in with the user name and password of the print server.',
  },
  LOGIN_WRONG: { status: 401, hint: 'Check the user name and password, then try again.' },
  LOGIN_LIMIT: { status: 429, hint: 'Too many wrong passwords: wait a minute, then try again.' },
  LOCAL_ONLY: {
    status: 403,
    hint: 'Do this on the print server itself, or set a user name and a password in its settings first.',
  },
  CONFIG_INVALID: { status: 400, hint: 'Correct these settings and save again.' },
  BACKUP_BROKEN: {
    status: 400,
    hint: 'Choose the unchanged file as you downloaded it, or an older one. Nothing was changed.',
  },
  KEY_UNKNOWN: { status: 404, hint: 'To see the keys: platen key list.' },
  KEY_WRONG: { status: 401, hint: 'Send a key from platen key add in the header x-api-key.' },
  KEY_LIMIT: { status: 429, hint: 'Check the key in the calling program.' },
  KEY_SCOPE: { status: 403, hint: 'Make another key with platen key add.' },
  JSON_INVALID: { status: 500, hint: 'Correct the JSON and send it again.' },
  // Other print servers.
  PEER_UNKNOWN: { status: 403, hint: 'Pair the two print servers again: Settings, Print servers.' },
  PEER_CODE: {
    status: 403,
    hint: 'Press "Show a code" on the other print server, and type that code within two minutes.',
  },
  PEER_UNREACHABLE: {
    status: 503,
    hint: 'Check that the other print server is on and connected.',
  },
  PEER_UNSURE: {
    status: 409,
    hint: 'Check whether the label is on the other print server. Then cancel this one, or print it here.',
  },
  UPDATE_NONE: {
    status: 409,
    hint: 'Update it as docs/operate.md describes for this kind of installation.',
  },
  ROUTE_UNKNOWN: {
    status: 404,
    hint: 'All addresses are described at /web/api.html, for programs at /openapi.json; help is at /web/help.html.',
  },
  METHOD_REFUSED: {
    status: 405,
    hint: 'All calls are described at /web/api.html, for programs at /openapi.json.',
  },
  INTERNAL: {
    status: 500,
    hint: 'This is an error in the print server: please look at its log and report it.',
  },
  PROGRAM_BROKEN: {
    status: 500,
    hint: 'Restart the print server; if this happens again, reinstall it. Its log names the file.',
  },
  // Failures that stop the program at its start (no HTTP answer; the exit code is in docs/errors.md).
  CONFIG_BROKEN: { status: 500, hint: 'Correct config.json and start again.' },
  STATE_UNWRITABLE: {
    status: 500,
    hint: 'Give the user of the print server write access to this folder, or choose another one.',
  },
  SPOOL_NEWER: {
    status: 500,
    hint: 'Start the newer version again, or move the spool folder away to start with an empty one.',
  },
  SPOOL_TAKEN: {
    status: 500,
    hint: 'Stop the other print server, or give this one its own state folder.',
  },
  PORT_TAKEN: {
    status: 500,
    hint: 'Stop the other program, or set another port in config.json.',
  },
} as const satisfies Record<string, { status: number; hint: string }>

/** A failure code; programs branch on it, people read the message and the hint. */
export type FailureCode = keyof typeof FAILURES

/** The only error that is thrown on purpose: a code for programs, a message for logs, a hint for people. */
export class PlatenError extends Error {
  override readonly name = 'PlatenError'
  readonly code: FailureCode
  /** Bytes that the printer surely took before the failure (PRINTER_LOST). */
  readonly accepted: number | undefined
  /** What to do in this very case, when the hint of the code would send people the wrong way. */
  readonly ownHint: string | undefined
  /** What was seen and wanted in technical words, where the message is for packers; '' = the message says it. */
  readonly detail: string

  constructor(
    code: FailureCode,
    message: string,
    more: {
      readonly cause?: unknown
      readonly accepted?: number
      readonly hint?: string
      readonly detail?: string
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.accepted = more.accepted
    this.ownHint = more.hint
    this.detail = more.detail ?? ''
  }

  /** The HTTP status of a refusal with this code. */
  get status(): (typeof FAILURES)[FailureCode]['status'] {
    return FAILURES[this.code].status
  }

  /** Message and detail, for logs and programs. */
  get whole(): string {
    return this.detail === '' ? this.message : `${this.message} ${this.detail}`
  }

  /** What a person can do about it, in one sentence. */
  get hint(): string {
    return this.ownHint ?? FAILURES[this.code].hint
  }
}

const UNESCAPED = /[\p{Cc}\p{Zl}\p{Zp}]/gu // controls that JSON leaves as they are: DEL, C1, line separators
const LONGEST = 80 // characters of a foreign text that a message repeats
const SHORT = 40

/** A text from outside, in quotes, shortened, without control characters: safe in a message and in a log. */
export function quote(text: string): string {
  return inQuotes(shorten(text, LONGEST))
}

/** The same for a value of a request, of which a message shows less. */
export function quoteShort(text: string): string {
  return inQuotes(shorten(text, SHORT))
}

/** Why a field of a request is refused: what was sent, and what was wanted instead. */
export function refuseField(name: string, got: string, wanted: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `${name}: got ${quoteShort(got)}, wanted ${wanted}.`)
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function inQuotes(text: string): string {
  return JSON.stringify(text).replace(UNESCAPED, (sign) => `\\u${hex(sign)}`)
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0')
}
