// One picture to printer bytes in a program of its own: node test/bench/one-picture.js ours|sharp|jimp|zpl-image FILE.
// Prints the most memory it held, in MB.
import { readFile } from 'node:fs/promises'

const [who, file] = process.argv.slice(2)
const format = file.split('.').at(-1)
const bytes = await readFile(file)
if (who === 'ours') await draw()
else await (await import('./peers.js')).ways[who](bytes, format)
// Not resourceUsage, whose figure begins with that of the program that started this one.
const peakKb = /^VmHWM:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8'))[1]
process.stdout.write(String(peakKb / 1024))

async function draw() {
  const { answerRequest } = await import(process.env.RENDERER)
  const target = {
    language: 'zpl',
    dpi: 203,
    labelWidth: 4,
    labelHeight: 6,
    startingPointX: 0,
    startingPointY: 0,
    rotate: 'auto',
    z64: false,
  }
  const reply = await answerRequest({ id: 1, format, label: bytes, target })
  if (reply.error) throw new Error(reply.error.message)
}
