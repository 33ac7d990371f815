import { realDpi } from '../languages/language.ts'
import { type Printer, type PrinterSettings, USUAL_DPI } from '../printers/printer.ts'
import { isReachable } from '../system/address.ts'
import type { PrinterEntry } from './printer-schema.ts'
import { type Config, PRINTER_PLACEHOLDER } from './schema.ts'

const SECURE_PORT = '8443'
const HEART_BEAT_SECONDS = 60

/** Fills in what follows from other keys: a secure port when HTTPS is on, an interval when there is a heartbeat. */
export function complete(config: Config): Config {
  return {
    ...config,
    ...(config.use_ssl && config.secure_port === undefined ? { secure_port: SECURE_PORT } : {}),
    ...(config.heart_beat_url !== undefined && config.heart_beat_interval === undefined
      ? { heart_beat_interval: HEART_BEAT_SECONDS }
      : {}),
  }
}

/** The configured printers, with what the configuration leaves to the printer itself. */
export function readPrinterSettings(config: Config): readonly PrinterSettings[] {
  return (config.printers ?? []).map(readPrinter)
}

/** The configured printers as they are before anything was found out about them. */
export function readPrinters(config: Config): readonly Printer[] {
  return readPrinterSettings(config).map((entry) => ({ ...entry, dpi: entry.dpi ?? USUAL_DPI }))
}

/** Name of the default printer; '' while nobody chose one. */
export function readDefaultName(config: Config): string {
  return config.printer === PRINTER_PLACEHOLDER ? '' : config.printer
}

/** Milliseconds within which the same label is held; undefined = never. */
export function readDuplicateWindow(config: Config): number | undefined {
  const minutes = config.duplicate_guard_minutes
  return minutes === undefined ? undefined : minutes * 60_000
}

function readPrinter(entry: PrinterEntry): PrinterSettings {
  return {
    name: entry.name,
    uri: entry.uri,
    makeAndModel: '',
    language: entry.language,
    dpi: entry.dpi && realDpi(entry.dpi),
    labelWidth: entry.label_width,
    labelHeight: entry.label_height,
    rotate: entry.rotate,
    darkness: entry.darkness,
    speed: entry.speed,
    graphics: entry.graphics,
    asksStatus: entry.status === 'auto',
  }
}

/** Whether print dialogs may use the printers: by default not where nobody else reaches this computer. */
export function sharesPrinters({ share_printers: wish, host }: Config): boolean {
  return wish ?? isReachable(host)
}
