/** A part that is loaded on first use; after a failure, the next use tries again. */
export class LoadedLate<T> {
  readonly #load: () => Promise<T>
  #part: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** @throws the error of loading, e.g. of a full disk or too many open files */
  async open(): Promise<T> {
    this.#part ??= this.#load()
    const part = this.#part
    try {
      return await part
    } catch (error) {
      if (this.#part === part) this.#part = undefined
      throw error
    }
  }

  /** Returns the part if somebody opened it; undefined otherwise. */
  async opened(): Promise<T | undefined> {
    return await this.#part?.catch(() => undefined)
  }
}
