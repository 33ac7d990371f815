// In place of the package of this name in the bundle of tap (bundle-tap.ts): finds the test that an error belongs to which nobody
// caught. The package follows every promise and timer by async hooks, which took a quarter of the time of a test that waits for
// many of them. Node keeps an AsyncLocalStorage without hooks.
import { AsyncLocalStorage } from 'node:async_hooks'

type OnError = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => void

const scopes = new AsyncLocalStorage<AsyncResource>()
/** The domain of code that runs in no test. */
let outermost: Domain | undefined

/** A resource in which tap runs a test. Everything that begins in it belongs to the domain that was made in it. */
export class AsyncResource {
  readonly #parent = scopes.getStore()
  domain: Domain | undefined

  runInAsyncScope<Args extends readonly unknown[], Result>(
    run: (...args: Args) => Result,
    self?: unknown,
    ...args: Args
  ): Result {
    return scopes.run(this, () => Reflect.apply(run, self, args))
  }

  /** Finds the domain of the test, or of the nearest around it that has not ended. */
  findDomain(): Domain | undefined {
    if (this.domain?.isDestroyed === false) return this.domain
    return this.#parent?.findDomain()
  }

  emitDestroy(): this {
    return this
  }
}

/** Takes the errors of its test until it is destroyed. */
export class Domain {
  readonly onerror: OnError
  isDestroyed = false

  constructor(onerror: OnError) {
    this.onerror = onerror
    const scope = scopes.getStore()
    if (scope) scope.domain = this
    else outermost = this
  }

  destroy(): void {
    this.isDestroyed = true
  }
}

function findDomain(): Domain | undefined {
  const domain = scopes.getStore()?.findDomain() ?? outermost
  return domain?.isDestroyed === false ? domain : undefined
}

function hasOther(): boolean {
  return (
    process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0
  )
}

process.on('uncaughtExceptionMonitor', (error, origin) => {
  const domain = hasOther() ? undefined : findDomain()
  if (!domain) return
  domain.onerror(error, origin)
  // It ends here, and not the process.
  process.setUncaughtExceptionCaptureCallback(() =>
    process.setUncaughtExceptionCaptureCallback(null),
  )
})
