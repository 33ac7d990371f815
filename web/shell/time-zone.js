/** @import { Control } from '../widgets/field.js' */
/** @import { Field } from './shapes.js' */
import { el } from '../widgets/element.js'
import { createField } from '../widgets/field.js'
import { t } from './texts.js'

/**
 * The time zone: every one that the browser knows can be chosen, and one press takes the browser's own. The SD image has none by
 * itself, and says so until somebody has chosen.
 * @param {Field} field
 * @param {unknown} value
 * @param {boolean} isBox it runs on the SD image
 * @returns {Control}
 */
export function createTimeZone(field, value, isBox) {
  const control = createField(field, value)
  const input = control.element.querySelector('input')
  if (input === null) return control
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = Intl.supportedValuesOf?.('timeZone') ?? []
  const id = `${input.id}-zones`
  const names = [...new Set([own, ...zones])].map((zone) => el('option', { value: zone }))
  const missing = el('p', { class: 'todo' }, t('noZone'))
  const take = el('button', { type: 'button' }, t('takeZone', { zone: own }))
  input.setAttribute('list', id)
  input.addEventListener('input', show)
  take.addEventListener('click', () => {
    input.value = own
    show()
  })
  control.element.append(el('datalist', { id }, ...names), missing, take)
  show()
  return { ...control, open: isBox && input.value === '' }

  function show() {
    const isUnset = input?.value.trim() === ''
    missing.hidden = !isBox || !isUnset
    // Elsewhere no zone means the computer's own, which is right as it is.
    take.hidden = own === 'UTC' || input?.value === own || (isUnset && !isBox)
  }
}
