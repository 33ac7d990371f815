import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const SETTLE_MS = 200 // from the node's appearance until the kernel's driver has read the device id

/** What a watch looks at. */
export interface WatchParts {
  /** Where the device nodes are, e.g. `/dev/bus/usb`. */
  readonly nodes: string
  /** Between looks, whatever the nodes tell. */
  readonly pollMs: number
  /** What there is, as a text that changes when anything did. */
  readonly look: () => Promise<string>
}

/**
 * Calls `changed` when printers come or go, until `signal` aborts. The truth is the look, every `pollMs`; device nodes that
 * come and go only make it come sooner. They work without udev, and cost no native code; nothing here keeps the process
 * alive.
 */
export function watchPrinters(parts: WatchParts, changed: () => void, signal: AbortSignal): void {
  const watchers = new Map<string, FSWatcher>()
  let before: string | undefined
  let isLooking = false
  let soon: NodeJS.Timeout | undefined
  const look = async () => {
    if (isLooking || signal.aborted) return
    isLooking = true
    await follow(parts.nodes, watchers, hurry)
    const now = await parts.look().catch(() => before ?? '')
    isLooking = false
    const isNew = before !== undefined && now !== before
    before = now
    if (isNew && !signal.aborted) changed()
  }
  const hurry = () => {
    clearTimeout(soon)
    soon = setTimeout(() => void look(), SETTLE_MS).unref()
  }
  const timer = setInterval(() => void look(), parts.pollMs).unref()
  const stop = () => {
    clearInterval(timer)
    clearTimeout(soon)
    for (const watcher of watchers.values()) watcher.close()
    watchers.clear()
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  void look()
}

/** Watches the folder of the nodes and those of the buses in it, which may come later. */
async function follow(
  nodes: string,
  watchers: Map<string, FSWatcher>,
  told: () => void,
): Promise<void> {
  const buses = await readdir(nodes).catch(() => undefined)
  if (buses === undefined) return
  for (const folder of [nodes, ...buses.map((bus) => join(nodes, bus))]) {
    if (watchers.has(folder)) continue
    const watcher = tryWatch(folder, told)
    watcher?.on('error', () => {
      watcher.close()
      watchers.delete(folder)
    })
    if (watcher !== undefined) watchers.set(folder, watcher)
  }
}

/** Undefined when the system has no more watches to give: the looks go on all the same. */
function tryWatch(folder: string, told: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, told)
  } catch {
    return undefined
  }
}
