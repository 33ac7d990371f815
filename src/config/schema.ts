import * as v from 'valibot'
import { COMMAND_POLICIES } from '../jobs/intake/requests.ts'
import {
  choice,
  decimal,
  doorPort,
  field,
  flag,
  hostName,
  listenHost,
  object,
  origin,
  port,
  text,
  timeZone,
  webAddress,
  whole,
} from '../settings.ts'
import { printers, queue } from './entry-schema.ts'

/** What the file says until a person chose a printer: labels then go to the only known one. */
export const PRINTER_PLACEHOLDER = 'your-printer-name'

/** Every key of config.json: checks, defaults, the settings page and docs/config.md come from here. */
export const schema = v.object(
  {
    host: field(
      v.optional(listenHost, 'localhost'),
      'Host',
      'Name or address to listen on. Blank: all of this computer, for other computers to print too.',
      { restart: true },
    ),
    port: field(
      v.optional(port, '8080'),
      'Port',
      'Port of the HTTP server; 0 takes any free one.',
      { restart: true },
    ),
    secure_port: field(
      v.optional(port),
      'Secure port',
      'Port of the HTTPS server. Left out: 8443, when HTTPS is on.',
      { restart: true },
    ),
    printer: field(
      v.optional(text, PRINTER_PLACEHOLDER),
      'Default printer',
      'Prints the labels that name no printer. Not chosen: the only printer there is, also when others come later.',
    ),
    open_browser: field(
      v.optional(flag, true),
      'Open the browser',
      'Opens the page in the browser of this computer at start.',
    ),
    use_ssl: field(
      v.optional(flag),
      'HTTPS',
      'Answers on the secure port too, encrypted, with a certificate of its own.',
      { restart: true },
    ),
    username: field(
      v.optional(text),
      'User name',
      'Together with a password: asked for before settings are changed. Printing never needs it.',
    ),
    password: field(v.optional(text), 'Password', 'Goes with the user name.', { secret: true }),
    open_bench: field(
      v.optional(flag, false),
      'Labels without login',
      'Anybody at a bench may see and reprint labels on the page. Off: once user name and password are set, the page asks for them before it shows labels. Printing never needs them.',
    ),
    heart_beat_url: field(
      v.optional(webAddress),
      'Heartbeat address',
      'Receives a heartbeat at regular intervals; its reply may contain labels to print.',
      { unquoted: true },
    ),
    heart_beat_interval: field(
      v.optional(whole(1, 86_400)),
      'Heartbeat interval',
      'Seconds between heartbeats; 60 when left out.',
    ),
    heart_beat_params: field(
      v.optional(v.unknown()),
      'Heartbeat parameters',
      'Any JSON of your own, sent inside every heartbeat.',
      { unquoted: true },
    ),
    heart_beat_printer_commands: field(
      v.optional(choice(COMMAND_POLICIES)),
      'Printer commands in heartbeat labels',
      'The same as "Printer commands", for labels in the answers to heartbeats only. Left out: the same as there.',
    ),
    queues: field(
      v.optional(
        v.pipe(
          v.array(queue, 'a list of queues [ { … } ]'),
          v.maxLength(100, 'at most 100 queues'),
        ),
      ),
      'Queues',
      'Message queues that labels are pulled from.',
    ),
    printers: field(v.optional(printers), 'Printers', 'Printers that are set up by hand.'),
    result_url: field(
      v.optional(webAddress),
      'Result address',
      'Receives the outcome of every label and every change of printer state.',
      { restart: true, unquoted: true },
    ),
    result_secret: field(
      v.optional(text),
      'Result secret',
      'Signs what is sent to the result address (HMAC-SHA256), so that the receiver knows who sent it.',
      { restart: true, secret: true },
    ),
    share_printers: field(
      v.optional(flag),
      'Print dialogs',
      'Offers every printer to the print dialogs of other computers and phones (IPP, AirPrint). Left out: on, unless Host is local.',
    ),
    raw_port: field(
      v.optional(doorPort),
      'Raw port',
      'Port for programs that print to port 9100 of a network printer: set them to the address of this print server. Prints on the default printer; other printers have a port of their own. Left out: closed.',
    ),
    qz_tray: field(
      v.optional(flag, false),
      'QZ Tray',
      'Answers as QZ Tray does: pages of the allowed sites, or with a signature of the QZ certificate, print through it.',
    ),
    qz_port: field(
      v.optional(doorPort),
      'QZ Tray port',
      'Port of QZ Tray for wss; ws is on the one after it. Left out: 8181, or 8282, 8383, 8484, as its clients try them.',
    ),
    qz_certificate: field(
      v.optional(text),
      'QZ certificate',
      'The certificate with which a site signs its calls to QZ Tray (PEM): what it signed may print from any site. Left out: allowed sites only.',
      { lines: true },
    ),
    browser_print: field(
      v.optional(flag, false),
      'Browser Print',
      'Answers as Zebra Browser Print does: pages of the allowed sites print through it.',
    ),
    browser_print_port: field(
      v.optional(doorPort, 9100),
      'Browser Print port',
      'Port of Browser Print for http; https is on the one after it.',
    ),
    printnode: field(
      v.optional(flag, false),
      'PrintNode',
      "Answers as PrintNode's API does, at /printnode: programs with one of the box's API keys print through it.",
    ),
    printnode_hosts: field(
      v.optional(v.array(hostName, 'a list of host names or addresses')),
      'PrintNode hosts',
      'Hosts of your own network that labels may be fetched from when a PrintNode program or a page of QZ Tray sends an address. Left out: hosts of the internet only.',
    ),
    printnode_name: field(
      v.optional(hostName),
      'PrintNode name',
      "A host name under which nothing but PrintNode's API is found, without /printnode: for programs that know an address without a path only. Left out: none.",
    ),
    printnode_webhook: field(
      v.optional(webAddress),
      'PrintNode webhook',
      'Is told each state of the labels that came through PrintNode, in the form of its webhooks.',
      { unquoted: true },
    ),
    printnode_webhook_secret: field(
      v.optional(text),
      'PrintNode webhook secret',
      'Is sent along to the PrintNode webhook, so that the receiver knows who sent it.',
      { secret: true },
    ),
    allowed_origins: field(
      v.optional(v.array(origin, 'a list of origins such as "https://shop.example"')),
      'Allowed sites',
      'Web sites whose pages may print. Left out: any.',
    ),
    allowed_hosts: field(
      v.optional(v.array(hostName, 'a list of host names or addresses')),
      'Allowed host names',
      'Names besides its own by which this print server may be called, e.g. behind a proxy.',
    ),
    job_retention_hours: field(
      v.optional(whole(1, 8_760), 72),
      'Keep printed labels',
      'Hours that ended labels are kept for printing again.',
    ),
    max_body_mb: field(
      v.optional(decimal(0.1, 100, 'MB'), 16),
      'Largest request',
      'Megabytes that one request may have.',
    ),
    time_zone: field(
      v.optional(timeZone),
      'Time zone',
      'Where the print server stands, such as "America/Denver": for the times in its sentences, and for the night in which it updates itself. Left out: the zone of its computer, which is UTC on the SD image.',
    ),
    log_level: field(
      v.optional(choice(['error', 'warn', 'info', 'debug']), 'info'),
      'Log level',
      'How much is logged.',
    ),
    on_interrupt: field(
      v.optional(choice(['hold', 'reprint']), 'hold'),
      'After an interruption',
      'A label that power or cable cut in the middle waits for a person (hold), or prints again and may come out twice (reprint).',
    ),
    printer_commands: field(
      v.optional(choice(COMMAND_POLICIES), 'warn'),
      'Printer commands',
      'Labels that hold commands which change the printer itself (save settings, set a password, load firmware): refuse them, print them with a warning, or print them as any other (allow).',
    ),
    duplicate_guard_minutes: field(
      v.optional(whole(1, 10_080)),
      'Duplicate guard',
      'Holds a label that was printed on the same printer within so many minutes until a person releases it. Left out: never.',
    ),
    expire_after: field(
      v.optional(whole(1, 31_536_000)),
      'Expire after',
      'Seconds after which a label that could not print is canceled. Left out: never.',
    ),
  },
  object,
)

/** The configuration as the parts read it. */
export type Config = v.InferOutput<typeof schema>
