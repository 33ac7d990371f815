/** Deutsch: die kleinen Seiten */
export const texts = {
  needsAPerson: 'Ein Etikett braucht einen Menschen',
  onItsWay: 'Unterwegs',
  nothingHere: 'Hier ist nichts',
  goOnWithout: 'Ohne Etikett weiter',
  allLabels: 'Alle Etiketten',
  help: 'Hilfe',
  theLabelPrinted: 'Das Etikett, wie es gedruckt wurde',
  canPrint: 'Kann dieser Browser drucken?',
  canPrintYes: 'Dieser Browser kann drucken',
  secureTitle: 'Sichere Verbindung',
  notSecure: 'Dieser Druckserver bietet kein https.',
  switchHttpsOn:
    'HTTPS in den {1} einschalten, den Druckserver neu starten und hierher zurückkommen.',
  theSettings: 'Einstellungen',
  vouches:
    'Dieser Druckserver bürgt für sich selbst. Wer seinem Zertifikat einmal auf jedem PC, Tablet oder Telefon vertraut, kann hier ohne Warnung über https drucken.',
  getCertificate: '1. Zertifikat holen',
  downloadCertificate: 'platen-ca.crt herunterladen',
  fingerprint:
    'Sein SHA-256-Fingerabdruck, zum Vergleich mit dem, was Ihr System zeigt (er steht auch im Protokoll des Druckservers):',
  trustIt: '2. Ihm vertrauen',
  openByAddress: '3. Unter einer dieser Adressen öffnen',
  sayLocalhost:
    '{1}, nicht printserver.local: Browser verwerfen oft, was ein Skript an einen .local-Namen desselben PCs sendet.',
  sayLocalhostStrong: 'Auf dem PC, auf dem der Druckserver selbst läuft, localhost nehmen',
  onWindows: 'Windows (Chrome, Edge)',
  windowsSteps:
    'Datei öffnen, {1} drücken, {2} (oder aktueller Benutzer) wählen, dann {3}, {4}, {5}. Browser neu starten.',
  onMac: 'macOS (Safari, Chrome)',
  macSteps:
    'Datei öffnen; sie landet in der Schlüsselbundverwaltung. Dort öffnen, {1} aufklappen und {2} auf {3} stellen.',
  onIphone: 'iPhone und iPad',
  iphoneSteps:
    'Diese Seite in Safari öffnen und laden. Dann {1}: das Profil installieren. Dann {2}: einschalten.',
  onAndroid: 'Android',
  androidSteps: 'Herunterladen, dann {1}, und die Datei wählen.',
  onLinux: 'Linux (Chrome, Chromium)',
  linuxSteps: '{1} öffnen, {2}, {3}, {4}, {5}.',
  onFirefox: 'Firefox, auf jedem System',
  firefoxSteps: '{1}; {2} ankreuzen.',
  helpLead:
    'Jedes Programm, Skript und jede Webseite druckt hier, indem es ein Etikett sendet. Ohne Treiber, ohne Anmeldung.',
  helpDialogs: 'Der Druckdialog jedes Programms',
  helpDialogsText:
    'Jeder Drucker der Box erscheint dort als eigener Drucker. Wird er nicht gefunden, {1} als IPP-Drucker eintragen. Eine A4-Seite kommt aus dem Druckdialog klein heraus: Ihr PDF besser bei {2} ablegen, dort wird das Etikett ausgeschnitten.',
  helpScript: 'Eine Datei aus einem Skript',
  helpForm: 'Ein Formular auf einer Webseite',
  helpAnswer:
    'Die Antwort sagt, was aus jedem Etikett wurde: {1} ist {2} oder {3}, mit einem Satz in {4} und dem Rat in {5}.',
  helpWhat: 'Was ein Etikett sein kann',
  helpWhatText:
    'Ein fertiges Druckeretikett oder ein Bild ({1}), als base64 in {2}; mehrere in {3}. Bilder werden gedreht und angepasst; fertige Etiketten gehen unverändert an den Drucker.',
  helpFields: 'Felder',
  helpPrinter: '{1}: ein Name aus {2}, sonst der Standarddrucker',
  helpPrinterList: 'der Liste der Drucker',
  helpCopies: '{1}: wie viele von jedem Etikett',
  helpSize: '{1}, {2}: in Zoll',
  helpDpi: '{1}: Punkte pro Zoll des Bildes',
  helpStart: '{1}, {2}: wo das Bild beginnt, in Punkten',
  helpRotate: '{1}: 0, 90, 180 oder 270, im Uhrzeigersinn, sonst wie es am besten passt',
  helpScaling: '{1}: none = Bilder behalten ihre Größe',
  helpDarkness: '{1}: 0 bis 100',
  helpRedirect: '{1}: wohin der Browser nach dem Drucken geht',
  helpIdempotency: '{1}: derselbe Schlüssel zweimal druckt einmal',
  helpExpire: '{1}: Sekunden, nach denen ein nicht gedrucktes Etikett abgebrochen wird',
  helpMore: 'Eine Packliste geht als JSON an {1}. Alles Weitere steht in der Datei {2} von platen.',
  callsTitle: 'Alle Aufrufe für Programme',
  callsLead:
    'Alle Wege, diesen Druckserver aufzurufen, wie er jetzt ist. Werkzeuge lesen dasselbe unter {1} (OpenAPI 3.1). Beispiele: {2}.',
  findCall: 'Aufruf suchen',
  noCall: 'Nichts hier hat diese Wörter.',
  besidesBody: 'Außer dem Inhalt',
  callBody: 'Inhalt: {type}',
  callAnswer: 'Antwort {status}',
  otherAnswer: 'Jede andere Antwort',
}
