import type { Hooks } from './parts.ts'

/** Joins hooks: the first that identifies a sender counts, and the first that moves labels elsewhere. */
export function joinHooks(all: readonly Partial<Hooks>[]): Hooks {
  return {
    async findSender(c) {
      for (const hooks of all) {
        const sender = await hooks.findSender?.(c)
        if (sender !== undefined) return sender
      }
      return undefined
    },
    elsewhere: all.find(({ elsewhere }) => elsewhere !== undefined)?.elsewhere,
  }
}
