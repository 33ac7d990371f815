// The start of the single executable: unpacks the program beside the user's other caches, once for each build, and runs it
// from there. CommonJS, because Node 24 starts nothing else from inside an executable.
const { spawn } = require('node:child_process')
const { createRequire } = require('node:module')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const sea = require('node:sea')
const { gunzipSync } = require('node:zlib')

const UNTOUCHED = new Date('2001-01-01') // whoever writes into an unpacked file moves its time away from this
const UNUSED_MS = 7 * 24 * 3600_000
const CANNOT_CREATE = 73 // EX_CANTCREAT of sysexits.h

/** Where programs may unpack themselves. */
function findCache() {
  if (process.platform === 'win32') {
    const local = process.env.LOCALAPPDATA ?? path.join(os.homedir(), 'AppData', 'Local')
    return path.join(local, 'platen', 'program')
  }
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Caches', 'platen')
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'platen')
}

/** The files of this build that are not in the folder as they were unpacked: cleaners and virus scanners take some away. */
function listBroken(folder, files) {
  return files.filter(({ name, length }) => {
    const stat = fs.statSync(path.join(folder, name), { throwIfNoEntry: false })
    return stat?.size !== length || stat.mtimeMs !== UNTOUCHED.getTime()
  })
}

/** Writes these files of the program; each appears whole. */
function write(folder, wanted) {
  const names = new Set(wanted.map(({ name }) => name))
  // One file: a list of { name, length } as JSON in the first line, then the contents one after the other.
  const all = gunzipSync(Buffer.from(sea.getAsset('program.gz')))
  const end = all.indexOf(10)
  let at = end + 1
  for (const { name, length } of JSON.parse(all.toString('utf8', 0, end))) {
    if (names.has(name)) {
      const file = path.join(folder, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(`${file}.${process.pid}`, all.subarray(at, at + length))
      fs.utimesSync(`${file}.${process.pid}`, UNTOUCHED, UNTOUCHED)
      fs.renameSync(`${file}.${process.pid}`, file)
    }
    at += length
  }
}

/** The folder of this build's program. A new one appears whole: it is renamed into place. */
function unpack({ id, files }) {
  const folder = path.join(findCache(), id)
  if (fs.existsSync(folder)) {
    const broken = listBroken(folder, files)
    if (broken.length > 0) write(folder, broken)
    return folder
  }
  const fresh = `${folder}.${process.pid}`
  write(fresh, files)
  try {
    fs.renameSync(fresh, folder)
  } catch (error) {
    // Another start of the same build was quicker.
    if (!fs.existsSync(path.join(folder, 'main.js'))) throw error
    fs.rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

/** Removes the programs of other builds that nobody has started for a week and that no process runs; notes that this one does. */
function tidy(own) {
  const cache = path.dirname(own)
  const running = path.join(cache, 'running')
  fs.mkdirSync(running, { recursive: true })
  const used = new Set([path.basename(own)])
  for (const pid of fs.readdirSync(running)) {
    const note = path.join(running, pid)
    if (isAlive(Number(pid))) used.add(fs.readFileSync(note, 'utf8'))
    else fs.rmSync(note, { force: true })
  }
  fs.writeFileSync(path.join(running, String(process.pid)), path.basename(own))
  fs.utimesSync(own, new Date(), new Date())
  for (const name of fs.readdirSync(cache)) {
    const folder = path.join(cache, name)
    const isBuild = /^\d+\.\d+\.\d+\S*-[0-9a-f]{16}(?:\.\d+)?$/.test(name)
    if (!isBuild || used.has(name) || Date.now() - fs.statSync(folder).mtimeMs < UNUSED_MS) continue
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** True when Windows opens no console for this executable: the field Subsystem of its header (Microsoft, "PE Format"). */
function isWindowless() {
  if (process.platform !== 'win32') return false
  const head = Buffer.alloc(4096)
  const file = fs.openSync(process.execPath)
  fs.readSync(file, head, 0, head.length, 0)
  fs.closeSync(file)
  return head.readUInt16LE(head.readUInt32LE(0x3c) + 0x5c) === 2
}

/** Nothing is unpacked yet that could show a page: without a console Windows' own editor shows the sentence. */
function fail(error) {
  const sentence =
    `platen cannot unpack itself into ${findCache()}: ${error.message}.\n` +
    'Give this user write access to that folder and room on its disk, then start platen again.\n'
  process.stderr.write(sentence)
  if (process.env.PLATEN_WINDOWLESS) {
    const file = path.join(os.tmpdir(), 'platen does not start.txt')
    fs.writeFileSync(file, sentence.replaceAll('\n', '\r\n'))
    spawn('notepad.exe', [file], { detached: true, stdio: 'ignore' }).unref()
  }
  process.exit(CANNOT_CREATE)
}

function prepare() {
  try {
    return unpack(JSON.parse(sea.getAsset('build.json', 'utf8')))
  } catch (error) {
    return fail(error)
  }
}

if (isWindowless()) process.env.PLATEN_WINDOWLESS = '1'
const folder = prepare()
// A child of the program (the one that makes certificates) is this executable again, with the child's file as its argument.
const [, , first] = process.argv
const child =
  first !== undefined && path.resolve(first).startsWith(folder + path.sep)
    ? path.resolve(first)
    : undefined
if (child !== undefined) process.argv.splice(2, 1)
else {
  try {
    tidy(folder)
  } catch {
    // Another start tidies up at the same moment, or a scanner holds a file: the next start does it.
  }
}
createRequire(path.join(folder, 'platen.js'))(child ?? path.join(folder, 'platen.js'))
