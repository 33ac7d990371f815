// Runs inside the server (node --import) and tells over a socket how long its longest turn was, in processor time of the
// loop's own thread: on a busy machine it is the same. Beside it, how long a known piece of work takes there at that moment.
import { createServer } from 'node:net'

const KNOWN_RUNS = 5

let last = process.threadCpuUsage()
let longest = 0

/** Milliseconds of the loop's thread since it was asked last. */
function passed() {
  const now = process.threadCpuUsage()
  const ms = (now.user + now.system - last.user - last.system) / 1_000
  last = now
  return ms
}

/** 4 ms on a machine that is four times as fast as the box. */
function work() {
  const text = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => ({ n, word: `${n * 7}` })))
  let sum = 0
  for (let n = 0; n < 20; n += 1) sum += JSON.parse(text).length + text.indexOf('"none"')
  return sum
}

/** The middle one of some runs. */
function timeKnown() {
  const times = Array.from({ length: KNOWN_RUNS }, () => {
    passed()
    work()
    return passed()
  })
  return times.sort((a, b) => a - b)[Math.floor(KNOWN_RUNS / 2)]
}

const file = process.env.PLATEN_TURN_METER
if (file !== undefined) {
  // Its children have no meter.
  delete process.env.PLATEN_TURN_METER
  delete process.env.NODE_OPTIONS
  setInterval(() => {
    longest = Math.max(longest, passed())
  }, 1).unref()
  createServer((socket) => {
    const told = { longest: Math.max(longest, passed()), known: timeKnown() }
    longest = 0
    passed()
    socket.end(JSON.stringify(told))
  })
    .listen(file)
    .unref()
}
