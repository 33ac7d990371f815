import { readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { LabelFault, toFaultData } from './fault.ts'
import type { PdfAnswer, PdfQuestion } from './pages/look.ts'

// Entry of the process that reads PDFs; its argument is the file of PDFium: it is killed when one takes too long, and ends
// with its parent. Its bounds are set before anything is compiled: the quick compiler alone halves the memory, and 64 MB
// are enough for every real PDF.
setFlagsFromString('--liftoff-only')
setFlagsFromString('--wasm-max-mem-pages=1024')

// Where memory runs out it is this process that goes, never the server (proc(5)); Linux alone asks for that.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000')
} catch {}

// A page without an end keeps this thread busy for ever, so that it would never hear that its parent was killed: another
// one watches. It has no code of ours in common with this one, and starts quickly as a text.
const WATCH = `
const parent = process.ppid
setInterval(() => {
  let isThere = process.ppid === parent
  try {
    process.kill(parent, 0)
  } catch (error) {
    isThere = isThere && error.code === 'EPERM'
  }
  if (!isThere) process.kill(process.pid, 'SIGKILL')
}, 500)`
const SMALL = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
new Worker(WATCH, { eval: true, env: {}, resourceLimits: SMALL }).unref()

/** In a function: the single executable cannot start a module that waits. */
async function serve(): Promise<void> {
  const [{ loadPdfium }, { drawLabel, listLabels }] = await Promise.all([
    import('./codecs/pdf/pdfium.ts'),
    import('./pages/look.ts'),
  ])
  const [wasm = ''] = process.argv.slice(2)
  const pdf = await loadPdfium(readFileSync(wasm))
  const answer = ({ pdf: bytes, paper, ask }: PdfQuestion): PdfAnswer => {
    try {
      if (bytes !== undefined) pdf.open(bytes)
      return 'list' in ask
        ? { labels: listLabels(pdf, ask.list, paper) }
        : { drawn: drawLabel(pdf, ask.draw, paper) }
    } catch (error) {
      if (!(error instanceof LabelFault)) throw error
      return { fault: toFaultData(error) }
    }
  }
  process.on('message', (question: PdfQuestion) => process.send?.(answer(question)))
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

void serve()
