// `CODEPAGE constructor` stopped a queue for good: a table that was a plain object answered with what every object has. Words
// like it, as names and as values, reach every reader of foreign text; none may make our own code fail.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FIELDS } from '../../src/core/request/fields.ts'
import { unpackLabel } from '../../src/labels/detect/detect.ts'
import { checkPackList } from '../../src/labels/documents/pack-list/check.ts'
import { LabelFault } from '../../src/labels/fault.ts'
import { parseErrorReport } from '../../src/labels/languages/epl/index.ts'
import { scanLabel } from '../../src/labels/languages/index.ts'
import { nameLabel } from '../../src/labels/languages/names/index.ts'
import { readReply } from '../../src/plugins/heartbeat/exchange.ts'
import { readPrint as readPrintNode } from '../../src/plugins/printnode/print.ts'
import { listAddresses, readPrint as readQz } from '../../src/plugins/qz/print.ts'
import { readPayload } from '../../src/plugins/source/message.ts'
import { parseDeviceId } from '../../src/printers/device-id.ts'
import { findModel } from '../../src/printers/known/identity.ts'
import { listAsked } from '../../src/words/actions.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { readForeign } from '../../src/words/foreign.ts'
import { inEnglish, parseSentences } from '../../src/words/say.ts'
import { ZPL64 } from '../http/rig.ts'
import { startShipping, TWO_PARCELS } from '../plugins/shipping/http/calls.ts'
import { checkConfig } from '../settings/all.ts'

t.setTimeout(300_000)

const WORDS = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'length']
const CASES = WORDS.flatMap((word) => [word, word.toUpperCase(), word.toLowerCase()])
/** Values of JSON that cannot become a text, a number or a list as usual ones do. */
const ODD = ['{"toString":1,"valueOf":1}', '{"__proto__":{"toString":1}}', '[[]]', '{"length":9}']
/** Bytes that are not UTF-8, so that a code page is looked up. */
const HIGH = Buffer.from([0xff, 0xfe, 0x41])

/** Checks that a refusal is intentional. */
function onPurpose(t: Test, what: string, work: () => unknown): void {
  try {
    work()
  } catch (error) {
    t.ok(
      error instanceof LabelFault || (error instanceof PlatenError && error.code !== 'INTERNAL'),
      `${what}: ${String(error)}`,
    )
  }
}

t.test('messages: a word as the key of a sentence', (t) => {
  for (const word of CASES) {
    const data = [{ key: word, values: { [word]: word } }]
    t.equal(readForeign(data), undefined, `${word} of another print server`)
    const kept = parseSentences(JSON.stringify(data))
    t.equal(inEnglish(kept), '', `${word} out of the spool`)
    t.same(listAsked(kept), [], word)
  }
  t.end()
})

t.test('labels: a word as the parameter of every command', (t) => {
  const tspl = [
    'CODEPAGE',
    'SET',
    'SIZE',
    'GAP',
    'TEXT',
    'BARCODE',
    'BITMAP 1,1',
    'DOWNLOAD',
    'PUTBMP',
  ]
  const zpl = [
    '^CI',
    '^FO',
    '^A',
    '^BY',
    '^MN',
    '^FH',
    '^CC',
    '~DG',
    '^GF',
    '^XG',
    '^JU',
    '^FW',
    '^',
  ]
  const epl = ['I8,', 'A', 'B', 'GW', 'GM"', 'FS"', 'O', 'JF', '']
  for (const word of CASES) {
    const labels = [
      ...tspl.map((command) => [
        `SIZE 4,6\r\n${command} ${word}\r\nTEXT 1,1,"3",0,1,1,"`,
        '"\r\nPRINT 1\r\n',
      ]),
      ...zpl.map((command) => [`^XA${command}${word}^FO9,9^FD`, '^FS^XZ']),
      ...epl.map((command) => [`N\r\n${command}${word}\r\nA9,9,0,1,1,1,N,"`, '"\r\nP1\r\n']),
    ] as const
    for (const [head = '', tail = ''] of labels) {
      const label = Buffer.concat([Buffer.from(head), HIGH, Buffer.from(tail)])
      onPurpose(t, head, () => {
        const { format } = unpackLabel(label)
        nameLabel(label, format)
        scanLabel(label, format)
      })
    }
  }
  t.end()
})

