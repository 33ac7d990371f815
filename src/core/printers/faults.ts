import { type Advice, type Connection, PrinterFault } from '#printers'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

// The library of printers speaks in codes and advice; here they become our failures and sentences, and nowhere else. It is
// called by registry.ts, which opens its devices: all connections of the program come from there. What else the library does
// for us throws none of its faults. Should one be forgotten, http/server-faults.ts explains it all the same.

/**
 * Awaits the library.
 * @throws PlatenError where it throws a PrinterFault
 */
export async function awaitPrinter<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof PrinterFault ? explainPrinterFault(error) : error
  }
}

/** Wraps a connection so that its faults become failures of ours. */
export function explainConnection(connection: Connection): Connection {
  const { chunkBytes, status, finish, confirm, cancel, keepPicture } = connection
  return {
    ...(chunkBytes !== undefined && { chunkBytes }),
    get mayPrint() {
      return connection.mayPrint ?? true
    },
    send: (bytes, signal) => awaitPrinter(connection.send(bytes, signal)),
    receive: (ms, signal) => awaitPrinter(connection.receive(ms, signal)),
    ...(status && { status: (signal) => awaitPrinter(status.call(connection, signal)) }),
    ...(finish && {
      finish: (flowing, signal) => awaitPrinter(finish.call(connection, flowing, signal)),
    }),
    ...(confirm && { confirm: (signal) => awaitPrinter(confirm.call(connection, signal)) }),
    ...(cancel && { cancel: (signal) => awaitPrinter(cancel.call(connection, signal)) }),
    ...(keepPicture && { keepPicture: (png) => awaitPrinter(keepPicture.call(connection, png)) }),
    [Symbol.asyncDispose]: () => awaitPrinter(connection[Symbol.asyncDispose]()),
  }
}

/** Uses advice as a sentence: this compiles only if each has a sentence of the same key. */
export function tellAdvice(advice: Advice): ReturnType<typeof say> {
  return say(advice)
}

/** Converts a printer fault of the library into a failure of ours. */
export function explainPrinterFault(fault: PrinterFault): PlatenError {
  const { code, message, accepted, advice } = fault
  return new PlatenError(code, message, {
    ...('cause' in fault && { cause: fault.cause }),
    ...(accepted !== undefined && { accepted }),
    ...(advice !== undefined && { hint: tellAdvice(advice) }),
  })
}
