import * as v from 'valibot'
import { COMMAND_POLICIES } from '../core/intake/requests.ts'
import { describeEntries, type FieldDescription } from './describe.ts'
import { printers } from './entry-schema.ts'
import type { SettingFault } from './faults.ts'
import {
  choice,
  decimal,
  field,
  flag,
  hostNames,
  listenHost,
  object,
  origins,
  port,
  text,
  timeZone,
  type ValuesOf,
  whole,
} from './field.ts'
import { listMarks, type MarkedKey } from './marks.ts'
import type { Raw } from './masks.ts'

/** The default printer in the file until a person chose one: labels then go to the only known one. */
export const PRINTER_PLACEHOLDER = 'your-printer-name'
/** The port of HTTPS when `secure_port` is left out. */
export const SECURE_PORT = '8443'

/** The keys of the core. */
const entries = {
  host: field(
    v.optional(listenHost, 'localhost'),
    'Host',
    'Name or address to listen on. Blank: all addresses, so that other computers can print too.',
    { restart: true },
  ),
  port: field(v.optional(port, '8080'), 'Port', 'Port of the HTTP server; 0 takes any free port.', {
    restart: true,
  }),
  secure_port: field(v.optional(port), 'Secure port', 'Port of the HTTPS server. Left out: 8443.', {
    restart: true,
  }),
  printer: field(
    v.optional(text, PRINTER_PLACEHOLDER),
    'Default printer',
    'Prints labels that name no printer. Not chosen: the only printer, which stays the default when others are added.',
    { printer: true },
  ),
  open_browser: field(
    v.optional(flag, true),
    'Open the browser',
    'Opens the page in the browser of this computer when the server starts.',
  ),
  use_ssl: field(
    v.optional(flag),
    'HTTPS',
    'Also answers on the secure port, encrypted, with its own certificate.',
    { restart: true },
  ),
  username: field(
    v.optional(text),
    'User name',
    'Together with a password, required to change settings. Printing never needs it.',
  ),
  password: field(v.optional(text), 'Password', 'Belongs to the user name.', { secret: true }),
  open_bench: field(
    v.optional(flag, false),
    'Labels without login',
    'Lets anybody at a bench see and reprint labels on the page. Off: once user name and password are set, the page asks for them before it shows labels. Printing never needs them.',
  ),
  printers: field(v.optional(printers), 'Printers', 'Printers that you set up by hand.'),
  allowed_origins: field(
    v.optional(origins),
    'Allowed sites',
    'Web sites whose pages may print. Left out: any.',
  ),
  allowed_hosts: field(
    v.optional(hostNames),
    'Allowed host names',
    'Further names under which this print server may be called, e.g. behind a proxy.',
  ),
  job_retention_hours: field(
    v.optional(whole(1, 8_760), 72),
    'Keep printed labels',
    'Hours for which ended labels are kept, so that they can be printed again.',
  ),
  max_body_mb: field(
    v.optional(decimal(0.1, 100, 'MB'), 16),
    'Largest request',
    'Largest size of one request, in megabytes.',
  ),
  time_zone: field(
    v.optional(timeZone),
    'Time zone',
    'Time zone of the print server, such as "America/Denver", for the times in its messages and for nightly updates. Left out: the zone of its computer, which is UTC on the SD image.',
  ),
  log_level: field(
    v.optional(choice(['error', 'warn', 'info', 'debug']), 'info'),
    'Log level',
    'How much is logged.',
  ),
  on_interrupt: field(
    v.optional(choice(['hold', 'reprint']), 'hold'),
    'After an interruption',
    'What happens to a label that was interrupted by a power cut or a pulled cable: it waits for a person (hold), or prints again and may come out twice (reprint).',
  ),
  printer_commands: field(
    v.optional(choice(COMMAND_POLICIES), 'warn'),
    'Printer commands',
    'Labels with commands that change the printer itself (save settings, set a password, load firmware): refuse them, print them with a warning (warn), or print them like any other (allow).',
  ),
  duplicate_guard_minutes: field(
    v.optional(whole(1, 10_080)),
    'Duplicate guard',
    'Holds a label for a person if it was printed on the same printer within this many minutes. Left out: never.',
  ),
  expire_after: field(
    v.optional(whole(1, 31_536_000)),
    'Expire after',
    'Seconds after which a label that has not printed is canceled. Left out: never.',
  ),
}

/** The configuration in the form that the parts read; a plugin reads its own keys besides. */
export type Config = ValuesOf<typeof entries>

/** The keys of config.json that a plugin brings. */
export interface PluginSettings<S = object> {
  /** Each made by `field`: check, settings page and docs follow from it. */
  readonly entries: { readonly [K in keyof S]-?: v.GenericSchema<unknown, S[K]> }
  /** Finds oddities in valid values, for the log and for the person who saves them. */
  findWarnings?(config: Config & S): readonly SettingFault[]
}

/** Joins the keys of parts of a plugin. */
export function joinSettings(all: readonly PluginSettings[]): Required<PluginSettings> {
  return {
    entries: Object.assign({}, ...all.map(({ entries }) => entries)),
    findWarnings: (config) => all.flatMap((one) => one.findWarnings?.(config) ?? []),
  }
}

/** Every key of config.json, of the core and then of the plugins: checks, defaults, the settings page and docs/config.md are derived from it. */
export class SettingsSchema {
  readonly #plugins: Required<PluginSettings>
  readonly #schema: v.ObjectSchema<typeof entries, typeof object>
  #fields: readonly FieldDescription[] | undefined
  #keys: readonly MarkedKey[] | undefined

  constructor(plugins: readonly PluginSettings[]) {
    this.#plugins = joinSettings(plugins)
    this.#schema = v.object(Object.assign({ ...entries }, this.#plugins.entries), object)
  }

  /** The keys in their order, with the keys of lists inside. */
  get fields(): readonly FieldDescription[] {
    this.#fields ??= describeEntries(this.#schema.entries)
    return this.#fields
  }

  /** The same keys with their marks. */
  get keys(): readonly MarkedKey[] {
    this.#keys ??= listMarks(this.#schema.entries)
    return this.#keys
  }

  /** Checks values by their own schemas. */
  parse(raw: unknown) {
    return v.safeParse(this.#schema, raw)
  }

  /** The settings of a file that says nothing: as it is written, and as the parts read it. */
  defaults(): { readonly raw: Raw; readonly config: Config } {
    const all = Object.entries(v.getDefaults(this.#schema))
    const raw = Object.fromEntries(all.filter(([, value]) => value !== undefined))
    return { raw, config: v.parse(this.#schema, raw) }
  }

  /** Finds the oddities that plugins know of. */
  findWarnings(config: Config): readonly SettingFault[] {
    return this.#plugins.findWarnings(config)
  }
}
