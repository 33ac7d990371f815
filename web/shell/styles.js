import { el } from '../widgets/element.js'

/**
 * Loads a sheet of styles that the first view does not wait for; resolves when it is there or cannot be had.
 * @param {string} name
 * @returns {Promise<void>}
 */
export function loadStyles(name) {
  const href = `/web/styles/${name}`
  if (document.querySelector(`link[href="${href}"]`) !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => resolve()
    document.head.append(el('link', { rel: 'stylesheet', href, onload: done, onerror: done }))
  })
}
