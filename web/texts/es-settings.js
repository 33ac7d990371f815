/** Español: el formulario de los ajustes */
export const texts = {
  unitSeconds: 'segundos',
  unitMinutes: 'minutos',
  unitHours: 'horas',
  groupAdmin: 'Quién puede cambiar ajustes y ver etiquetas',
  groupTime: 'Hora',
  groupAddress: 'Dirección de esta página',
  groupSources: 'Colas y heartbeat',
  groupDoors: 'Programas que antes imprimían de otra forma',
  groupLabels: 'Qué se hace con las etiquetas',
  groupResults: 'Avisos a sus sistemas',
  groupMore: 'Más',
  faults: { one: 'Hay que corregir {n} ajuste.', other: 'Hay que corregir {n} ajustes.' },
  notSaved: 'No guardado: {why}.',
  restartFor: 'Reinicie el servidor para: {settings}.',
  afterRestart: 'Vale después de reiniciar.',
  thisQueue: 'esta cola',
  theHeartbeat: 'heartbeat',
  onePerLine: 'uno por línea',
  badJson: 'No es JSON válido. Ejemplo: {example}',
  notChosen: 'sin elegir',
  asUsual: 'lo normal: {choice}',
  asAllLabels: 'como las demás etiquetas',
  choiceAuto: 'automático',
  choiceAllow: 'imprimirlas como las demás',
  choiceWarn: 'imprimirlas con un aviso',
  choiceRefuse: 'rechazarlas',
  choiceHold: 'esperar a una persona',
  choiceReprint: 'imprimir de nuevo automáticamente',
  choiceSpooled: 'en cuanto la etiqueta está a salvo',
  choicePrinted: 'cuando la etiqueta se ha impreso',
  choiceAsked: 'se le pregunta',
  choiceNeverAsked: 'nunca se le pregunta',
  logErrors: 'errores',
  logWarnings: 'errores y avisos',
  logInfo: 'también los sucesos',
  logAll: 'todo',
  addQueueRow: 'Añadir una cola',
  removeQueueRow: 'Quitar esta cola',
  newQueueRow: 'Cola nueva',
  noZone:
    'No se ha elegido zona horaria: todas las horas de este servidor de impresión son UTC, también las de sus actualizaciones.',
  takeZone: 'Usar la zona horaria de este ordenador ({zone})',
  // Paired boxes
  boxes: 'Servidores de impresión',
  boxesHelp:
    'Los servidores de impresión vinculados imprimen unos para otros: elija una de sus impresoras donde espera una etiqueta.',
  showCode: 'Mostrar un código',
  pairBox: 'Vincular con un servidor de impresión…',
  codeHelp:
    'Escriba este código en el otro servidor: Ajustes, Servidores de impresión, Vincular con un servidor de impresión. Vale dos minutos.',
  boxAddress: 'Dirección del otro servidor de impresión',
  boxCode: 'El código que muestra',
  lookingForBoxes: 'Buscando servidores de impresión en la red…',
  noBoxes: 'Ningún otro servidor de impresión se anuncia. Escriba su dirección.',
  paired: 'Vinculado con {name}.',
  removeBox: 'Quitar {name}',
  boxSeen: 'respondió {time}',
  'field.host': 'Host',
  'help.host':
    'Nombre o dirección en que escucha. En blanco: todas las de este ordenador, para que otros también impriman.',
  'field.port': 'Puerto',
  'help.port': 'Puerto del servidor HTTP; 0 toma uno libre.',
  'field.secure_port': 'Puerto seguro',
  'help.secure_port': 'Puerto del servidor HTTPS. En blanco: 8443, si HTTPS está activado.',
  'field.printer': 'Impresora predeterminada',
  'help.printer':
    'Imprime las etiquetas que no nombran impresora. Sin elegir: la única que hay, aunque después lleguen otras.',
  'field.open_browser': 'Abrir el navegador',
  'help.open_browser': 'Al arrancar abre la página en el navegador de este ordenador.',
  'field.use_ssl': 'HTTPS',
  'help.use_ssl': 'Responde también cifrado en el puerto seguro, con su propio certificado.',
  'field.username': 'Usuario',
  'help.username':
    'Se pide con la contraseña antes de cambiar ajustes. Para imprimir nunca hace falta.',
  'field.password': 'Contraseña',
  'help.password': 'Va con el usuario.',
  'field.open_bench': 'Etiquetas sin iniciar sesión',
  'help.open_bench':
    'Cualquiera en el puesto puede ver y reimprimir etiquetas. Apagado: con usuario y contraseña puestos, la página los pide antes de mostrar etiquetas. Para imprimir nunca hacen falta.',
  'field.heart_beat_url': 'Dirección del heartbeat',
  'help.heart_beat_url':
    'Recibe un heartbeat a intervalos regulares; su respuesta puede traer etiquetas.',
  'field.heart_beat_interval': 'Intervalo del heartbeat',
  'help.heart_beat_interval': 'Segundos entre heartbeats; en blanco, 60.',
  'field.heart_beat_params': 'Parámetros del heartbeat',
  'help.heart_beat_params': 'JSON propio que se envía en cada heartbeat.',
  'field.heart_beat_printer_commands': 'Órdenes de impresora en etiquetas del heartbeat',
  'help.heart_beat_printer_commands':
    'Como «Órdenes de impresora», solo para las etiquetas del heartbeat. En blanco: lo mismo.',
  'field.queues': 'Colas',
  'help.queues': 'Colas de mensajes de las que se recogen etiquetas.',
  'field.queues.type': 'Tipo',
  'help.queues.type': 'Tipo de cola de la que se recogen etiquetas.',
  'field.queues.printer': 'Impresora',
  'help.queues.printer': 'Imprime aquí y no en la predeterminada.',
  'field.queues.printer_commands': 'Órdenes de impresora',
  'help.queues.printer_commands':
    'Como «Órdenes de impresora» de todas las etiquetas, solo para esta cola. En blanco: lo mismo.',
  'field.queues.ack': 'Sale de la cola',
  'help.queues.ack':
    'Cuándo se quita un mensaje de la cola: cuando sus etiquetas están a salvo aquí o cuando se han impreso.',
  'field.queues.sqs.region': 'Región',
  'help.queues.sqs.region': 'Región de la cola, p. ej. "eu-central-1".',
  'field.queues.sqs.url': 'Dirección de la cola',
  'help.queues.sqs.url': 'La dirección de la cola.',
  'field.queues.sqs.access_key_id': 'Clave de acceso',
  'help.queues.sqs.access_key_id':
    'En blanco: AWS encuentra una por sí solo (entorno, archivos compartidos, roles).',
  'field.queues.sqs.secret_access_key': 'Clave de acceso secreta',
  'help.queues.sqs.secret_access_key': 'Va con la clave de acceso.',
  'field.queues.sqs.redelivered': 'Entregada antes',
  'help.queues.sqs.redelivered':
    'Una etiqueta que la cola ya entregó quizá la imprimió otro servidor. hold: espera aquí hasta que alguien decida; para varios servidores en una cola. Lo que este servidor aceptó nunca se imprime dos veces. En blanco: print.',
  'field.queues.beanstalkd.endpoint': 'Servidor',
  'help.queues.beanstalkd.endpoint': 'Host y puerto del servidor de colas.',
  'field.queues.beanstalkd.tube': 'Tubo',
  'help.queues.beanstalkd.tube': 'El tubo del que se toman etiquetas.',
  'field.queues.beanstalkd.redelivered': 'Entregada antes',
  'help.queues.beanstalkd.redelivered':
    'Una etiqueta que otro servidor reservó y no devolvió ni apartó quizá ya se imprimió allí. hold: espera aquí hasta que alguien decida; para varios servidores en una cola. Lo que este servidor aceptó nunca se imprime dos veces. En blanco: print.',
  'field.queues.mqtt.url': 'Broker',
  'help.queues.mqtt.url': 'mqtt:// o mqtts:// (TLS), host y quizá puerto.',
  'field.queues.mqtt.topic': 'Tema',
  'help.queues.mqtt.topic': 'Las etiquetas publicadas allí se imprimen aquí.',
  'field.queues.mqtt.username': 'Usuario del broker',
  'help.queues.mqtt.username': 'Va con la contraseña del broker.',
  'field.queues.mqtt.password': 'Contraseña del broker',
  'help.queues.mqtt.password': 'Va con el usuario del broker.',
  'field.queues.mqtt.client_id': 'ID de cliente',
  'help.queues.mqtt.client_id':
    'Nuestro nombre en el broker, distinto en cada cola y cada servidor de impresión. En blanco: hecho del nombre del ordenador.',
  'field.queues.mqtt.status_topic': 'Tema de estado',
  'help.queues.mqtt.status_topic':
    'Dice si este servidor de impresión está en línea. En blanco: platen/ID DE CLIENTE/status; "none": en ninguno.',
  'field.queues.mqtt.ca': 'Autoridad certificadora',
  'help.queues.mqtt.ca': 'En quién confía TLS. Ruta de un archivo PEM o su texto.',
  'field.queues.mqtt.client_cert': 'Certificado de cliente',
  'help.queues.mqtt.client_cert': 'Para brokers que lo piden. Ruta de un archivo PEM o su texto.',
  'field.queues.mqtt.client_key': 'Clave de cliente',
  'help.queues.mqtt.client_key': 'Va con el certificado. Ruta de un archivo PEM o su texto.',
  'field.printers': 'Impresoras',
  'help.printers': 'Impresoras configuradas a mano.',
  'field.printers.name': 'Nombre',
  'help.printers.name': 'Lo que páginas y programas escriben en el campo printer.',
  'field.printers.uri': 'Dirección del aparato',
  'help.printers.uri':
    'Cómo se llega a la impresora, p. ej. usb://Zebra/LP2844?serial=42A0821, socket://192.168.1.50:9100, ipp://localhost/printers/Zebra, serial:/dev/serial/by-id/NAME?baud=9600 o winspool:ZDesigner%20GK420d.',
  'field.printers.language': 'Lenguaje',
  'help.printers.language':
    'Lo que entiende la impresora. Las imágenes lo necesitan; las etiquetas ZPL, EPL y TSPL pasan tal cual.',
  'field.printers.dpi': 'Puntos por pulgada',
  'help.printers.dpi':
    'Resolución del cabezal; 200 cuenta como 203. En blanco: lo que diga la impresora, si no 203.',
  'field.printers.label_width': 'Ancho de la etiqueta',
  'help.printers.label_width': 'En pulgadas; en blanco, 4.',
  'field.printers.label_height': 'Alto de la etiqueta',
  'help.printers.label_height': 'En pulgadas; en blanco, 6.',
  'field.printers.rotate': 'Giro',
  'help.printers.rotate':
    'Gira cada imagen tantos grados a la derecha; automático: según esté la etiqueta.',
  'field.printers.darkness': 'Intensidad',
  'help.printers.darkness':
    'Porcentaje del rango del lenguaje; en blanco, la que tenga la impresora.',
  'field.printers.speed': 'Velocidad',
  'help.printers.speed': 'Pulgadas por segundo; en blanco, la que tenga la impresora.',
  'field.printers.graphics': 'Gráficos ZPL',
  'help.printers.graphics':
    'Cómo se comprimen las imágenes para impresoras ZPL: z64 ocupa menos, acs lo lee cualquiera.',
  'field.printers.raw_port': 'Puerto raw',
  'help.printers.raw_port':
    'Puerto de esta impresora para programas que imprimen en el puerto 9100 de una impresora de red. En blanco: ninguno.',
  'field.printers.status': 'Estado',
  'help.printers.status':
    'Si se le pregunta cómo está; apagado para una que responde disparates, p. ej. «sin etiquetas» con el rollo lleno.',
  'field.printers.backup': 'Suplente',
  'help.printers.backup':
    'Nombre de la impresora que recibe las etiquetas en espera cuando esta no puede imprimir durante tantos minutos; una en pausa las conserva. En blanco: esperan.',
  'field.printers.backup_box': 'Suplente en el servidor de impresión',
  'help.printers.backup_box':
    'Nombre del servidor de impresión vinculado que tiene la impresora suplente. En blanco: este.',
  'field.printers.backup_minutes': 'Suplente tras',
  'help.printers.backup_minutes':
    'Minutos sin imprimir tras los que las etiquetas pasan a la suplente; 10 en blanco.',
  'field.result_url': 'Dirección de avisos',
  'help.result_url':
    'Recibe lo que fue de cada etiqueta y cada cambio de estado de las impresoras.',
  'field.result_secret': 'Secreto de avisos',
  'help.result_secret':
    'Firma lo que se envía (HMAC-SHA256), para que quien lo recibe sepa de quién viene.',
  'field.share_printers': 'Diálogos de impresión',
  'help.share_printers':
    'Ofrece cada impresora a los diálogos de otros ordenadores y teléfonos (IPP, AirPrint). En blanco: sí, salvo que Host sea local.',
  'field.raw_port': 'Puerto raw',
  'help.raw_port':
    'Puerto para programas que imprimen en el puerto 9100 de una impresora de red: póngales la dirección de este servidor. Imprime en la predeterminada; las demás tienen su propio puerto. En blanco: cerrado.',
  'field.qz_tray': 'QZ Tray',
  'help.qz_tray':
    'Responde como QZ Tray: imprimen por él las páginas de los sitios permitidos o firmadas con el certificado QZ.',
  'field.qz_port': 'Puerto de QZ Tray',
  'help.qz_port':
    'Puerto de QZ Tray para wss; ws es el siguiente. En blanco: 8181, o 8282, 8383, 8484, como los prueban sus programas.',
  'field.qz_certificate': 'Certificado QZ',
  'help.qz_certificate':
    'Certificado con que un sitio firma sus llamadas a QZ Tray (PEM): lo firmado puede imprimir desde cualquier sitio. En blanco: solo sitios permitidos.',
  'field.browser_print': 'Browser Print',
  'help.browser_print':
    'Responde como Zebra Browser Print: imprimen por él las páginas de los sitios permitidos.',
  'field.browser_print_port': 'Puerto de Browser Print',
  'help.browser_print_port': 'Puerto de Browser Print para http; https es el siguiente.',
  'field.fetch_hosts': 'Hosts para direcciones',
  'help.fetch_hosts':
    'Hosts de su red de los que se pueden traer etiquetas cuando un programa de PrintNode o una página con QZ Tray envía una dirección. En blanco: solo hosts de internet.',
  'field.printnode': 'PrintNode',
  'help.printnode':
    'Responde en /printnode como la API de PrintNode: imprimen los programas con una clave de API del servidor de impresión.',
  'field.printnode_name': 'Nombre para PrintNode',
  'help.printnode_name':
    'Nombre de host bajo el que solo está la API de PrintNode, sin /printnode: para programas que solo conocen una dirección sin ruta. En blanco: ninguno.',
  'field.printnode_webhook': 'Webhook de PrintNode',
  'help.printnode_webhook':
    'Recibe cada estado de las etiquetas que llegaron por PrintNode, en la forma de sus webhooks.',
  'field.printnode_webhook_secret': 'Secreto del webhook de PrintNode',
  'help.printnode_webhook_secret':
    'Se envía al webhook de PrintNode, para que quien lo recibe sepa de quién viene.',
  'field.allowed_origins': 'Sitios permitidos',
  'help.allowed_origins': 'Sitios web cuyas páginas pueden imprimir. En blanco: todos.',
  'field.allowed_hosts': 'Nombres de host permitidos',
  'help.allowed_hosts':
    'Otros nombres con que se puede llamar a este servidor, p. ej. detrás de un proxy.',
  'field.job_retention_hours': 'Guardar etiquetas impresas',
  'help.job_retention_hours': 'Horas que se guardan las etiquetas terminadas para reimprimirlas.',
  'field.max_body_mb': 'Petición máxima',
  'help.max_body_mb': 'Megabytes que puede tener una petición.',
  'field.time_zone': 'Zona horaria',
  'help.time_zone':
    'Dónde está el servidor, p. ej. "Europe/Madrid": para las horas de sus frases y la noche en que se actualiza. En blanco: la de su ordenador, UTC en la imagen SD.',
  'field.log_level': 'Registro',
  'help.log_level': 'Cuánto se registra.',
  'field.on_interrupt': 'Tras una interrupción',
  'help.on_interrupt':
    'Una etiqueta cortada a medias por la luz o el cable espera a una persona, o se imprime de nuevo y quizá sale dos veces.',
  'field.printer_commands': 'Órdenes de impresora',
  'help.printer_commands':
    'Etiquetas con órdenes que cambian la propia impresora (guardar ajustes, poner contraseña, cargar firmware): rechazarlas, imprimirlas con un aviso o como cualquier otra.',
  'field.duplicate_guard_minutes': 'Protección de duplicados',
  'help.duplicate_guard_minutes':
    'Retiene una etiqueta que ya se imprimió en la misma impresora en tantos minutos, hasta que alguien la libere. En blanco: nunca.',
  'field.expire_after': 'Caduca tras',
  'help.expire_after':
    'Segundos tras los que se cancela una etiqueta que no pudo imprimirse. En blanco: nunca.',
}
