import { parseArgs } from 'node:util'

/** The command line. */
export interface Flags {
  /** File of `--config`; undefined = where it usually lies. */
  readonly config: string | undefined
  readonly demo: boolean
  /** The page is not opened, whatever the settings say. */
  readonly noBrowser: boolean
  readonly checkConfig: boolean
  readonly version: boolean
  readonly help: boolean
  /** Subcommand to run instead of serving. */
  readonly command?: Subcommand
}

/** A word before the flags. */
export type Subcommand =
  | { readonly name: 'update'; readonly args: readonly string[] }
  | {
      readonly name: 'print'
      readonly files: readonly string[]
      readonly printer: string | undefined
      /** Idempotency key; undefined = a new one. */
      readonly key: string | undefined
    }
  | {
      readonly name: 'key'
      readonly verb: 'add' | 'list' | 'revoke'
      /** '' with `list`. */
      readonly keyName: string
      /** '' = the usual ones. */
      readonly scopes: string
    }
  | { readonly name: 'ship' }
  | { readonly name: 'stop' }
  | { readonly name: 'service'; readonly verb: ServiceVerb }

/** Action on the service that starts the server automatically. */
export type ServiceVerb = (typeof SERVICE_VERBS)[number]

const SERVICE_VERBS = ['install', 'remove', 'status', 'run'] as const // run: what Windows starts

const OPTIONS = {
  config: { type: 'string' },
  demo: { type: 'boolean' },
  'no-browser': { type: 'boolean' },
  'check-config': { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

const PRINT_OPTIONS = {
  config: OPTIONS.config,
  printer: { type: 'string' },
  key: { type: 'string' },
} as const
const KEY_OPTIONS = { scopes: { type: 'string' }, config: OPTIONS.config } as const
const CONFIG_OPTION = { config: OPTIONS.config } as const
const UPDATE_FLAGS: readonly string[] = ['--now', '--back']

/** Text of `--help`. */
export const HELP = `platen: a label print server

  platen [flags]
  platen print FILE... [--printer NAME] [--key KEY] [--config FILE]
  platen key add NAME [--scopes LIST] | list | revoke NAME [--config FILE]
  platen ship < FILE [--config FILE]
  platen stop [--config FILE]
  platen service install | remove | status [--config FILE]
  platen update [--now | --back]

  --config FILE    reads this configuration; a missing file is written with the defaults.
                   Default: $PLATEN_CONFIG, else ./config.json if it exists, else the platform's configuration folder
  --demo           adds a virtual printer that saves each label as a file and a picture
  --no-browser     does not open the page, whatever open_browser says; for starts at login
  --check-config   checks the configuration, prints it, and exits
  --version        prints the version
  --help           prints this help
  print            sends label files to the server on this computer; repeated with the same KEY, prints nothing twice
  key              makes, lists and revokes keys of the shipping API; add prints the key, once. LIST may contain rate, ship,
                   track, print and debug; default: all but debug
  ship             reads one call of the shipping API from standard input and prints the answer
  stop             stops the server on this computer after the current label
  service          starts the server automatically: at each login on macOS and Linux; with the computer on Windows
                   (as administrator)
  update           installs a newer version from the update server (Debian package, as root); --now also one
                   that failed before; --back returns to the previous version

Waiting labels are kept when the server stops, and print after the next start. More: docs/operate.md
`

/** Reads the command line (without program and script). Gives a sentence when it cannot be used; exit code 64 then. */
export function readFlags(args: readonly string[]): Flags | string {
  if (args[0] === 'update') return readUpdate(args.slice(1))
  if (args[0] === 'print') return readPrint(args.slice(1))
  if (args[0] === 'key') return readKey(args.slice(1))
  if (args[0] === 'ship' || args[0] === 'stop') return readPlain(args[0], args.slice(1))
  if (args[0] === 'service') return readService(args.slice(1))
  const { values, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    const fault = findFault(token)
    if (fault !== undefined) return `${fault} platen --help lists the flags.`
  }
  return {
    config: typeof values.config === 'string' ? values.config : undefined,
    demo: values.demo === true,
    noBrowser: values['no-browser'] === true,
    checkConfig: values['check-config'] === true,
    version: values.version === true,
    help: values.help === true,
  }
}

const NO_FLAGS = {
  config: undefined,
  demo: false,
  noBrowser: false,
  checkConfig: false,
  version: false,
  help: false,
} as const

function readUpdate(args: readonly string[]): Flags | string {
  const odd = args.find((one) => !UPDATE_FLAGS.includes(one))
  if (odd !== undefined || args.length > 1) {
    return `platen update takes --now or --back, got ${JSON.stringify(odd ?? args.join(' '))}. platen --help lists the flags.`
  }
  return { ...NO_FLAGS, command: { name: 'update', args } }
}

function readPrint(args: readonly string[]): Flags | string {
  return orSentence(() => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: PRINT_OPTIONS,
      allowPositionals: true,
    })
    if (positionals.length === 0) return 'platen print needs the name of a label file.'
    const blank = findBlank(values)
    if (blank !== undefined) return blank
    // Of a script whose variable is empty: without a key it would print twice.
    if (values.key !== undefined && !/^[^\p{Cc}]{1,255}$/u.test(values.key))
      return '--key needs 1 to 255 printable characters.'
    const { printer, key } = values
    const command = { name: 'print', files: positionals, printer, key } as const
    return { ...NO_FLAGS, config: values.config, command }
  })
}

