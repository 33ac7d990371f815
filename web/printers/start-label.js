/** @import { Printer } from '../shell/shapes.js' */

import { onItsWay } from '../labels/words.js'
import { t } from '../shell/texts.js'

/**
 * Tells whether a printer is on a cable of the box: only such a printer prints the start label, which shows the PIN, for anybody.
 * @param {Pick<Printer, 'uri'>} printer
 */
export function isAtBox({ uri }) {
  return /^(?:usb|serial):/.test(uri)
}

/**
 * @param {object} parts
 * @param {Pick<import('../shell/api.js').Api, 'call'>} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {Printer} printer
 * @throws CallError
 */
export async function printStartLabel({ api, notice }, printer) {
  const path = `/printers/${encodeURIComponent(printer.name)}/start-label`
  await api.call('POST', path, {}, { Prefer: 'wait=0' })
  notice.tell(onItsWay(t('startLabel'), printer), t('startHint'))
}
