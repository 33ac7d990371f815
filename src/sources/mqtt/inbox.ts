/** What has come and is not taken yet; whoever fills it keeps it small. */
export class Inbox<T> {
  readonly #items: T[] = []
  #wake: () => void = () => undefined

  put(item: T): void {
    this.#items.push(item)
    this.#wake()
  }

  /** The oldest item, as soon as there is one. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted()
      const item = this.#items.shift()
      if (item !== undefined) return item
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      signal.addEventListener('abort', resolve as () => void, { once: true })
      await promise
      signal.removeEventListener('abort', resolve as () => void)
    }
  }
}
