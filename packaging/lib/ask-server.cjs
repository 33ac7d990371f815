// Asks the print server of this computer, for the update script:
//   ask-server busy              exit 0: no label is being printed; 3: one is; 1: no answer. Prints nothing.
//   ask-server health            prints the version that answers and is well; exit 1 with a sentence when none is
//   ask-server night [TIME]      exit 0: it is 2:00 to 5:00 in the time zone of the configuration, or else of this computer;
//                                3: it is not. Prints the time there. TIME stands for now (tests).
//   On standard input: what `platen --check-config` prints (host, port and time_zone are in it).
'use strict'
const { readFileSync } = require('node:fs')
const { request } = require('node:http')

const [question, at] = process.argv.slice(2)
const STDIN = 0
const LIMIT_MS = 5_000
const BYTES_MOST = 65_536

/** Where the server of this configuration answers on this very computer. */
function findAddress() {
  const { host = 'localhost', port = '8080' } = JSON.parse(readFileSync(STDIN, 'utf8'))
  const isEverywhere = host === '' || host === 'localhost' || host === '0.0.0.0'
  if (host === '::') return { host: '::1', port }
  return { host: isEverywhere ? '127.0.0.1' : host, port }
}

function get(path) {
  const { promise, resolve, reject } = Promise.withResolvers()
  const asked = request({ ...findAddress(), path, agent: false, timeout: LIMIT_MS }, (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (chunk) => {
      text += chunk
      if (text.length > BYTES_MOST) asked.destroy(new Error('the answer is too long'))
    })
    answer.on('end', () => resolve({ status: answer.statusCode, text }))
    answer.on('error', reject)
  })
  asked.on('timeout', () => asked.destroy(new Error(`no answer within ${LIMIT_MS / 1000} s`)))
  asked.on('error', reject)
  asked.end()
  return promise
}

/** `02:30`; Node.js brings the zones and their summer times along, the SD image has none. */
function tellTime(timeZone) {
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  return new Intl.DateTimeFormat('en', { ...clock, timeZone }).format(
    at ? new Date(at) : new Date(),
  )
}

/** With settings that cannot be read no server runs, and this computer's own zone is good enough. */
function tellTimeThere() {
  try {
    const { time_zone: zone } = JSON.parse(readFileSync(STDIN, 'utf8'))
    return { time: tellTime(zone), place: zone ? ` in ${zone}` : '' }
  } catch {
    return { time: tellTime(), place: '' }
  }
}

async function main() {
  if (question === 'night') {
    const { time, place } = tellTimeThere()
    process.stdout.write(`${time}${place}\n`)
    return time >= '02:00' && time < '05:00' ? 0 : 3
  }
  if (question === 'busy') {
    const { jobs } = JSON.parse((await get('/info')).text)
    return jobs.processing + jobs['processing-stopped'] > 0 ? 3 : 0
  }
  const { status, text } = await get('/healthz')
  const { version, Message } = JSON.parse(text)
  if (status === 200) process.stdout.write(`${version}\n`)
  else process.stderr.write(`${Message || `status ${status}`}\n`)
  return status === 200 ? 0 : 1
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  },
)
