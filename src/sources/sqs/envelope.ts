import { PlatenError } from '../../errors.ts'
import { parseJson } from '../../request/bounded-json.ts'
import { readPayload } from '../payload.ts'
import type { Message } from '../source.ts'

const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/**
 * Reads a message's body: as every source takes it, or inside the envelope that SNS makes around it (Amazon SNS Developer
 * Guide, HTTP/HTTPS notification JSON format), whose own id tells a message that SNS delivered twice.
 * @throws PlatenError as `readPayload` does
 */
export function readBody(body: string, where: string, messageId: string): Message {
  const envelope = readEnvelope(body)
  if (envelope === undefined) return readPayload(body, `${where}:${messageId}`)
  return readPayload(envelope.text, `${where}:sns:${envelope.id ?? messageId}`)
}

function readEnvelope(body: string): { readonly text: string; readonly id?: string } | undefined {
  if (!/^\s*\{/.test(body) || !body.includes('"Notification"')) return undefined
  const json = tryJson(body)
  if (json['Type'] !== 'Notification' || typeof json['Message'] !== 'string') return undefined
  const id = json['MessageId']
  return { text: json['Message'], ...(typeof id === 'string' ? { id } : {}) }
}

/** What is no JSON is told of by whoever reads it as a label. */
function tryJson(body: string): Readonly<Record<string, unknown>> {
  try {
    return parseJson(body, BOUNDS, 'The message') as Readonly<Record<string, unknown>>
  } catch (error) {
    if (error instanceof PlatenError) return {}
    throw error
  }
}
