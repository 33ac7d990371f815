/** @import { Field } from '../shell/shapes.js' */
import { tOr } from '../shell/texts.js'

/**
 * The fields of the settings in the language of the page; the server has them in English.
 * @param {Field[]} fields
 * @param {string} [around] the list that they belong to
 * @returns {Field[]}
 */
export function translateFields(fields, around = '') {
  return fields.map((field) => {
    const path = [around, field.only?.[0] ?? '', field.key].filter((part) => part !== '').join('.')
    return {
      ...field,
      title: tOr(`setting.${path}.title`, field.title),
      description: tOr(`setting.${path}.help`, field.description),
      ...(field.fields && { fields: translateFields(field.fields, field.key) }),
    }
  })
}
