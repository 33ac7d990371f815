/**
 * Does `work` at once and every few seconds while it is wanted and the tab is looked at.
 * @param {() => Promise<void>} work never rejects
 * @param {number} ms
 */
export function createPoll(work, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let isOn = false

  async function turn() {
    clearTimeout(timer)
    if (!document.hidden) await work()
    clearTimeout(timer)
    if (isOn) timer = setTimeout(turn, ms)
  }

  return {
    async start() {
      isOn = true
      await turn()
    },
    stop() {
      isOn = false
      clearTimeout(timer)
    },
  }
}
