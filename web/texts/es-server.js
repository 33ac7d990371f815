/** Español: las frases del servidor (`src/words/sentences.ts`, and the hints of `src/words/errors.ts` by code) */
export const texts = {
  busyWait: '{printer} está en uso por otro; sus etiquetas se guardan y se imprimen solas.',
  silentWait: '{printer} no responde; sus etiquetas se guardan y se imprimen solas.',
  cannotWait: '{printer} no puede imprimir ahora; sus etiquetas se guardan y se imprimen solas.',
  busy: '{printer} está en uso por otro.',
  silent: '{printer} no responde.',
  cannot: '{printer} no puede imprimir ahora.',
  labelKept: 'La etiqueta se guarda y se imprime sola.',
  kept: 'La etiqueta se guarda.',
  noPrinter: 'La etiqueta no tiene impresora.',
  printerGone: '{printer} ya no está en los ajustes.',
  isOpen: '{printer} está abierta.',
  isJammed: '{printer} tiene un atasco.',
  isOutOfLabels: '{printer} no tiene etiquetas.',
  isOutOfRibbon: '{printer} no tiene cinta.',
  isPaused: '{printer} está en pausa.',
  isOffline: 'No se llega a {printer}.',
  takesNoData: '{printer} no acepta datos.',
  isNotReady: '{printer} dice que no está lista.',
  keptAfterwards: 'Sus etiquetas se guardan y después se imprimen solas.',
  keptUntilThen: 'Sus etiquetas se guardan y se imprimen solas cuando los acepte.',
  keptAlone: 'Sus etiquetas se guardan y se imprimen solas.',
  labelsKept: 'Sus etiquetas se guardan.',
  labelsWait: 'Sus etiquetas esperan.',
  goesOnAfterwards: 'Después la etiqueta sigue sola.',
  goesOnUntilThen: 'La etiqueta sigue sola cuando los acepte.',
  lostMidway: '{printer} perdió la conexión a mitad de una etiqueta.',
  othersGoOn: 'Las demás etiquetas siguen solas.',
  cutMidway: '{printer} se cortó a mitad de una etiqueta.',
  waitForWord: 'Sus etiquetas esperan hasta que diga qué fue de esa.',
  diskWait: '{printer} espera porque el servidor no puede escribir en su disco.',
  diskGoesOn: 'Se sigue imprimiendo solo cuando pueda.',
  notConnected: '{printer} no está conectada o está apagada.',
  elsewhere:
    '{printer} no está en su dirección de los ajustes; una de su tipo está ahora en {place}.',
  whatLanguage: '¿Qué lenguaje habla {printer}?',
  untilSaid:
    'Hasta que alguien lo diga, las etiquetas {languages} se imprimen tal cual y las imágenes se rechazan.',
  notAskedYet: 'Aún no se sabe si {printer} está encendida y lista.',
  firstShows: 'Se aceptan sus etiquetas, y la primera lo mostrará.',
  otherLength:
    '{printer} tiene etiquetas de {has} pulgadas, y los ajustes dicen {wanted} pulgadas.',
  otherWidth:
    '{printer} imprime {has} pulgadas de ancho, y los ajustes dicen etiquetas de {wanted} pulgadas.',
  removedPrinter: 'Esta impresora ya no está en los ajustes; sus etiquetas esperan.',
  switchOn: 'Encienda la impresora y revise su cable.',
  waitOrMove: 'Espere o elija otra impresora.',
  chooseOne: 'Pulse «Elegir impresora…».',
  addOrMove: 'Vuelva a añadirla o pulse «Imprimir en otra…».',
  addOrCancel: 'Vuelva a añadirla, o cancele sus etiquetas o imprímalas en otra.',
  closeCover: 'Cierre la tapa hasta oír el clic.',
  clearJam: 'Abra la tapa, saque las etiquetas atascadas y ciérrela.',
  loadRoll: 'Ponga un rollo y pulse el botón de avance.',
  newRibbon: 'Ponga una cinta nueva y pulse el botón de avance.',
  pressPause: 'Pulse el botón de pausa de la impresora.',
  pressResume: 'Pulse «Reanudar» para imprimirlas.',
  checkPrinter: 'Revise etiquetas, cinta, tapa y el botón de pausa.',
  lookAtCut: 'Mire la impresora y pulse «Ha salido» o «Imprimir otra vez» en la etiqueta cortada.',
  restartCut:
    'Apague y encienda la impresora y pulse «Ha salido» o «Imprimir otra vez» en la etiqueta cortada.',
  plugBack: 'Vuelva a conectar el cable donde estaba o cambie la dirección en los ajustes.',
  chooseLanguage:
    'Elija su lenguaje: está en el manual o en la etiqueta que hace la impresora al encenderla con el botón de avance pulsado.',
  rightRoll:
    'Ponga el rollo correcto, pulse «Calibrar» después de poner otro rollo o corrija el tamaño en los ajustes.',
  cutOff: 'La etiqueta se cortó mientras se imprimía.',
  mayBeOut: 'Puede que haya salido o que no.',
  printedOnceMore: 'Se imprime otra vez.',
  throwOneAway: 'Si salen dos etiquetas, tire una.',
  cutAndAgain: 'Se cortó mientras se imprimía y se imprimió otra vez: quizá salieron dos.',
  lookAtPrinter: 'Mire la impresora y pulse «Ha salido» o «Imprimir otra vez».',
  beforeMissing: {
    one: 'También puede faltar la etiqueta enviada justo antes.',
    other: 'También pueden faltar las {n} etiquetas enviadas justo antes.',
  },
  notShown: 'La impresora no mostró que aceptara esta etiqueta: mire si ha salido.',
  stoppedMidway: 'La etiqueta se detuvo mientras se imprimía.',
  partMayBeOut: 'Puede haber salido una parte.',
  restartStopped:
    'Apague y encienda la impresora; después cancele la etiqueta otra vez o pulse «Ha salido» o «Imprimir otra vez».',
  heldAtWish: 'Se pidió que la etiqueta espere hasta que alguien la libere.',
  releaseIt: 'Pulse «Liberar e imprimir» cuando haga falta.',
  canceledMidway: 'Cancelada mientras se imprimía.',
  lookForPart: 'Mire la impresora: puede haber salido una parte.',
  labelVoid: 'El envío de esta etiqueta se anuló, así que la etiqueta no es válida.',
  buyAnother: 'Si ha salido, tírela. Para enviar el paquete, compre una nueva.',
  tooLate: 'La etiqueta no pudo imprimirse a tiempo y se canceló.',
  sendAgain: 'Envíela de nuevo si aún hace falta.',
  movedTo: 'Movida a {printer}.',
  backupTook: {
    one: '{printer} no pudo imprimir durante {n} minuto, por eso esta etiqueta pasó a {to}.',
    other: '{printer} no pudo imprimir durante {n} minutos, por eso esta etiqueta pasó a {to}.',
  },
  backupNobody: 'Ninguna impresora se llama {printer}: ninguna etiqueta puede ir allí.',
  backupSame: '{printer} y su suplente {to} son la misma impresora.',
  stationHadIt:
    'Otro servidor de impresión ya recibió esta etiqueta y quizá la imprimió: mire primero allí.',
  restored: 'La etiqueta viene de una copia de seguridad.',
  perhapsPrinted: 'El servidor que la hizo puede haberla impreso ya.',
  lookWhetherThere: 'Mire si la etiqueta está y pulse «Ha salido» o «Imprimir otra vez».',
  labelLost: 'La etiqueta se perdió al dañarse el disco del servidor.',
  unreadable: 'La etiqueta ya no se puede leer del disco del servidor.',
  sendAndCheck: 'Envíe la etiqueta otra vez y revise el disco.',
  sendOnce: 'Envíe la etiqueta otra vez.',
  waitsFor: 'La etiqueta espera a {printer}.',
  waitsForWord: 'La etiqueta espera a que alguien diga si ha salido.',
  isHeld: 'La etiqueta está retenida hasta que alguien decida.',
  printsNow: 'La etiqueta se está imprimiendo en {printer}.',
  saidOut: 'Alguien dijo que la etiqueta salió en {printer}.',
  isPrinted: 'La etiqueta se ha impreso en {printer}.',
  isCanceled: 'La etiqueta se canceló.',
  notPrinted: 'La etiqueta no pudo imprimirse en {printer}.',
  pressReprint: 'Pulse «Reimprimir» si quiere otra copia.',
  reprintIfWanted: 'Pulse «Reimprimir» si aún hace falta.',
  decide: 'Mire la etiqueta otra vez y decida.',
  nothingToDo: 'No hay nada que hacer.',
  reprintedOn: 'La etiqueta acaba de imprimirse otra vez en {printer}.',
  pressOnceMore: 'Pulse el botón otra vez si quiere una copia más.',
  firstSay: 'Diga primero si ha salido, o cancélela.',
  labelGone: 'Esta etiqueta ya no se guarda.',
  noSuchLabel: 'Esa etiqueta no está aquí o ya no está en la lista.',
  alreadyPrinted: 'Ya se imprimió a las {time} en {printer}.',
  wasPrinted: '«{name}» ya se imprimió a las {time} en {printer}.',
  sameWaits: 'La misma etiqueta llegó a las {time} y aún espera a {printer}.',
  takenWaits: '«{name}» llegó a las {time} y aún espera a {printer}.',
  languageUnknown: 'No se conoce el lenguaje de {printer}, así que no se pudo dibujar la etiqueta.',
  chooseAndRelease: 'Elija el lenguaje de {printer} en Impresoras y pulse «Liberar e imprimir».',
  pictureDamaged: 'La imagen de esta etiqueta está dañada y no se pudo dibujar.',
  pictureKind: 'La imagen de esta etiqueta es de un tipo que no se puede dibujar.',
  pictureTooLarge: 'La imagen de esta etiqueta es demasiado grande.',
  pictureTooSlow: 'La imagen de esta etiqueta tardó demasiado en dibujarse.',
  drawingFault: 'La etiqueta no se pudo dibujar: un fallo del servidor.',
  crashedTwice:
    'El servidor falló dos veces al dibujar esta etiqueta ({format}), así que la apartó.',
  askZplOrRetry: 'Pida la etiqueta en ZPL o pulse «Liberar e imprimir» para intentarlo otra vez.',
  sentNoLabel: 'Alguien envió por {source} algo que no es una etiqueta: no se puede imprimir.',
  sentCrash:
    'El servidor se detuvo dos veces al mirar una etiqueta de {source}, así que esta se aparta.',
  manyPdfs: 'En este momento se leen muchos PDF.',
  manyPacked: 'En este momento se descomprimen muchas etiquetas.',
  faultHere: 'El servidor de impresión no pudo leer esta etiqueta: es un fallo del servidor.',
  sentUnread:
    'El servidor de impresión no pudo leer una etiqueta de {source}: es un fallo del servidor. La etiqueta quedó apartada.',
  sentCut: 'Falta el final de una etiqueta de {source}; no se imprimió.',
  sentKind: 'Alguien envió por {source} un tipo de archivo que no se puede imprimir.',
  sentFault: 'Alguien envió por {source} una etiqueta defectuosa: no se puede imprimir.',
  tellSender: 'No se pierde nada: dígaselo a quien envía etiquetas por {source}.',
  thenCancel: 'Después cancele esta.',
  namesNone: 'Una etiqueta de {source} no encontró impresora: no nombra ninguna.',
  namesUnknown: 'Una etiqueta de {source} no encontró impresora: aquí ninguna se llama «{name}».',
  chooseOrAdd: 'Pulse «Elegir impresora…»; si aún no hay ninguna, añada una.',
  pressOther: 'Pulse «Imprimir en otra…».',
  orAddNamed: 'O añada una impresora llamada «{name}» y pulse «Liberar e imprimir».',
  notALabel: 'Este mensaje no es una etiqueta y no se puede imprimir.',
  nothingToPrint: 'Este mensaje no es una etiqueta; no hay nada que imprimir.',
  cancelAndTell: 'Cancélelo y dígaselo a quien lo envió.',
  endMissing: 'Falta el final de la etiqueta; no se puede imprimir.',
  endCut: 'Falta el final de esta etiqueta: se corta en medio de una imagen o un archivo.',
  endCutWhy:
    'No se imprimió, porque la impresora tomaría las siguientes etiquetas por la parte que falta.',
  looksLikePaper:
    'La página {page} de este PDF parece un documento, no una etiqueta: es más grande y no tiene código de barras.',
  printOnPaper:
    'Imprímala en papel o pulse «Liberar e imprimir» para imprimirla pequeña en una etiqueta.',
  barFont:
    'La página {page} de este PDF usa la fuente de código de barras {font} sin incluirla: en lugar del código de barras se imprimirían letras.',
  symbolFont:
    'La página {page} de este PDF usa la fuente de símbolos {font} sin incluirla: en lugar de sus símbolos se imprimirían otros signos.',
  pdfDoubtful:
    'La página {page} de este PDF quizá esté dañada: una parte puede faltar o estar mal.',
  pdfMayBeCut: 'La página {page} de este PDF quizá esté incompleta: mire si salió todo.',
  orRelease: 'O pulse «Liberar e imprimir» para imprimirla tal como está.',
  pageLeftOut: 'La página {page} está en blanco y se omitió.',
  pagesLeftOut: 'Las páginas {pages} y {last} están en blanco y se omitieron.',
  looksLikeSheet:
    'La página {page} de este PDF es una hoja de {count} etiquetas de {size} pulgadas, pero las etiquetas de esta impresora son de {label} pulgadas.',
  sheetToOther:
    'Imprímala en una impresora con etiquetas de ese tamaño, o pida un PDF con una etiqueta por página.',
  tooSmall:
    'La página {page} de este PDF es mucho más grande que la etiqueta de {label} pulgadas: se imprimiría al {percent} %, demasiado pequeña para leerla.',
  printSmall:
    'Pida la etiqueta del tamaño de la impresora, o pulse «Liberar e imprimir» para imprimirla pequeña.',
  pageReduced:
    'La página {page} del PDF es más grande que la etiqueta y se imprimió al {percent} %: puede que los códigos de barras no se lean.',
  askForSize:
    'Pida la etiqueta de {label} pulgadas, o imprima una mitad de la página (campo «area»).',
  pageCut:
    'La página {page} del PDF mide {size} pulgadas a su propio tamaño, más que la etiqueta de {label} pulgadas: lo que sobresale se ha cortado.',
  pictureCut:
    'La imagen mide {size} pulgadas a su propio tamaño, más que la etiqueta de {label} pulgadas: lo que sobresale se ha cortado.',
  pageUnits:
    'La página {page} del PDF dice que mide {size} pulgadas; se imprimió como una etiqueta de {label} pulgadas, que tiene su forma.',
  pageTiny:
    'La página {page} del PDF mide solo {size} pulgadas y se imprimió así en una etiqueta de {label} pulgadas.',
  pictureTiny:
    'La imagen se imprimió con solo {size} pulgadas en una etiqueta de {label} pulgadas, como dice su resolución.',
  pictureReduced:
    'La imagen se redujo al {percent} % de su tamaño para caber en la etiqueta: puede que la letra pequeña no se lea.',
  blankPicture:
    'Nada de la imagen es lo bastante oscuro para imprimir: la etiqueta sale en blanco.',
  palePart:
    'Algo de la etiqueta es demasiado pálido para imprimirse y se omitió. Si importa, pida la etiqueta en colores más oscuros.',
  lengthMeasured:
    'La etiqueta mide {is} pulgadas de largo, pero {printer} dice que las suyas miden {has}: mire si ha salido entera.',
  lengthSet:
    'La etiqueta mide {is} pulgadas de largo, pero los ajustes de {printer} dicen {has}: mire si ha salido entera.',
  otherRoll: 'Si se puso otro rollo, pulse «Calibrar».',
  ifOut: 'Si salió entera, corrija el tamaño en los ajustes.',
  widthMeasured:
    'La etiqueta mide {is} pulgadas de ancho, pero {printer} solo imprime {has}: puede faltar el borde derecho.',
  widthSet:
    'La etiqueta mide {is} pulgadas de ancho, pero los ajustes de {printer} dicen {has}: puede faltar el borde derecho.',
  madeForFewerDots:
    'Esta etiqueta se hizo para {is} dpi, pero {printer} tiene {has} dpi: sale demasiado pequeña.',
  madeForMoreDots:
    'Esta etiqueta se hizo para {is} dpi, pero {printer} tiene {has} dpi: sale demasiado grande y falta una parte.',
  askForDots: 'Pida al remitente una etiqueta para {has} dpi.',
  picturesOnly: '{printer} solo imprime imágenes: pueden faltar el texto y los códigos de barras.',
  sendPng: 'Envíela como PNG.',
  openEnd:
    'La etiqueta no tiene {command} al final: la impresora espera el resto y quizá la imprima junto con la siguiente.',
  pictureNeedsLanguage:
    'No se puede imprimir una imagen en {printer} mientras no se conozca su lenguaje.',
  pressLogin: 'Inicie sesión para hacer esto.',
  wrongLogin: 'El usuario o la contraseña no son correctos.',
  manyGuesses:
    'Llegan muchas contraseñas incorrectas de varias direcciones; los nuevos inicios de sesión deben esperar.',
  noneKnown: 'Este servidor aún no conoce ninguna impresora.',
  serverFault: 'El servidor de impresión cometió un error.',
  serverStops: 'El servidor de impresión se está apagando.',
  noneWaiting: 'No esperaba ninguna etiqueta.',
  canceledCount: { one: '{n} etiqueta cancelada.', other: '{n} etiquetas canceladas.' },
  stillThere: {
    one: '{n} se está imprimiendo o acaba de llegar.',
    other: '{n} se están imprimiendo o acaban de llegar.',
  },
  noneMoved: 'No se movió ninguna etiqueta.',
  movedCount: {
    one: '{n} etiqueta movida a {printer}.',
    other: '{n} etiquetas movidas a {printer}.',
  },
  otherLanguage: {
    one: '{n} etiqueta está en un lenguaje que {printer} no imprime.',
    other: '{n} etiquetas están en un lenguaje que {printer} no imprime.',
  },
  notMoved: {
    one: '{n} se está imprimiendo, está retenida o acaba de llegar.',
    other: '{n} se están imprimiendo, están retenidas o acaban de llegar.',
  },
  calibrating: 'Calibrando {printer}: saca unas etiquetas.',
  LABEL_EMPTY: 'Envíe el archivo de etiqueta entero.',
  LABEL_UNKNOWN: 'Envíe una etiqueta en el lenguaje de una impresora de etiquetas o como imagen.',
  LABEL_REFUSED: 'Pida a la tienda o al transportista uno de los formatos que nombra el mensaje.',
  PICTURE_BROKEN: 'El archivo de imagen está dañado: traiga la etiqueta otra vez.',
  PICTURE_UNSUPPORTED: 'Guarde la imagen como PNG normal o pida la etiqueta en ZPL.',
  PICTURE_TOO_LARGE:
    'Pida la etiqueta del tamaño de sus etiquetas y con la resolución de su impresora, o en ZPL.',
  PICTURE_TIMEOUT:
    'Envíe una imagen menor (basta el tamaño de sus etiquetas con la resolución de su impresora) o pida la etiqueta en ZPL.',
  LABEL_COMMAND:
    'Pida una etiqueta sin esas órdenes o permita que se impriman: Ajustes, Órdenes de impresora.',
  LABEL_CRASHED:
    'Pida a quien envía las etiquetas esta en ZPL o PNG y avise de este fallo del servidor.',
  LABEL_CUT:
    'Cancele esta e imprima la etiqueta otra vez desde la tienda. Si se repite, dígaselo a quien la hizo.',
  SERVER_BUSY: 'Llegan muchas peticiones a la vez: envíe la etiqueta otra vez en un momento.',
  BODY_TOO_LARGE:
    'Envíe menos etiquetas o más pequeñas a la vez, o aumente la petición máxima en los ajustes.',
  PRINTER_UNKNOWN: 'Use uno de los nombres de impresora que muestra la página.',
  PRINTER_AMBIGUOUS: 'Nombre la impresora con la etiqueta o elija una predeterminada.',
  PRINTER_NONE: 'Conecte una impresora o añada una.',
  PRINTER_BUSY: 'Espere a la etiqueta en curso o elija otra impresora.',
  PRINTER_OFFLINE: 'Encienda la impresora y revise su cable; la etiqueta se imprime sola.',
  PRINTER_STOPPED: 'Revise etiquetas, cinta, tapa y botón de pausa; la etiqueta se imprime sola.',
  PRINTER_LANGUAGE: 'Ponga el lenguaje de esta impresora en Impresoras.',
  PRINTER_IN_USE:
    'Deje imprimir sus etiquetas, cancélelas o imprímalas en otra; después inténtelo otra vez.',
  JOB_UNKNOWN: 'Mire la lista de etiquetas; las viejas se quitan al cabo de un tiempo.',
  JOB_STATE: 'Recargue la página para ver qué fue de la etiqueta.',
  JOB_CANCELED: 'Envíe la etiqueta otra vez si aún hace falta.',
  JOB_DUPLICATE: 'Libérela para imprimirla igualmente o cancélela.',
  JOB_LABEL_GONE: 'La etiqueta ya no se guarda: envíela otra vez.',
  SPOOL_FULL:
    'Deje imprimir las etiquetas que esperan o cancele algunas; después envíe la etiqueta otra vez.',
  SPOOL_BROKEN: 'Revise el disco del servidor; las etiquetas ya aceptadas se guardan.',
  SOURCE_UNREACHABLE:
    'Revise la dirección, la red y que el otro lado funcione; el servidor lo intenta solo.',
  SOURCE_REFUSED: 'Compare los ajustes de este origen con los del otro lado.',
  LOGIN_NEEDED: 'Inicie sesión con el usuario y la contraseña del servidor.',
  LOGIN_WRONG: 'Revise el usuario y la contraseña e inténtelo otra vez.',
  LOGIN_LIMIT: 'Demasiadas contraseñas incorrectas: espere un minuto e inténtelo otra vez.',
  LOCAL_ONLY: 'Hágalo en el propio servidor o ponga antes usuario y contraseña en sus ajustes.',
  CONFIG_INVALID: 'Corrija los ajustes indicados y guarde otra vez.',
  BACKUP_BROKEN:
    'Elija el archivo tal como se descargó; si está dañado, uno más antiguo. No se cambió nada.',
  INTERNAL: 'Es un fallo del servidor: mire su registro y avise, por favor.',
  BODY_TIMEOUT: 'El remitente fue demasiado lento: revise su red y envíe otra vez.',
  TOO_MANY_FIELDS: 'Envíe menos etiquetas a la vez.',
  PREVIEW_NONE: 'Solo las etiquetas que eran imágenes tienen vista previa.',
  HOST_REFUSED:
    'Abra el servidor de impresión con su nombre o dirección, o añada el nombre en los ajustes, Nombres de host permitidos.',
  ORIGIN_REFUSED:
    'Use la página del propio servidor de impresión o añada el sitio en los ajustes, Sitios permitidos.',
  PEER_UNKNOWN: 'Vincule los dos servidores de nuevo: Ajustes, Servidores de impresión.',
  PEER_CODE:
    'Pulse «Mostrar un código» en el otro servidor y escriba ese código antes de dos minutos.',
  PEER_UNREACHABLE: 'Mire si el otro servidor está encendido y conectado.',
  PEER_UNSURE:
    'Mire en el otro servidor si la etiqueta está allí. Después cancele esta o imprímala aquí.',
  PROGRAM_BROKEN:
    'Detenga el servidor e inícielo otra vez; si vuelve a pasar, instálelo de nuevo. Su registro nombra el archivo.',
  STATE_UNWRITABLE: 'Dé al usuario del servidor permiso de escritura en esa carpeta o elija otra.',
  KEY_UNKNOWN: 'Para ver las claves: platen key list.',
  KEY_WRONG: 'Envíe en la cabecera x-api-key una clave de platen key add.',
  KEY_LIMIT: 'Revise la clave en el programa que llama.',
  KEY_SCOPE: 'Cree otra clave con platen key add.',
  UPDATE_NONE: 'Actualícelo como describe docs/operate.md para este tipo de instalación.',
}
