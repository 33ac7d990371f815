// Makes the calls of standard input with the Node.js client; a line of JSON each.
import { json } from 'node:stream/consumers'
import { Client } from '../../clients/node/index.js'

const { API_KEY, BASE_URL, CA_FILE, TRIES } = process.env
const client = new Client(API_KEY, {
  baseUrl: BASE_URL,
  ...(CA_FILE && { caFile: CA_FILE }),
  ...(TRIES && { tries: Number(TRIES) }),
})
let shipment = ''

async function make(call) {
  if (call.print) return await client.print(Buffer.from(call.print, 'base64'), call.printer)
  const params = Object.fromEntries(
    Object.entries(call.params).map(([name, value]) => [
      name,
      value === '$shipment' ? shipment : value,
    ]),
  )
  const answer = await client.request(call.carrier, call.action, params, call.request_id)
  shipment = answer.data?.shipment_id || shipment
  return answer
}

for (const call of await json(process.stdin)) {
  const answer = await make(call).catch(({ code, message }) => ({ raised: { code, message } }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
