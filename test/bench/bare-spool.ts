import { fdatasync, openSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

// The floor of an accept that keeps labels one by one: what bare-accepts.ts does, and in between it reads the JSON, decodes
// the base64 and inserts a row into the database whose log it flushes. It checks nothing, and answers with the row's number.

const file = process.argv[2] ?? ''
const db = new DatabaseSync(file)
db.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL')
db.exec('PRAGMA wal_autocheckpoint=200; PRAGMA journal_size_limit=1638400')
db.exec(
  'CREATE TABLE job(id INTEGER PRIMARY KEY, printer TEXT, state TEXT, at INTEGER, label BLOB)',
)
db.exec('CREATE INDEX job_queue ON job(state, printer, id)')
const insert = db.prepare("INSERT INTO job(printer, state, at, label) VALUES(?, 'pending', ?, ?)")
const log = openSync(`${file}-wal`, 'r+')

interface Waiting {
  readonly printer: string
  readonly label: Uint8Array
  readonly response: ServerResponse
}

let waiting: Waiting[] = []
let isWriting = false

function writeAll(): void {
  if (isWriting || waiting.length === 0) return
  isWriting = true
  const group = waiting
  waiting = []
  db.exec('BEGIN IMMEDIATE')
  const ids = group.map(
    ({ printer, label }) => insert.run(printer, Date.now(), label).lastInsertRowid,
  )
  db.exec('COMMIT')
  fdatasync(log, (error) => {
    if (error !== null) throw error
    for (const [index, { response }] of group.entries()) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ Status: 'OK', jobs: [{ id: String(ids[index]) }] })
      response.writeHead(202, headers).end(body)
    }
    isWriting = false
    writeAll()
  })
}

function take(incoming: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = []
  incoming.on('data', (part: Buffer) => parts.push(part))
  incoming.on('end', () => {
    const { printer, label } = JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>
    waiting.push({ printer: printer ?? '', label: Buffer.from(label ?? '', 'base64'), response })
    setImmediate(writeAll) // those that come in the same turn share it
  })
}

const server = createServer((incoming, response) => {
  if (incoming.method === 'POST') take(incoming, response)
  else response.end('{"Status":"OK"}')
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
