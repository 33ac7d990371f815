import type { Device } from '../../src/printers/device.ts'

/** Takes the bytes of one connection. */
export interface Sink {
  send(bytes: Uint8Array): Promise<void>
  close(): void
}

/** A printer that takes labels and says nothing, for children without the test runner. */
export function createSinkDevice(open: (name: string) => Sink): Device<'sink'> {
  return {
    scheme: 'sink',
    example: 'sink:A',
    about: '',
    check: () => undefined,
    list: () => Promise.resolve([]),
    open(uri) {
      const sink = open(uri.pathname)
      return Promise.resolve({
        send: (bytes) => sink.send(bytes),
        receive: () => Promise.resolve(new Uint8Array()),
        [Symbol.asyncDispose]() {
          sink.close()
          return Promise.resolve()
        },
      })
    },
  }
}
