/** Deutsch: das Formular der Einstellungen */
export const texts = {
  unitSeconds: 'Sekunden',
  unitMinutes: 'Minuten',
  unitHours: 'Stunden',
  groupAdmin: 'Wer Einstellungen ändern und Etiketten sehen darf',
  groupTime: 'Zeit',
  groupAddress: 'Adresse dieser Seite',
  groupSources: 'Warteschlangen und Heartbeat',
  groupDoors: 'Programme, die bisher anders gedruckt haben',
  groupLabels: 'Umgang mit Etiketten',
  groupResults: 'Meldungen an Ihre Systeme',
  groupMore: 'Mehr',
  faults: {
    one: '{n} Einstellung muss berichtigt werden.',
    other: '{n} Einstellungen müssen berichtigt werden.',
  },
  notSaved: 'Nicht gespeichert: {why}.',
  restartFor: 'Druckserver neu starten für: {settings}.',
  afterRestart: 'Gilt nach einem Neustart.',
  thisQueue: 'diese Warteschlange',
  theHeartbeat: 'Heartbeat',
  onePerLine: 'je Zeile einer',
  badJson: 'Das ist kein gültiges JSON. Beispiel: {example}',
  notChosen: 'nicht gewählt',
  asUsual: 'wie üblich: {choice}',
  asAllLabels: 'wie bei allen anderen Etiketten',
  choiceAuto: 'automatisch',
  choiceAllow: 'drucken wie jedes Etikett',
  choiceWarn: 'mit Warnung drucken',
  choiceRefuse: 'ablehnen',
  choiceHold: 'auf einen Menschen warten',
  choiceReprint: 'automatisch noch einmal drucken',
  choiceSpooled: 'sobald das Etikett sicher ist',
  choicePrinted: 'wenn das Etikett gedruckt ist',
  choiceAsked: 'er wird gefragt',
  choiceNeverAsked: 'er wird nie gefragt',
  logErrors: 'Fehler',
  logWarnings: 'Fehler und Warnungen',
  logInfo: 'auch Ereignisse',
  logAll: 'alles',
  addQueueRow: 'Warteschlange hinzufügen',
  removeQueueRow: 'Diese Warteschlange entfernen',
  newQueueRow: 'Neue Warteschlange',
  noZone:
    'Es ist keine Zeitzone gewählt, alle Zeiten dieses Druckservers sind daher UTC, auch die der Aktualisierung.',
  takeZone: 'Zeitzone dieses Computers nehmen ({zone})',
  // Paired boxes
  boxes: 'Druckserver',
  boxesHelp:
    'Gekoppelte Druckserver drucken füreinander: Wählen Sie dort, wo ein Etikett wartet, einen ihrer Drucker.',
  showCode: 'Code anzeigen',
  pairBox: 'Mit einem Druckserver koppeln …',
  codeHelp:
    'Geben Sie diesen Code am anderen Druckserver ein: Einstellungen, Druckserver, Mit einem Druckserver koppeln. Er gilt zwei Minuten.',
  boxAddress: 'Adresse des anderen Druckservers',
  boxCode: 'Der Code, den sie anzeigt',
  lookingForBoxes: 'Druckserver werden im Netzwerk gesucht …',
  noBoxes: 'Kein anderer Druckserver meldet sich. Geben Sie seine Adresse ein.',
  paired: 'Mit {name} gekoppelt.',
  removeBox: '{name} entfernen',
  boxSeen: 'antwortete {time}',
  'field.host': 'Host',
  'help.host':
    'Name oder Adresse, unter der der Server erreichbar ist. Leer: unter allen dieses Computers, damit auch andere drucken können.',
  'field.port': 'Port',
  'help.port': 'Port des HTTP-Servers; 0 nimmt einen freien.',
  'field.secure_port': 'Sicherer Port',
  'help.secure_port': 'Port des HTTPS-Servers. Leer: 8443, wenn HTTPS an ist.',
  'field.printer': 'Standarddrucker',
  'help.printer':
    'Druckt Etiketten, die keinen Drucker nennen. Nicht gewählt: der einzige vorhandene, auch wenn später andere dazukommen.',
  'field.open_browser': 'Browser öffnen',
  'help.open_browser': 'Öffnet beim Start die Seite im Browser dieses Computers.',
  'field.use_ssl': 'HTTPS',
  'help.use_ssl': 'Antwortet auch verschlüsselt auf dem sicheren Port, mit eigenem Zertifikat.',
  'field.username': 'Benutzername',
  'help.username':
    'Wird zusammen mit dem Passwort verlangt, bevor Einstellungen geändert werden. Drucken geht immer ohne.',
  'field.password': 'Passwort',
  'help.password': 'Gehört zum Benutzernamen.',
  'field.open_bench': 'Etiketten ohne Anmeldung',
  'help.open_bench':
    'Alle am Packtisch dürfen Etiketten auf der Seite sehen und nachdrucken. Aus: Sind Benutzername und Passwort gesetzt, fragt die Seite danach, bevor sie Etiketten zeigt. Drucken geht immer ohne.',
  'field.heart_beat_url': 'Heartbeat-Adresse',
  'help.heart_beat_url':
    'Bekommt regelmäßig einen Heartbeat; die Antwort kann Etiketten zum Drucken enthalten.',
  'field.heart_beat_interval': 'Heartbeat-Abstand',
  'help.heart_beat_interval': 'Sekunden zwischen zwei Heartbeats; leer: 60.',
  'field.heart_beat_params': 'Heartbeat-Parameter',
  'help.heart_beat_params': 'Beliebiges eigenes JSON, das jeder Heartbeat mitschickt.',
  'field.heart_beat_printer_commands': 'Druckerbefehle in Heartbeat-Etiketten',
  'help.heart_beat_printer_commands':
    'Wie „Druckerbefehle“, nur für Etiketten aus Heartbeat-Antworten. Leer: wie dort.',
  'field.queues': 'Warteschlangen',
  'help.queues': 'Warteschlangen, aus denen Etiketten geholt werden.',
  'field.queues.type': 'Art',
  'help.queues.type': 'Art der Warteschlange.',
  'field.queues.printer': 'Drucker',
  'help.queues.printer': 'Druckt hier statt auf dem Standarddrucker.',
  'field.queues.printer_commands': 'Druckerbefehle',
  'help.queues.printer_commands':
    'Wie „Druckerbefehle“ für alle Etiketten, nur für diese Warteschlange. Leer: wie dort.',
  'field.queues.ack': 'Verlässt die Warteschlange',
  'help.queues.ack':
    'Wann eine Nachricht aus der Warteschlange genommen wird: sobald ihre Etiketten hier sicher sind oder sobald sie gedruckt sind.',
  'field.queues.sqs.region': 'Region',
  'help.queues.sqs.region': 'Region der Warteschlange, z. B. "eu-central-1".',
  'field.queues.sqs.url': 'Adresse',
  'help.queues.sqs.url': 'Adresse der Warteschlange.',
  'field.queues.sqs.access_key_id': 'Zugriffsschlüssel',
  'help.queues.sqs.access_key_id':
    'Leer: AWS findet selbst einen (Umgebung, gemeinsame Dateien, Rollen).',
  'field.queues.sqs.secret_access_key': 'Geheimer Zugriffsschlüssel',
  'help.queues.sqs.secret_access_key': 'Gehört zum Zugriffsschlüssel.',
  'field.queues.sqs.redelivered': 'Schon einmal geliefert',
  'help.queues.sqs.redelivered':
    'Ein Etikett, das die Warteschlange schon einmal geliefert hat, hat vielleicht ein anderer Server gedruckt. hold: wartet hier, bis jemand entscheidet; für mehrere Server an einer Warteschlange. Was dieser Server selbst angenommen hat, druckt nie zweimal. Leer: print.',
  'field.queues.beanstalkd.endpoint': 'Server',
  'help.queues.beanstalkd.endpoint': 'Host und Port des Servers.',
  'field.queues.beanstalkd.tube': 'Tube',
  'help.queues.beanstalkd.tube': 'Tube, aus der Etiketten geholt werden.',
  'field.queues.beanstalkd.redelivered': 'Schon einmal geliefert',
  'help.queues.beanstalkd.redelivered':
    'Ein Etikett, das ein anderer Server reserviert und weder zurückgegeben noch beiseitegelegt hat, ist dort vielleicht schon gedruckt. hold: wartet hier, bis jemand entscheidet; für mehrere Server an einer Warteschlange. Was dieser Server selbst angenommen hat, druckt nie zweimal. Leer: print.',
  'field.queues.mqtt.url': 'Broker',
  'help.queues.mqtt.url': 'mqtt:// oder mqtts:// (TLS), Host und eventuell Port.',
  'field.queues.mqtt.topic': 'Topic',
  'help.queues.mqtt.topic': 'Etiketten, die dort veröffentlicht werden, drucken hier.',
  'field.queues.mqtt.username': 'Broker-Benutzer',
  'help.queues.mqtt.username': 'Gehört zum Broker-Passwort.',
  'field.queues.mqtt.password': 'Broker-Passwort',
  'help.queues.mqtt.password': 'Gehört zum Broker-Benutzer.',
  'field.queues.mqtt.client_id': 'Client-ID',
  'help.queues.mqtt.client_id':
    'Unser Name beim Broker, für jede Warteschlange und jeden Druckserver ein anderer. Leer: aus dem Rechnernamen gebildet.',
  'field.queues.mqtt.status_topic': 'Status-Topic',
  'help.queues.mqtt.status_topic':
    'Sagt, ob dieser Druckserver da ist. Leer: platen/CLIENT-ID/status; "none": nirgends.',
  'field.queues.mqtt.ca': 'Zertifizierungsstelle',
  'help.queues.mqtt.ca': 'Wem TLS vertraut. Pfad einer PEM-Datei oder ihr Text.',
  'field.queues.mqtt.client_cert': 'Client-Zertifikat',
  'help.queues.mqtt.client_cert':
    'Für Broker, die eines verlangen. Pfad einer PEM-Datei oder ihr Text.',
  'field.queues.mqtt.client_key': 'Client-Schlüssel',
  'help.queues.mqtt.client_key': 'Gehört zum Zertifikat. Pfad einer PEM-Datei oder ihr Text.',
  'field.printers': 'Drucker',
  'help.printers': 'Von Hand eingerichtete Drucker.',
  'field.printers.name': 'Name',
  'help.printers.name': 'Was Seiten und Programme ins Feld printer schreiben.',
  'field.printers.uri': 'Geräteadresse',
  'help.printers.uri':
    'Wie der Drucker erreicht wird, z. B. usb://Zebra/LP2844?serial=42A0821, socket://192.168.1.50:9100, ipp://localhost/printers/Zebra, serial:/dev/serial/by-id/NAME?baud=9600 oder winspool:ZDesigner%20GK420d.',
  'field.printers.language': 'Sprache',
  'help.printers.language':
    'Was der Drucker versteht. Bilder brauchen sie; Etiketten in ZPL, EPL und TSPL gehen unverändert durch.',
  'field.printers.dpi': 'Punkte pro Zoll',
  'help.printers.dpi':
    'Auflösung des Druckkopfs; 200 gilt als 203. Leer: was der Drucker sagt, sonst 203.',
  'field.printers.label_width': 'Etikettenbreite',
  'help.printers.label_width': 'In Zoll; leer: 4.',
  'field.printers.label_height': 'Etikettenhöhe',
  'help.printers.label_height': 'In Zoll; leer: 6.',
  'field.printers.rotate': 'Drehen',
  'help.printers.rotate':
    'Dreht jedes Bild um so viele Grad im Uhrzeigersinn; automatisch: so, wie das Etikett liegt.',
  'field.printers.darkness': 'Schwärze',
  'help.printers.darkness': 'Prozent des Bereichs der Sprache; leer: wie am Drucker eingestellt.',
  'field.printers.speed': 'Geschwindigkeit',
  'help.printers.speed': 'Zoll pro Sekunde; leer: wie am Drucker eingestellt.',
  'field.printers.graphics': 'ZPL-Grafik',
  'help.printers.graphics':
    'Wie Bilder für ZPL-Drucker gepackt werden: z64 ist am kleinsten, acs liest jeder Drucker.',
  'field.printers.raw_port': 'Raw-Port',
  'help.printers.raw_port':
    'Port dieses Druckers für Programme, die auf Port 9100 eines Netzwerkdruckers drucken. Leer: keiner.',
  'field.printers.status': 'Status',
  'help.printers.status':
    'Ob der Drucker nach seinem Zustand gefragt wird; aus für einen, der Unsinn antwortet, etwa „keine Etiketten“ bei voller Rolle.',
  'field.printers.backup': 'Ersatz',
  'help.printers.backup':
    'Name des Druckers, der die wartenden Etiketten bekommt, wenn dieser so viele Minuten lang nicht drucken kann; ein angehaltener behält sie. Leer: sie warten.',
  'field.printers.backup_box': 'Ersatz an Druckserver',
  'help.printers.backup_box':
    'Name des gekoppelten Druckservers, der den Ersatzdrucker hat. Leer: dieser hier.',
  'field.printers.backup_minutes': 'Ersatz nach',
  'help.printers.backup_minutes':
    'Minuten ohne Druck, nach denen die Etiketten an den Ersatz gehen; 10, wenn leer.',
  'field.result_url': 'Meldeadresse',
  'help.result_url':
    'Erfährt, was aus jedem Etikett wurde, und jede Änderung am Zustand der Drucker.',
  'field.result_secret': 'Meldegeheimnis',
  'help.result_secret':
    'Unterschreibt die Meldungen (HMAC-SHA256), damit der Empfänger weiß, von wem sie kommen.',
  'field.share_printers': 'Druckdialoge',
  'help.share_printers':
    'Bietet jeden Drucker den Druckdialogen anderer Computer und Telefone an (IPP, AirPrint). Leer: an, außer wenn Host lokal ist.',
  'field.raw_port': 'Raw-Port',
  'help.raw_port':
    'Port für Programme, die auf Port 9100 eines Netzwerkdruckers drucken: dort die Adresse dieses Druckservers eintragen. Druckt auf dem Standarddrucker; andere Drucker haben einen eigenen Port. Leer: zu.',
  'field.qz_tray': 'QZ Tray',
  'help.qz_tray':
    'Antwortet wie QZ Tray: Seiten der erlaubten Websites, oder mit Unterschrift des QZ-Zertifikats, drucken darüber.',
  'field.qz_port': 'QZ-Tray-Port',
  'help.qz_port':
    'Port von QZ Tray für wss; ws ist der nächste. Leer: 8181, sonst 8282, 8383, 8484, wie seine Programme sie probieren.',
  'field.qz_certificate': 'QZ-Zertifikat',
  'help.qz_certificate':
    'Zertifikat, mit dem eine Website ihre Aufrufe an QZ Tray unterschreibt (PEM): Was es unterschrieb, darf von jeder Website drucken. Leer: nur erlaubte Websites.',
  'field.browser_print': 'Browser Print',
  'help.browser_print':
    'Antwortet wie Zebra Browser Print: Seiten der erlaubten Websites drucken darüber.',
  'field.browser_print_port': 'Browser-Print-Port',
  'help.browser_print_port': 'Port von Browser Print für http; https ist der nächste.',
  'field.fetch_hosts': 'Hosts für Adressen',
  'help.fetch_hosts':
    'Hosts im eigenen Netz, von denen Etiketten geholt werden dürfen, wenn ein PrintNode-Programm oder eine Seite mit QZ Tray eine Adresse schickt. Leer: nur Hosts im Internet.',
  'field.printnode': 'PrintNode',
  'help.printnode':
    'Antwortet unter /printnode wie die API von PrintNode: Programme mit einem API-Schlüssel dieses Druckservers drucken darüber.',
  'field.printnode_name': 'PrintNode-Name',
  'help.printnode_name':
    'Hostname, unter dem nur die API von PrintNode liegt, ohne /printnode: für Programme, die nur eine Adresse ohne Pfad kennen. Leer: keiner.',
  'field.printnode_webhook': 'PrintNode-Webhook',
  'help.printnode_webhook':
    'Erfährt jeden Zustand der Etiketten, die über PrintNode kamen, in der Form seiner Webhooks.',
  'field.printnode_webhook_secret': 'PrintNode-Webhook-Geheimnis',
  'help.printnode_webhook_secret':
    'Wird dem PrintNode-Webhook mitgeschickt, damit der Empfänger weiß, von wem er kommt.',
  'field.allowed_origins': 'Erlaubte Websites',
  'help.allowed_origins': 'Websites, deren Seiten drucken dürfen. Leer: alle.',
  'field.allowed_hosts': 'Erlaubte Hostnamen',
  'help.allowed_hosts':
    'Weitere Namen, unter denen dieser Druckserver aufgerufen werden darf, z. B. hinter einem Proxy.',
  'field.job_retention_hours': 'Gedruckte Etiketten aufheben',
  'help.job_retention_hours': 'So viele Stunden lassen sich beendete Etiketten nachdrucken.',
  'field.max_body_mb': 'Größte Anfrage',
  'help.max_body_mb': 'So viele Megabyte darf eine Anfrage haben.',
  'field.time_zone': 'Zeitzone',
  'help.time_zone':
    'Wo der Druckserver steht, z. B. "Europe/Berlin": für die Uhrzeiten in seinen Meldungen und die Nacht, in der er sich aktualisiert. Leer: die seines Computers, beim SD-Karten-Image UTC.',
  'field.log_level': 'Protokoll',
  'help.log_level': 'Wie viel protokolliert wird.',
  'field.on_interrupt': 'Nach einer Unterbrechung',
  'help.on_interrupt':
    'Ein Etikett, das mitten im Druck durch Strom oder Kabel abbrach, wartet auf einen Menschen oder druckt noch einmal und kommt vielleicht doppelt heraus.',
  'field.printer_commands': 'Druckerbefehle',
  'help.printer_commands':
    'Etiketten mit Befehlen, die den Drucker selbst ändern (Einstellungen speichern, Passwort setzen, Firmware laden): ablehnen, mit Warnung drucken oder drucken wie jedes andere.',
  'field.duplicate_guard_minutes': 'Schutz vor Doppeldruck',
  'help.duplicate_guard_minutes':
    'Hält ein Etikett an, das innerhalb so vieler Minuten schon auf demselben Drucker gedruckt wurde, bis jemand es freigibt. Leer: nie.',
  'field.expire_after': 'Verfällt nach',
  'help.expire_after':
    'Nach so vielen Sekunden wird ein Etikett abgebrochen, das nicht drucken konnte. Leer: nie.',
}
