import type { Printer } from '#printers'
import type { MemoryStore } from '../../../src/printers/known/memory.ts'

/** A printer's entry as the configuration makes it when little is said; what a test is about is given. */
export function makePrinter(name: string, more: Partial<Printer> = {}): Printer {
  return {
    name,
    uri: 'file:bench',
    makeAndModel: '',
    language: 'zpl',
    dpi: 203,
    labelWidth: undefined,
    labelHeight: undefined,
    rotate: 'auto',
    darkness: undefined,
    speed: undefined,
    graphics: 'auto',
    ...more,
  }
}

/** Makes a memory of found printers, for a test that reads it. */
export function makeMemory(text?: string): MemoryStore & { text: string | undefined } {
  return {
    text,
    load() {
      return this.text
    },
    save(text) {
      this.text = text
    },
  }
}