function readKey(args: readonly string[]): Flags | string {
  return orSentence(() => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: KEY_OPTIONS,
      allowPositionals: true,
    })
    const [verb, keyName = '', ...rest] = positionals
    const isKnown = verb === 'add' || verb === 'list' || verb === 'revoke'
    if (!isKnown || (verb === 'list') !== (keyName === '') || rest.length > 0) {
      return 'platen key takes add NAME, list or revoke NAME. platen --help lists the flags.'
    }
    const blank = findBlank(values)
    if (blank !== undefined) return blank
    const { scopes = '' } = values
    return { ...NO_FLAGS, config: values.config, command: { name: 'key', verb, keyName, scopes } }
  })
}

function readPlain(name: 'ship' | 'stop', args: readonly string[]): Flags | string {
  return orSentence(() => {
    const { values } = parseArgs({ args: [...args], options: CONFIG_OPTION })
    const blank = findBlank(values)
    if (blank !== undefined) return blank
    return { ...NO_FLAGS, config: values.config, command: { name } }
  })
}

function readService(args: readonly string[]): Flags | string {
  return orSentence(() => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: CONFIG_OPTION,
      allowPositionals: true,
    })
    const [word, ...rest] = positionals
    const verb = SERVICE_VERBS.find((one) => one === word)
    if (verb === undefined || rest.length > 0)
      return 'platen service takes install, remove or status. platen --help lists the flags.'
    const blank = findBlank(values)
    if (blank !== undefined) return blank
    return { ...NO_FLAGS, config: values.config, command: { name: 'service', verb } }
  })
}

const WANTED = {
  config: '--config needs a file name.',
  printer: '--printer needs the name of a printer.',
  scopes: '--scopes needs a list of scopes.',
} as const

/** A script whose variable is empty means no default: another printer, the settings of another server, more rights. */
function findBlank(
  values: Readonly<Partial<Record<keyof typeof WANTED, string | undefined>>>,
): string | undefined {
  const { config, printer, scopes } = values
  if (config?.trim() === '') return WANTED.config
  if (printer?.trim() === '') return WANTED.printer
  return scopes?.trim() === '' ? WANTED.scopes : undefined
}

/** parseArgs says in a sentence of its own what it cannot read. */
function orSentence(read: () => Flags | string): Flags | string {
  try {
    return read()
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}. platen --help lists the flags.`
  }
}

type ArgsToken = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** `--config $FILE --no-browser` of a script whose variable is empty would take the next flag for a file, and write it. */
function isFileName({ value = '', inlineValue }: Extract<ArgsToken, { kind: 'option' }>): boolean {
  return value.trim() !== '' && (inlineValue === true || !/^-./.test(value))
}

function findFault(token: ArgsToken): string | undefined {
  if (token.kind === 'positional') return `Unknown command ${JSON.stringify(token.value)}.`
  if (token.kind === 'option-terminator') return undefined
  if (!Object.hasOwn(OPTIONS, token.name)) return `Unknown flag ${token.rawName}.`
  if (token.name === 'config') return isFileName(token) ? undefined : WANTED.config
  return token.value === undefined ? undefined : `${token.rawName} takes no value.`
}
