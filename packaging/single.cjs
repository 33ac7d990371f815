// The start of the single executable: unpacks the program beside the user's other caches, once for each build, and runs it
// from there. CommonJS, because Node 24 starts nothing else from inside an executable.
const { createRequire } = require('node:module')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const sea = require('node:sea')
const { gunzipSync } = require('node:zlib')

/** Where programs may unpack themselves. */
function findCache() {
  if (process.platform === 'win32') {
    return path.join(
      process.env.LOCALAPPDATA ?? path.join(os.homedir(), 'AppData', 'Local'),
      'platen',
    )
  }
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Caches', 'platen')
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'platen')
}

/** The folder of this build's program, unpacked whole or not at all: it is renamed into place. */
function unpack() {
  const { id } = JSON.parse(sea.getAsset('build.json', 'utf8'))
  const folder = path.join(findCache(), id)
  if (fs.existsSync(path.join(folder, 'main.js'))) return folder
  const fresh = `${folder}.${process.pid}`
  // One file: a list of { name, length } as JSON in the first line, then the contents one after the other.
  const all = gunzipSync(Buffer.from(sea.getAsset('program.gz')))
  const end = all.indexOf(10)
  let at = end + 1
  for (const { name, length } of JSON.parse(all.toString('utf8', 0, end))) {
    const file = path.join(fresh, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, all.subarray(at, at + length))
    at += length
  }
  try {
    fs.renameSync(fresh, folder)
  } catch (error) {
    // Another start of the same build was quicker.
    if (!fs.existsSync(path.join(folder, 'main.js'))) throw error
    fs.rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

const folder = unpack()
// A child of the program (the one that makes certificates) is this executable again, with the child's file as its argument.
const [, , first] = process.argv
const child =
  first !== undefined && path.resolve(first).startsWith(folder + path.sep)
    ? path.resolve(first)
    : undefined
if (child !== undefined) process.argv.splice(2, 1)
createRequire(path.join(folder, 'main.js'))(child ?? path.join(folder, 'main.js'))
