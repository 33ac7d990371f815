import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findClosedPort } from '../listen.ts'
import '../teardown-first.ts'

/** The engines beside Chromium, which Playwright drives (chromium.ts); it cannot drive Debian's builds of these. */
export type Engine = 'Firefox' | 'WebKit'

const FIREFOX = '/usr/bin/firefox-esr'
const WEBKIT = '/usr/bin/WebKitWebDriver'
const MINI = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'
const XVFB = '/usr/bin/Xvfb'
const LIMIT_MS = 120_000 // of one wait, on a busy machine
const LOOK_MS = 50

/** Tells why an engine cannot be tried here, or false. */
export function skipReason(engine: Engine): string | false {
  const needed = engine === 'Firefox' ? [FIREFOX] : [WEBKIT, MINI, XVFB]
  const packages = engine === 'Firefox' ? 'firefox-esr' : 'webkit2gtk-driver xvfb'
  const missing = needed.filter((file) => !existsSync(file))
  return missing.length > 0 && `${missing.join(', ')} is missing: apt-get install ${packages}`
}

export const KEYS = { tab: '\uE004', enter: '\uE007', escape: '\uE00C', shift: '\uE008' } as const

/** A window of a browser of its own, driven by WebDriver: the parts that the tests need. */
export interface Driver extends AsyncDisposable {
  /** Errors of scripts and of the console. */
  complaints(): readonly string[]
  goto(url: string): Promise<void>
  /** Returns the value of the expression, awaited, by way of JSON. */
  evaluate<T>(expression: string): Promise<T>
  /** Polls until the expression is true, and gives what it is. */
  until<T>(expression: string): Promise<T>
  /** Presses with the mouse what the selector finds, and says where nothing is there to press. */
  click(selector: string): Promise<void>
  /** Presses and lets go of each key. */
  press(...keys: readonly string[]): Promise<void>
  /** Chooses files in an input, as the dialog of the browser would. */
  choose(selector: string, files: readonly string[]): Promise<void>
}

/** The differences between the two protocols. */
interface Wire {
  complaints(): readonly string[]
  goto(url: string): Promise<void>
  evaluate(expression: string): Promise<string>
  perform(actions: readonly object[]): Promise<void>
  choose(selector: string, files: readonly string[]): Promise<void>
  end(): Promise<void>
}

/**
 * Starts the engine with a profile in `folder`.
 * @throws when it does not start
 */
