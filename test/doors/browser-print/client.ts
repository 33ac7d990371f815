import { createRequire } from 'node:module'

/** What the tests use of zebra-browser-print-wrapper. */
export interface BrowserPrintClient {
  getAvailablePrinters(): Promise<readonly Device[]>
  getDefaultPrinter(): Promise<Device>
  setPrinter(device: Device): void
  checkPrinterStatus(): Promise<{ isReadyToPrint: boolean; errors: string }>
  print(text: string): Promise<void>
}

export interface Device {
  readonly name: string
  readonly uid: string
}

const require = createRequire(import.meta.url)

/** The unmodified client of npm, which knows one address; told another by its own constant. */
export function loadBrowserPrint(port: number): BrowserPrintClient {
  const constants = require('zebra-browser-print-wrapper/lib/constants') as { API_URL: string }
  constants.API_URL = `http://127.0.0.1:${port}/`
  const { default: Wrapper } = require('zebra-browser-print-wrapper') as {
    default: new () => BrowserPrintClient
  }
  return new Wrapper()
}
