/** Español: las páginas pequeñas */
export const texts = {
  needsAPerson: 'Una etiqueta necesita a alguien',
  onItsWay: 'En camino',
  nothingHere: 'Aquí no hay nada',
  goOnWithout: 'Seguir sin ella',
  allLabels: 'Todas las etiquetas',
  help: 'Ayuda',
  theLabelPrinted: 'La etiqueta tal como se imprimió',
  canPrint: '¿Puede imprimir este navegador?',
  canPrintYes: 'Este navegador puede imprimir',
  secureTitle: 'Conexión segura',
  notSecure: 'Este servidor de impresión no ofrece https.',
  switchHttpsOn: 'Active HTTPS en los {1}, reinicie el servidor y vuelva a esta página.',
  theSettings: 'ajustes',
  vouches:
    'Este servidor responde por sí mismo. Confíe en su certificado una vez en cada PC, tableta o teléfono, y las páginas podrán imprimir aquí por https sin avisos.',
  getCertificate: '1. Obtener el certificado',
  downloadCertificate: 'Descargar platen-ca.crt',
  fingerprint:
    'Su huella SHA-256, para compararla con lo que muestra su sistema (también está en el registro del servidor):',
  trustIt: '2. Confiar en él',
  openByAddress: '3. Abrirlo en una de estas direcciones',
  sayLocalhost:
    '{1}, no printserver.local: los navegadores pueden descartar lo que un script envía a un nombre .local del mismo PC.',
  sayLocalhostStrong: 'En el propio PC del servidor de impresión use localhost',
  onWindows: 'Windows (Chrome, Edge)',
  windowsSteps:
    'Abra el archivo, pulse {1}, elija {2} (o usuario actual), luego {3}, {4}, {5}. Reinicie el navegador.',
  onMac: 'macOS (Safari, Chrome)',
  macSteps:
    'Abra el archivo; va al Acceso a Llaveros. Ábralo allí, despliegue {1} y ponga {2} en {3}.',
  onIphone: 'iPhone y iPad',
  iphoneSteps:
    'Abra esta página en Safari y descargue. Después {1}: instale el perfil. Después {2}: actívelo.',
  onAndroid: 'Android',
  androidSteps: 'Descargue, luego {1}, y elija el archivo.',
  onLinux: 'Linux (Chrome, Chromium)',
  linuxSteps: 'Abra {1}, {2}, {3}, {4}, {5}.',
  onFirefox: 'Firefox, en cualquier sistema',
  firefoxSteps: '{1}; marque {2}.',
  helpLead:
    'Cualquier programa, script o página web imprime aquí enviando una etiqueta. Sin controlador y sin iniciar sesión.',
  helpDialogs: 'El diálogo de impresión de cualquier programa',
  helpDialogsText:
    'Cada impresora de la caja aparece allí como una impresora más. Si no se encuentra, añada {1} como impresora IPP. Una página A4 sale pequeña desde un diálogo: suelte mejor su PDF en {2}, que recorta la etiqueta.',
  helpScript: 'Un archivo desde un script',
  helpForm: 'Un formulario en una página web',
  helpAnswer:
    'La respuesta dice qué fue de cada etiqueta: {1} es {2}, o {3} con una frase en {4} y qué hacer en {5}.',
  helpWhat: 'Qué puede ser una etiqueta',
  helpWhatText:
    'Una etiqueta en bruto o una imagen ({1}), en base64 en {2}; varias en {3}. Las imágenes se giran y ajustan a la etiqueta; las etiquetas en bruto van tal cual a la impresora.',
  helpFields: 'Campos',
  helpPrinter: '{1}: un nombre de {2}, si no la predeterminada',
  helpPrinterList: 'la lista de impresoras',
  helpCopies: '{1}: cuántas de cada etiqueta',
  helpSize: '{1}, {2}: pulgadas',
  helpDpi: '{1}: puntos por pulgada de la imagen',
  helpStart: '{1}, {2}: dónde empieza la imagen, en puntos',
  helpRotate: '{1}: 0, 90, 180 o 270, a la derecha; si no, como mejor quepa',
  helpScaling: '{1}: none = las imágenes conservan su tamaño',
  helpDarkness: '{1}: de 0 a 100',
  helpRedirect: '{1}: adónde va el navegador después de imprimir',
  helpIdempotency: '{1}: la misma clave dos veces imprime una',
  helpExpire: '{1}: segundos tras los que se cancela una etiqueta que no pudo imprimirse',
  helpMore:
    'Una lista de empaque va como JSON a {1}. El archivo {2} de platen tiene todo lo demás.',
  callsTitle: 'Todas las llamadas para programas',
  callsLead:
    'Todas las formas de llamar a este servidor tal como está. Las herramientas leen lo mismo en {1} (OpenAPI 3.1). Ejemplos: {2}.',
  findCall: 'Buscar una llamada',
  noCall: 'Nada aquí tiene esas palabras.',
  besidesBody: 'Además del cuerpo',
  callBody: 'Cuerpo: {type}',
  callAnswer: 'Respuesta {status}',
  otherAnswer: 'Cualquier otra respuesta',
}
