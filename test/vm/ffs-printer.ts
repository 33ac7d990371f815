// An emulated USB label printer, the printer's side of it, in a process of its own: its blocking reads hold threads,
// and killing it is pulling the plug. ./usb-printer.ts starts it and gives it orders.
import { openSync, read, readSync, write, writeSync } from 'node:fs'
import {
  type ControlEvent,
  describePrinter,
  describeStrings,
  EVENT_BYTES,
  readEvent,
} from './usb-descriptors.ts'
import { Gadget } from './usb-gadget.ts'
import type { Order, PrinterEvent, PrinterOptions } from './usb-printer.ts'

const READ_BYTES = 16_384
const PACKET_BYTES = 512
// Requests of the printer class (USB Device Class Definition for Printing Devices 1.1, 4.2).
const GET_DEVICE_ID = 0
const GET_PORT_STATUS = 1
const SOFT_RESET = 2

const options = JSON.parse(process.argv[2] ?? '') as PrinterOptions
const gadget = new Gadget(options)
const control = openSync(`${gadget.folder}/ep0`, 'r+')
writeSync(control, describePrinter(options.protocol))
writeSync(control, describeStrings())
const pipeOut = openSync(`${gadget.folder}/ep1`, 'r+')
const pipeIn = options.protocol === 2 ? openSync(`${gadget.folder}/ep2`, 'r+') : undefined

let { portStatus, credit } = options
let answers = options.answers
let isReading = false
let taken: Buffer[] = []
const block = Buffer.alloc(READ_BYTES)

function tell(event: PrinterEvent): void {
  if (process.connected) process.send?.(event)
}

/** Serves endpoint 0 forever. */
function serveControl(): void {
  const bytes = Buffer.alloc(EVENT_BYTES)
  read(control, bytes, 0, EVENT_BYTES, null, (error) => {
    if (error !== null) return tell({ event: 'control-error', code: String(error.code) })
    const event = readEvent(bytes)
    if (event.type === 'setup') answerRequest(event)
    else {
      tell({ event: event.type ?? 'unknown' })
      if (event.type === 'enable') takeData()
    }
    serveControl()
  })
}

function answerRequest({ isIn, isClass, request, length }: ControlEvent): void {
  try {
    if (isClass && isIn && request === GET_DEVICE_ID) {
      writeSync(control, encodeDeviceId().subarray(0, length))
    } else if (isClass && isIn && request === GET_PORT_STATUS && portStatus !== 'stall') {
      writeSync(control, Buffer.of(portStatus).subarray(0, length))
    } else if (isClass && !isIn && request === SOFT_RESET) {
      // Node skips empty reads; one of a byte acknowledges a request without data.
      readSync(control, Buffer.alloc(1))
      tell({ event: 'soft-reset' })
    } else stallRequest(isIn)
  } catch (error) {
    tell({ event: 'request-error', code: String((error as NodeJS.ErrnoException).code) })
  }
}

/** The length stands in front: high byte first by the standard, low byte first on some printers. */
function encodeDeviceId(): Buffer {
  const id = Buffer.from(options.deviceId, 'latin1')
  const bytes = Buffer.alloc(id.length + 2)
  if (options.deviceIdLength === 'little') bytes.writeUInt16LE(bytes.length)
  else bytes.writeUInt16BE(options.deviceIdLength === 'short' ? id.length : bytes.length)
  id.copy(bytes, 2)
  return bytes
}

/** FunctionFS stalls when the answer goes the wrong way; the error is the sign that it did. */
function stallRequest(isIn: boolean): void {
  try {
    if (isIn) readSync(control, Buffer.alloc(1))
    else writeSync(control, Buffer.alloc(1))
  } catch {
    tell({ event: 'stalled' })
  }
}

/**
 * Data moves only while a read is queued, so the credit is exact. A read must hold whole packets: one that does not fit
 * ends it with EOVERFLOW. A question of three bytes leaves such a rest of the credit.
 */
function takeData(): void {
  if (isReading || credit <= 0) return
  isReading = true
  const packets = Math.ceil(Math.min(READ_BYTES, credit) / PACKET_BYTES)
  read(pipeOut, block, 0, packets * PACKET_BYTES, null, (error, count) => {
    isReading = false
    if (error !== null) return tell({ event: 'data-error', code: String(error.code) })
    const bytes = Buffer.from(block.subarray(0, count))
    taken.push(bytes)
    credit -= count
    tell({ event: 'data', bytes: count })
    for (const [query, answer] of answers) {
      if (bytes.includes(query)) say(Buffer.from(answer, 'latin1'))
    }
    takeData()
  })
}

function say(bytes: Uint8Array): void {
  if (pipeIn === undefined) return
  write(pipeIn, bytes, (error) => {
    if (error !== null) tell({ event: 'answer-error', code: String(error.code) })
  })
}

const work: { [Name in Order['do']]: (order: Extract<Order, { do: Name }>) => void } = {
  plug: () => gadget.plug(),
  unplug: () => gadget.unplug(),
  accept: ({ bytes }) => {
    credit = bytes === 'all' ? Number.MAX_SAFE_INTEGER : bytes
    takeData()
  },
  status: ({ byte }) => {
    portStatus = byte
  },
  answers: (order) => {
    answers = order.answers
  },
  say: ({ bytes }) => say(bytes),
  halt: () => stallPipe(),
  report: () => {
    const bytes = Buffer.concat(taken)
    taken = [bytes]
    tell({ event: 'report', bytes })
  },
  forget: () => {
    taken = []
    tell({ event: 'forgotten' })
  },
}

/** A write on the pipe that only reads halts it. */
function stallPipe(): void {
  try {
    writeSync(pipeOut, Buffer.alloc(1))
  } catch {
    tell({ event: 'halted' })
  }
}

process.on('message', (order: Order) => {
  try {
    work[order.do](order as never)
    tell({ event: 'done', order: order.do })
  } catch (error) {
    tell({ event: 'order-error', order: order.do, code: (error as Error).message })
  }
})
process.on('disconnect', () => process.exit())
serveControl()
tell({ event: 'ready' })
