import { tell } from '../shell/texts.js'

/**
 * Makes a printer measure its labels, between two labels, and says what it does meanwhile.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {string} printer its name
 */
export async function calibrate({ api, notice }, printer) {
  notice.clear()
  const path = `/printers/${encodeURIComponent(printer)}/calibrate`
  await api
    .call('POST', path)
    .then(({ Message, texts }) => notice.tell(tell(texts?.message, Message)), notice.fault)
}