export async function openEngine(engine: Engine, folder: string): Promise<Driver> {
  mkdirSync(folder, { recursive: true })
  const wire = engine === 'Firefox' ? await openFirefox(folder) : await openWebKit(folder)
  const evaluate = async <T>(expression: string): Promise<T> =>
    (JSON.parse(await wire.evaluate(expression)) as { value: T }).value
  const until = async <T>(expression: string): Promise<T> => {
    const end = performance.now() + LIMIT_MS
    for (;;) {
      const seen = await evaluate<T>(expression)
      if (seen) return seen
      if (performance.now() > end) throw new Error(`${engine}: never ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  return {
    complaints: wire.complaints,
    evaluate,
    until,
    goto: wire.goto,
    choose: wire.choose,
    async click(selector) {
      const [x = 0, y = 0] = await until<number[]>(steadyPlaceOf(selector))
      const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' } }
      const [down, up] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))
      const move = { type: 'pointerMove', x, y, origin: 'viewport' }
      await wire.perform([{ ...pointer, actions: [move, down, up] }])
    },
    async press(...keys) {
      const actions = keys.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await wire.perform([{ type: 'key', id: 'keys', actions }])
    },
    async [Symbol.asyncDispose]() {
      await wire.end()
    },
  }
}

/** The middle of the first element that can be pressed there: it is in sight, and nothing lies above it. */
function placeOf(selector: string): string {
  return `(() => {
    for (const element of document.querySelectorAll(${JSON.stringify(selector)})) {
      if (element.disabled) continue
      element.scrollIntoView({ block: 'center' })
      const { x, y, width, height } = element.getBoundingClientRect()
      const at = [Math.round(x + width / 2), Math.round(y + height / 2)]
      if (width > 0 && element.contains(document.elementFromPoint(...at))) return at
    }
  })()`
}

/** ... once it stays where it is: what comes in meanwhile moves what is below it. */
function steadyPlaceOf(selector: string): string {
  const place = placeOf(selector)
  return `(async () => {
    const before = ${place}
    await new Promise((resolve) => setTimeout(resolve, 150))
    const now = ${place}
    return String(before) === String(now) && now
  })()`
}

/** An expression that gives JSON: an object, since JSON has no undefined. */
const asJson = (expression: string): string =>
  `(async () => JSON.stringify({ value: await (${expression}) }))()`

/** Preferences that keep it from talking to anybody but the page. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.server': '',
}

/** Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
async function openFirefox(folder: string): Promise<Wire> {
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  )
  writeFileSync(join(folder, 'user.js'), lines.join(''))
  const args = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', folder]
  const browser = spawn(FIREFOX, args, {
    env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const address = await lineOf(browser, browser.stderr, /BiDi listening on (ws:\S+)/)
  const { send, onEvent, close } = await openSocket(`${address}/session`)
  await send('session.new', { capabilities: {} })
  // A tab of its own: in the first one the keyboard is in the bar of addresses.
  const { context } = await send('browsingContext.create', { type: 'tab' })
  const complaints: string[] = []
  onEvent(({ method, params }) => {
    if (method === 'log.entryAdded' && params.level === 'error') complaints.push(params.text)
  })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const target = { context }
  const run = async (expression: string) => {
    const answer = await send('script.evaluate', { expression, target, awaitPromise: true })
    if (answer.type !== 'success') throw new Error(`${answer.exceptionDetails.text}: ${expression}`)
    return answer.result
  }
  return {
    complaints: () => complaints,
    async goto(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    evaluate: async (expression) => (await run(asJson(expression))).value,
    async perform(actions) {
      await send('input.performActions', { context, actions })
    },
    async choose(selector, files) {
      const { sharedId } = await run(`document.querySelector(${JSON.stringify(selector)})`)
      await send('input.setFiles', { context, element: { sharedId }, files })
    },
    async end() {
      await send('browser.close', {}).catch(() => undefined)
      close()
      await endOf(browser)
    },
  }
}

/** The parts of results and events that are read here, each of some commands, as the standard has them. */
interface Answer {
  readonly context: string
  readonly type: string
  readonly result: { readonly value: string; readonly sharedId: string }
  readonly exceptionDetails: { readonly text: string }
  readonly level: string
  readonly text: string
}

interface Socket {
  send(method: string, params: object): Promise<Answer>
  onEvent(take: (event: { method: string; params: Answer }) => void): void
  close(): void
}

/** Commands and their answers, by their ids; what has none is an event. */
async function openSocket(url: string): Promise<Socket> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`${url} does not answer`))
  })
  const waiting = new Map<number, PromiseWithResolvers<Answer>>()
  let take: (event: { method: string; params: Answer }) => void = () => undefined
  let last = 0
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data))
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (asked === undefined) take(message)
    else if (message.type === 'success') asked.resolve(message.result)
    else asked.reject(new Error(`${message.error}: ${message.message}`))
  }
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has gone'))
  }
  return {
    async send(method, params) {
      const asked = Promise.withResolvers<Answer>()
      last += 1
      waiting.set(last, asked)
      socket.send(JSON.stringify({ id: last, method, params }))
      return await asked.promise
    },
    onEvent(listener) {
      take = listener
    },
    close: () => socket.close(),
  }
}

/** A refusal by WebDriver. */
interface Refused {
  readonly error: string
  readonly message: string
}

/** WebKitGTK's MiniBrowser by WebDriver (https://www.w3.org/TR/webdriver2/), on a screen of its own. */
async function openWebKit(folder: string): Promise<Wire> {
  const screen = spawn(
    XVFB,
    ['-displayfd', '1', '-screen', '0', '1920x1200x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const display = await lineOf(screen, screen.stdout, /^(\d+)$/)
  const port = await findClosedPort()
  const driver = spawn(WEBKIT, [`--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: `:${display}`,
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      NO_AT_BRIDGE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      LC_ALL: 'C', // it then calls its language `C`, which is none
    },
    stdio: 'ignore',
  })
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { value } = (await answer.json()) as { value: T | Refused }
    if (!answer.ok) throw new Error(`${(value as Refused).error}: ${(value as Refused).message}`)
    return value as T
  }
  await untilReady(() => call('GET', '/status'), driver)
  // The driver throws away what its browser writes.
  const [binary, log] = [join(folder, 'browser'), join(folder, 'console')]
  writeFileSync(binary, `#!/bin/sh\nexec ${MINI} "$@" >'${log}' 2>&1\n`, { mode: 0o755 })
  const options = {
    binary,
    args: ['--automation', '--enable-write-console-messages-to-stdout=true'],
  }
  const { sessionId } = await call<{ readonly sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })
  const session = `/session/${sessionId}`
  await call('POST', `${session}/timeouts`, { script: LIMIT_MS, pageLoad: LIMIT_MS })
  return {
    complaints: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /^CONSOLE .*ERROR/.test(line)),
    async goto(url) {
      await call('POST', `${session}/url`, { url })
    },
    evaluate: async (expression) =>
      await call('POST', `${session}/execute/sync`, {
        script: `return ${asJson(expression)}`,
        args: [],
      }),
    async perform(actions) {
      await call('POST', `${session}/actions`, { actions })
    },
    async choose(selector, files) {
      const found = await call<Readonly<Record<string, string>>>('POST', `${session}/element`, {
        using: 'css selector',
        value: selector,
      })
      const [id] = Object.values(found)
      await call('POST', `${session}/element/${id}/value`, { text: files.join('\n') })
    },
    async end() {
      await call('DELETE', session).catch(() => undefined)
      driver.kill()
      screen.kill()
      await Promise.all([endOf(driver), endOf(screen)])
    },
  }
}

/** Polls until the driver answers. */
async function untilReady(ask: () => Promise<unknown>, driver: ChildProcess): Promise<void> {
  const end = performance.now() + LIMIT_MS
  for (;;) {
    const isThere = await ask().then(
      () => true,
      () => false,
    )
    if (isThere) return
    if (driver.exitCode !== null || performance.now() > end)
      throw new Error(`${WEBKIT} does not start`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** The first group of the first line that matches. */
async function lineOf(
  child: ChildProcess,
  stream: NodeJS.ReadableStream,
  wanted: RegExp,
): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  return await new Promise((resolve, reject) => {
    const fail = () => {
      child.kill('SIGKILL')
      reject(new Error(`${child.spawnfile} does not start`))
    }
    signal.addEventListener('abort', fail)
    child.once('exit', fail)
    createInterface({ input: stream }).on('line', (line) => {
      const [, found] = wanted.exec(line) ?? []
      if (found === undefined) return
      signal.removeEventListener('abort', fail)
      child.off('exit', fail)
      resolve(found)
    })
  })
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await once(child, 'exit')
  clearTimeout(late)
}
