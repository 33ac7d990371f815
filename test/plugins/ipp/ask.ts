import { Buffer } from 'node:buffer'
import { decodeMessage, encodeMessage } from '../../../src/printers/ipp/codec.ts'
import {
  charset,
  type IppMessage,
  type IppValue,
  language,
  name,
  uri,
} from '../../../src/printers/ipp/message.ts'
import type { Rig } from '../../http/rig.ts'

type Attributes = Readonly<Record<string, readonly IppValue[]>>

/** A request to a print dialog's printer. */
export interface Question {
  readonly operation: number
  readonly path?: string
  readonly attributes?: Attributes
  readonly template?: Attributes
  readonly document?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes a request as clients write it. */
export function makeRequest(question: Question): Buffer {
  const { operation, path = '/ipp/print/bench-1', attributes, template, document } = question
  const own = {
    'attributes-charset': charset('utf-8'),
    'attributes-natural-language': language('en'),
    'printer-uri': uri(`ipp://box.local${path}`),
    'requesting-user-name': name('anna'),
    ...attributes,
  }
  const message = encodeMessage({
    version: [2, 0],
    code: operation,
    requestId: 1,
    groups: [
      { tag: 1, attributes: new Map(Object.entries(own)) },
      ...(template === undefined
        ? []
        : [{ tag: 2, attributes: new Map(Object.entries(template)) }]),
    ],
  })
  return Buffer.concat([message, document ?? Buffer.alloc(0)])
}

/** Asks, and reads the answer. */
export async function ask(rig: Rig, question: Question): Promise<IppMessage> {
  const { path = '/ipp/print/bench-1', headers } = question
  const response = await rig.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/ipp', host: 'box.local:8080', ...headers },
    body: Uint8Array.from(makeRequest(question)),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return decodeMessage(new Uint8Array(await response.arrayBuffer())).message
}
