import { parseArgs } from 'node:util'

/** The command line. */
export interface Flags {
  /** File of `--config`; undefined = where it usually lies. */
  readonly config: string | undefined
  readonly demo: boolean
  readonly checkConfig: boolean
  readonly version: boolean
  readonly help: boolean
}

const OPTIONS = {
  config: { type: 'string' },
  demo: { type: 'boolean' },
  'check-config': { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

/** What `--help` prints. */
export const HELP = `platen: a label print server

  platen [flags]

  --config FILE    reads this configuration; it is written with the defaults when it is missing.
                   Else: $PLATEN_CONFIG, ./config.json if there, the platform's configuration folder
  --demo           adds a virtual printer that keeps each label as a file and a picture
  --check-config   says whether the configuration is right, prints it, and ends
  --version        prints the version
  --help           prints this

Labels that wait are kept over a stop and print after the next start. More: docs/operate.md
`

/** Reads the command line (without program and script). Gives a sentence when it cannot be used; exit code 64 then. */
export function readFlags(args: readonly string[]): Flags | string {
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
    checkConfig: values['check-config'] === true,
    version: values.version === true,
    help: values.help === true,
  }
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

function findFault(token: Token): string | undefined {
  if (token.kind === 'positional') return `Nobody knows the command ${JSON.stringify(token.value)}.`
  if (token.kind === 'option-terminator') return undefined
  if (!Object.hasOwn(OPTIONS, token.name)) return `Nobody knows the flag ${token.rawName}.`
  if (token.name === 'config') return token.value ? undefined : '--config needs a file name.'
  return token.value === undefined ? undefined : `${token.rawName} takes no value.`
}
