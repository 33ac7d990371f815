// The small pages come in English and work without scripts; this puts them into the language of the browser.
import { tell, translatePage } from './shell/texts.js'

translatePage()
for (const place of document.querySelectorAll('[data-said]')) {
  const said = JSON.parse(place.getAttribute('data-said') ?? '[]')
  place.textContent = tell(said, place.textContent)
}
document.title = `${document.querySelector('h1')?.textContent ?? ''} – platen`