t.test('requests of doors and sources: a word or an odd value in every place', (t) => {
  const values = [...CASES.map((word) => JSON.stringify(word)), ...ODD]
  const names = [...Object.keys(FIELDS), 'label', 'labels', 'options', 'qty', 'expireAfter', 'id']
  const inner = [
    'copies',
    'pages',
    'paper',
    'rotate',
    'dpi',
    'fit_to_page',
    'duplex',
    'encoding',
    'size',
    'units',
  ]
  for (const value of values) {
    for (const name of [...names, ...WORDS]) {
      const json = `{"label":"${ZPL64}",${JSON.stringify(name)}:${value}}`
      onPurpose(t, json, () => readPayload(json, 'id'))
      onPurpose(t, json, () => readReply(`{"labels":[${json},${value}],"ids":[${value}]}`))
    }
    for (const name of [...inner, ...WORDS]) {
      const options = `{${JSON.stringify(name)}:${value}}`
      const job = `{"printerId":1,"contentType":"raw_base64","content":"${ZPL64}","options":${options}`
      for (const more of [
        '',
        `,"qty":${value}`,
        `,"authentication":{"type":${value}}`,
        `,"title":${value}`,
      ])
        onPurpose(t, job + more, () =>
          readPrintNode(Buffer.from(`${job}${more}}`), 'application/json'),
        )
      const item = `{"type":"PIXEL","format":"PDF","flavor":"BASE64","data":"${ZPL64}","options":${options}}`
      for (const data of [`[${item}]`, `["^XA^XZ"]`, `[${value}]`]) {
        const params = JSON.parse(`{"printer":${value},"options":${options},"data":${data}}`)
        onPurpose(t, data, () => readQz(params))
        onPurpose(t, data, () => listAddresses(params))
      }
    }
    const form = `${encodeURIComponent(value)}=1&options[${encodeURIComponent(value)}]=1&printerId=1`
    onPurpose(t, form, () => readPrintNode(Buffer.from(form), 'application/x-www-form-urlencoded'))
    onPurpose(t, value, () =>
      checkPackList(JSON.parse(`{"items":[${value}],"order":${value},"ship_to":${value}}`)),
    )
    onPurpose(t, value, () =>
      checkConfig(JSON.parse(`{"printers":[${value}],"queues":[{"type":${value}}]}`)),
    )
  }
  for (const word of CASES) {
    t.equal(typeof parseDeviceId(`MFG:x;MDL:y;${word}:z;CMD:ZPL;`)?.model, 'string')
    onPurpose(t, word, () => parseErrorReport(word))
    onPurpose(t, word, () => findModel({ make: word, model: word, vendorId: 0, productId: 0 }))
  }
  t.end()
})

t.test('HTTP: no call has a fault of ours for an answer', async (t) => {
  const rig = startShipping(t)
  const send = async (path: string, type: string, body: string): Promise<void> => {
    const response = await rig.call(path, {
      method: 'POST',
      headers: { 'content-type': type, prefer: 'respond-async' },
      body,
    })
    const text = await response.text()
    t.notMatch(text, /"INTERNAL"/, `${path} ${body}`)
  }
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  for (const word of WORDS) {
    const label = encodeURIComponent(ZPL64)
    await send('/', form, `label=${label}&${word}=1&printer=${word}&title=${word}`)
    await send('/', json, `{"label":"${ZPL64}","${word}":1,"printer":"${word}"}`)
    await send('/packlist', json, `{"items":[{"name":"${word}","${word}":1}],"${word}":"${word}"}`)
    const list = await rig.call(`/jobs?${word}=1&state=${word}&printer=${word}`)
    t.not(list.status, 500, word)
    t.not((await rig.call(`/web/${word}`)).status, 500, word)
    const params = JSON.parse(`{"${word}":"${word}","service":"${word}","image_type":"${word}"}`)
    await rig.ask('SubmitShipment', { ...TWO_PARCELS, ...params })
    await rig.ask(word, params)
    await rig.post({ carrier: word, action: 'Track', params })
  }
  for (const odd of ODD) {
    await send('/', json, `{"label":"${ZPL64}","printer":${odd}}`)
    await send('/', json, `{"label":${odd}}`)
    await send('/packlist', json, `{"items":[{"name":${odd},"quantity":${odd}}],"order":${odd}}`)
    for (const name of Object.keys(TWO_PARCELS)) {
      const params = JSON.parse(`{"${name}":${odd}}`)
      await rig.ask('SubmitShipment', { ...TWO_PARCELS, ...params })
    }
    await rig.post(`{"carrier":${odd},"action":${odd},"params":${odd},"account":${odd}}`)
  }
  t.same(
    rig.log.filter(({ event }) => event === 'request failed'),
    [],
  )
  t.same(rig.bench.faults, [])
})

/** A plain object answers to `constructor`, a Map does not; and a name that is looked up in a table comes from outside sooner or later. */
t.test('tables by name are Maps', (t) => {
  const src = join(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((one) => one.endsWith('.ts'))) {
    const text = readFileSync(join(src, file), 'utf8')
    const tables = text.matchAll(
      /^(?:export )?const (\w+): (?:Readonly<)?(?:Partial<)?Record<string,/gm,
    )
    for (const [, name = ''] of tables) {
      const bare = [...text.matchAll(new RegExp(`\\b${name}\\[(?!['"])`, 'g'))]
      t.same(
        bare.map(([found]) => found),
        [],
        `${file}: make ${name} a Map`,
      )
    }
  }
  t.end()
})
