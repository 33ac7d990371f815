import './small-texts.js'

// The examples show the address under which this page was opened.
for (const place of document.querySelectorAll('.address')) place.textContent = location.origin
for (const place of document.querySelectorAll('.host')) place.textContent = location.host

/** Shows the formats that this print server prints, in the order of its lists. */
async function drawFormats() {
  const { formats } = await (await fetch('/info')).json()
  for (const place of document.querySelectorAll('.formats')) place.textContent = formats.join(', ')
}

void drawFormats()
