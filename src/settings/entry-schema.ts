import * as v from 'valibot'
import { languageNames, languages, titledLanguages } from '#labels'
import { createDevices, parseDeviceUri } from '#printers'
import { FIELDS } from '../core/request/fields.ts'
import {
  choice,
  decimal,
  doorPort,
  field,
  object,
  printerName,
  refuse,
  text,
  whole,
} from './field.ts'

// Only their checks are used here, which touch no device and no folder.
const devices = createDevices({ stateFolder: '' })

const deviceUri = v.pipe(
  v.string('a device URI'),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? parseDeviceUri(dataset.value, devices) : undefined
    if (typeof fault !== 'string') return
    addIssue({ message: refuse(fault, { key: 'noAddress', values: {} }) })
  }),
)

const languageWords = Object.fromEntries(
  languages.map(({ name, title, makers }) => [name, `${title} (${makers})`]),
)
const rotate = choice(['auto', 0, 90, 180, 270])
const graphics = choice(['auto', 'z64', 'acs'])
const inches = ({ min, max, unit }: (typeof FIELDS)['label_width' | 'label_height']) =>
  decimal(min, max, unit)

const printer = v.object(
  {
    name: field(printerName, 'Name', 'What pages and programs send in the field printer.'),
    uri: field(
      deviceUri,
      'Device URI',
      `How the printer is reached: ${devices.map((device) => device.example).join(' or ')}.`,
    ),
    language: field(
      v.optional(choice(languageNames)),
      'Language',
      `What the printer understands. Required for pictures; ${titledLanguages} labels pass through unchanged.`,
      { words: languageWords },
    ),
    dpi: field(
      v.optional(whole(100, 1_200)),
      'Dots per inch',
      'Resolution of the print head; 200 counts as 203. Left out: what the printer reports, else 203.',
    ),
    label_width: field(
      v.optional(inches(FIELDS.label_width)),
      'Label width',
      'Inches. Left out: what the printer reports, else 4.',
    ),
    label_height: field(
      v.optional(inches(FIELDS.label_height)),
      'Label height',
      'Inches. Left out: what the printer reports, else 6.',
    ),
    rotate: field(
      v.optional(rotate, 'auto'),
      'Turn',
      'Turns every picture clockwise by this many degrees; auto turns it to fit the label stock.',
    ),
    darkness: field(
      v.optional(decimal(0, 100, 'percent')),
      'Darkness',
      "Percent of the language's range. Left out: the printer's own setting.",
    ),
    speed: field(
      v.optional(decimal(0.5, 20, 'inches per second')),
      'Speed',
      "Inches per second. Left out: the printer's own setting.",
    ),
    graphics: field(
      v.optional(graphics, 'auto'),
      'ZPL graphics',
      'How pictures are compressed for ZPL printers: z64 is smallest, acs works with every printer.',
    ),
    // Not of the plugin `raw`: an entry of `printers` has one schema, which `/printers` and its form use too.
    raw_port: field(
      v.optional(doorPort),
      'Raw port',
      'Port of this printer for programs that print to port 9100 of a network printer. Left out: none.',
      { ports: 1 },
    ),
    status: field(
      v.optional(choice(['auto', 'off']), 'auto'),
      'Status',
      'Whether the printer is asked for its status; off for a printer that gives wrong answers, e.g. "out of labels" with a full roll.',
    ),
    backup: field(
      v.optional(printerName),
      'Backup',
      'Printer that gets the waiting labels if this one cannot print for a while; a paused printer keeps them. Left out: they wait.',
      { printer: true, unless: 'backup_box' },
    ),
    backup_box: field(
      v.optional(text),
      'Backup on print server',
      'Name of the paired print server with the backup printer. Left out: this one.',
    ),
    backup_minutes: field(
      v.optional(whole(1, 1_440)),
      'Backup after',
      'Minutes for which this printer cannot print before its labels move to the backup; 10 when left out.',
    ),
  },
  object,
)

/** The keys of an entry of `printers`. */
export const printerKeys: readonly string[] = Object.keys(printer.entries)

/** An entry of `printers`. */
export type PrinterEntry = v.InferOutput<typeof printer>

/** The key `printers`: entries with different names. */
export const printers = v.pipe(
  v.array(printer, 'a list of printers [ { … } ]'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const list = dataset.value
    for (const [index, { name }] of list.entries()) {
      const first = list.findIndex((other) => other.name === name)
      if (first === index) continue
      const message = `${JSON.stringify(name)} is the name of printers[${first}] too; wanted a name of its own`
      addIssue({
        message: refuse(message, { key: 'wantOwnName', values: {} }),
        path: [pathItem(list, index), pathItem(list[index], 'name')],
      })
    }
  }),
)

function pathItem(input: unknown, key: string | number): v.IssuePathItem {
  return { type: 'unknown', origin: 'value', input, key, value: undefined }
}
