// The first program of the container image: writes the settings of a first start, and is its health check.
//   start.cjs [ARGUMENT...]     as platen.js; only without a command of its own it writes settings
//   start.cjs health            exit 0: the server answers and is well; 1 with a sentence: it is not
//   env, for the settings of the first start only: PLATEN_USERNAME (admin), PLATEN_PASSWORD or PLATEN_PASSWORD_FILE,
//   PLATEN_HOSTS: names and addresses by which people call the server, with commas between them
'use strict'
const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { request } = require('node:http')
const { basename, join } = require('node:path')

const LIMIT_MS = 4_000
const CONFIG_BROKEN = 78 // EX_CONFIG of sysexits.h, as the program has it
const FIRST = join(__dirname, '../share/config.json')
const program = join(__dirname, 'platen.js')
const { env } = process
const config = env.PLATEN_CONFIG

/** Variables are read once: with a wrong value in the file, no later start would look at the corrected one. */
function refuse(sentences) {
  process.stderr.write(`${sentences}\n`)
  process.exit(CONFIG_BROKEN)
}

/** A blank one, as of a variable that is not set where it is copied from, would be none for good. */
function readPassword() {
  const { PLATEN_PASSWORD_FILE: file, PLATEN_PASSWORD: given } = env
  try {
    const password = file ? readFileSync(file, 'utf8').trimEnd() : given
    if (password !== '') return password
  } catch (error) {
    refuse(`${error.message}.\n${file} must be readable by user ${process.getuid()}.`)
  }
  return refuse('The password is blank.\nSet PLATEN_PASSWORD or leave it out.')
}

/** What the file does not say comes from the program's own defaults. */
function makeSettings() {
  const settings = JSON.parse(readFileSync(FIRST, 'utf8'))
  const password = readPassword()
  if (password) Object.assign(settings, { username: env.PLATEN_USERNAME || 'admin', password })
  const hosts = (env.PLATEN_HOSTS ?? '').split(',').map((name) => name.trim())
  const named = hosts.filter((name) => name !== '')
  if (named.length > 0) settings.allowed_hosts = named
  return `${JSON.stringify(settings, undefined, 2)}\n`
}

function writeFirstSettings() {
  try {
    if (existsSync(config)) return
    // Whole or not at all: with one that was cut off the server would never start.
    writeFileSync(`${config}.new`, makeSettings(), { mode: 0o600, flush: true })
    refuseFaults(`${config}.new`)
    renameSync(`${config}.new`, config)
  } catch (error) {
    process.stderr.write(
      `The settings of the first start are not written: ${error.message}.\n` +
        `The volume must be writable by user ${process.getuid()}: see docs/containers.md.\n`,
    )
    process.exit(73) // EX_CANTCREAT of sysexits.h
  }
}

function refuseFaults(draft) {
  const words = [program, '--check-config', '--config', draft]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== CONFIG_BROKEN) return
  rmSync(draft)
  const faults = stderr.split('\n').filter((line) => line.startsWith(basename(draft)))
  const told = faults.join('\n').replaceAll(`${basename(draft)}: `, '')
  refuse(`${told}\nCorrect PLATEN_HOSTS, PLATEN_USERNAME or PLATEN_PASSWORD and start again.`)
}

/** Where this start listens, as the server has noted; another port of the settings counts from the next. */
function readPort() {
  try {
    const [address] = readFileSync(join(env.STATE_DIRECTORY, 'address'), 'utf8').split('\n')
    return new URL(address).port || '80'
  } catch {
    return undefined // not noted yet
  }
}

function checkHealth() {
  // As the server reads it: with the mark of an editor on Windows, and null for what is left out.
  const settings = JSON.parse(readFileSync(config, 'utf8').replace(/^\uFEFF/, ''))
  const host = settings.host ?? 'localhost'
  const port = readPort() ?? settings.port ?? '8080'
  const isLocal = ['', 'localhost', '0.0.0.0'].includes(host)
  const at = { host: isLocal ? '127.0.0.1' : host.replace(/^::$/, '::1'), port, path: '/healthz' }
  const fail = (error) => {
    process.stderr.write(`The print server does not answer: ${error.message}.\n`)
    process.exit(1)
  }
  const asked = request({ ...at, agent: false, timeout: LIMIT_MS }, (answer) => {
    answer.resume()
    answer.on('end', () => process.exit(answer.statusCode === 200 ? 0 : 1))
  })
  asked.on('timeout', () => asked.destroy(new Error(`nothing within ${LIMIT_MS / 1000} s`)))
  asked.on('error', fail)
  asked.end()
}

const [, , first] = process.argv
if (first === 'health') checkHealth()
else {
  if (first === undefined || first.startsWith('--')) writeFirstSettings()
  process.argv[1] = program
  require(program)
}
