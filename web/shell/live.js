/** Seconds between two tries to reach the server again. Decision `live-page`. */
const BACK_OFF = [1, 2, 4, 8, 15]
/** The place in BACK_OFF that is kept while asking works and the stream of events does not. */
const POLLING = 2
/** Silence after which the page asks whether the server is still there: a pulled cable closes nothing. */
const SILENCE_MS = 20_000
const ANSWER_MS = 5_000
/** Each stream begins with events: where none has come by then, something in between holds it back. */
const FIRST_MS = 10_000
/** Between two looks of a page that may not follow the events. */
const LOOK_MS = 3_000

/**
 * Follows `GET /events`. While that fails it asks by hand, so that a proxy without streaming still works.
 * A hidden tab lets go of its connection: browsers allow six a server, and a bench has many tabs.
 * @param {object} listener
 * @param {(type: 'job' | 'printer' | 'spool', value: any) => void} listener.onEvent
 * @param {() => boolean} listener.mayFollow false: the events are for whoever logs in
 * @param {() => Promise<void>} listener.refresh asks for everything; rejects when nobody answers
 * @param {(trouble: unknown) => void} listener.onConnection undefined: all is well; else why asking failed
 */
export function followEvents({ onEvent, mayFollow, refresh, onConnection }) {
  /** @type {EventSource | undefined} */
  let events
  let tries = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function open() {
    close()
    if (document.hidden) return
    if (!mayFollow()) return lookLater()
    events = new EventSource('/events')
    timer = setTimeout(retry, FIRST_MS)
    events.onopen = () => void ask()
    events.onerror = retry
    for (const type of /** @type {const} */ (['job', 'printer', 'spool'])) {
      events.addEventListener(type, (event) => {
        tries = 0
        watchSilence()
        onEvent(type, JSON.parse(event.data))
      })
    }
  }

  function lookLater() {
    timer = setTimeout(async () => {
      await ask()
      open()
    }, LOOK_MS)
  }

  function close() {
    clearTimeout(timer)
    events?.close()
    events = undefined
  }

  async function ask() {
    const trouble = await refresh().then(
      () => undefined,
      (error) => error,
    )
    const isThere = trouble === undefined
    onConnection(trouble)
    if (events === undefined) {
      // Only the stream is broken: ask every few seconds.
      if (isThere) tries = Math.min(tries, POLLING)
    } else if (!isThere) retry()
  }

  function watchSilence() {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const isThere = await fetch('/healthz', { signal: AbortSignal.timeout(ANSWER_MS) }).then(
        () => true,
        () => false,
      )
      if (events === undefined) return
      if (isThere) watchSilence()
      else retry()
    }, SILENCE_MS)
  }

  function retry() {
    close()
    const seconds = BACK_OFF[Math.min(tries, BACK_OFF.length - 1)] ?? 1
    tries += 1
    void ask()
    timer = setTimeout(open, seconds * 1000)
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
  addEventListener('online', open)
  // The first question fetches the cookie that the stream of events needs.
  void refresh().then(open, retry)

  return {
    /** Begins again: somebody logged in or out. */
    async restart() {
      close()
      await ask()
      open()
    },
  }
}
