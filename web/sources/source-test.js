import { CallError } from '../shell/api.js'
import { t, tell } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'

/**
 * The *Test* button of a source's settings, and the sentence that it brings.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {string} parts.name for those who cannot see what it stands beside
 * @param {() => object} parts.read what is tested: the body of `POST /sources/test`
 */
export function createSourceTest({ api, name, read }) {
  const said = el('p', { class: 'test-said', role: 'status' })
  const button = el(
    'button',
    { type: 'button', 'aria-label': t('testOf', { name }), onclick: test },
    t('test'),
  )
  let isTesting = false

  /**
   * @param {'good' | 'bad' | 'quiet'} tone
   * @param {string} text
   */
  function say(tone, text) {
    said.className = `test-said tone-${tone}`
    said.textContent = text
  }

  async function test() {
    if (isTesting) return
    isTesting = true
    say('quiet', t('testing'))
    try {
      const { Message, texts } = await api.call('POST', '/sources/test', read())
      say('good', tell(texts?.message, Message))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      say('bad', `${error.message} ${error.hint}`)
      said.append(drawDetails(error.detail) || '')
    } finally {
      isTesting = false
    }
  }

  return el('div', { class: 'source-test' }, button, said)
}
