import { t, tell, tellNotes } from '../shell/texts.js'
import { confirm, createDialog } from '../widgets/dialog.js'
import { el } from '../widgets/element.js'

/**
 * The box in one file: a download of it, and the way back.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {() => Promise<void>} restored called when the settings are others
 */
export function drawBackup({ api, notice }, restored) {
  const said = el('p', { class: 'help', role: 'status' })
  const button = el('button', { type: 'button', onclick: () => input.click() }, t('restore'))
  const input = el('input', {
    type: 'file',
    hidden: true,
    'aria-label': t('backupFile'),
    onchange() {
      const file = input.files?.[0]
      if (file !== undefined) void restore(file).finally(rest)
    },
  })
  return el(
    'section',
    { class: 'panel backup' },
    el('h2', {}, t('backup')),
    el('p', { class: 'help' }, t('backupHelp')),
    el(
      'div',
      { class: 'backup-buttons' },
      el('a', { class: 'button', href: '/backup', download: true }, t('download')),
      button,
      input,
    ),
    said,
  )

  /** @param {File} file */
  async function restore(file) {
    notice.clear()
    if (!(await ask(file.name))) return
    button.disabled = true
    said.textContent = t('restoring')
    try {
      const { Message, texts, notes } = await api.call('POST', '/backup', file)
      await restored()
      notice.tell(tell(texts?.message, Message), tellNotes(notes), { stays: true })
    } catch (error) {
      notice.fault(error)
    }
  }

  function rest() {
    button.disabled = false
    said.textContent = ''
    input.value = '' // or the same file could not be chosen again
  }
}

/**
 * @param {string} name of the file
 * @returns {Promise<boolean>}
 */
async function ask(name) {
  const dialog = createDialog('restore-dialog')
  const isMeant = await confirm(dialog, {
    title: t('restoreOf', { name }),
    text: t('restoreText'),
    yes: t('restoreYes'),
    no: t('cancelThis'),
  })
  dialog.dialog.remove()
  return isMeant
}
