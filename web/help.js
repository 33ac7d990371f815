// The examples show the address under which this page was opened.
for (const place of document.querySelectorAll('.address')) place.textContent = location.origin
