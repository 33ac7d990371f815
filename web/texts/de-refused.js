/** Deutsch: `src/words/refused-sentences.ts` */
export const texts = {
  isEmpty: 'Das Etikett ist leer.',
  notPrintable: 'Das ist kein Etikett, das hier gedruckt werden kann.',
  isInLanguage: 'Dieses Etikett ist in {language}, das hier nicht gedruckt wird.',
  isPictureKind: 'Das ist ein {kind}-Bild, das hier nicht gedruckt wird.',
  isPictureKindAn: 'Das ist ein {kind}-Bild, das hier nicht gedruckt wird.',
  isFileKind: 'Das ist eine {kind}-Datei, kein Etikett.',
  isFileKindAn: 'Das ist eine {kind}-Datei, kein Etikett.',
  isSeveral: 'Diese Datei enthält mehrere Dokumente hintereinander.',
  tooManyPages: 'Das sind {n} Seiten, und höchstens {most} werden auf einmal gedruckt.',
  printInParts:
    'In Teilen drucken: zuerst die Seiten 1-{most}, dann ab Seite {next} (Feld „pages“).',
  isWholeAnswer:
    'Das ist die ganze Antwort eines Paketdienstes oder Shops, nicht das Etikett darin.',
  sendPart: 'Nur den Teil {part} daraus senden.',
  isAnswer: 'Das ist die Antwort eines Programms, kein Etikett.',
  readAnswer:
    'Lesen: Vielleicht steht darin, warum es kein Etikett gibt. Dann das Etikett noch einmal anfordern.',
  isBrokenBase64: 'Das ist ein Etikett in Base64, und sein Text ist beschädigt oder abgeschnitten.',
  sendEach: 'Jedes davon einzeln senden.',
  isSettings: 'Diese Datei ändert Einstellungen eines Druckers; sie ist kein Etikett.',
  isWebPage: 'Das ist eine Webseite, kein Etikett.',
  isAddress: 'Das ist die Adresse einer Datei, nicht die Datei selbst.',
  packedTooLarge: 'Das Etikett ist mit gzip gepackt und enthält mehr als {most} MB.',
  packedBroken: 'Das Etikett ist mit gzip gepackt, und das Paket ist beschädigt.',
  sendOneOf: 'Eines dieser Formate senden: {formats}.',
  askForOneOf: 'Beim Shop oder Paketdienst eines dieser Formate verlangen: {formats}.',
  saveAsPdf: 'Als PDF oder PNG speichern oder exportieren und das senden.',
  iphoneFormats:
    'Auf dem iPhone unter Einstellungen, Kamera, Formate „Maximale Kompatibilität“ wählen.',
  otherMaker: 'Es wurde für den Drucker eines anderen Herstellers gemacht.',
  chooseFormat:
    'Dort, wo das Etikett entsteht, ZPL, EPL, TSPL, PNG oder PDF wählen; beim Paketdienst heißt das Etikettenformat oder Drucker.',
  loginPage:
    'Oft ist es eine Seite, die eine Anmeldung verlangt oder das Etikett nur zeigt: Das Etikett selbst herunterladen und senden.',
  unpackIt: 'Entpacken und die Etiketten darin senden.',
  downloadIt: 'Die Datei herunterladen und senden.',
  downloadAgain: 'Das Etikett noch einmal herunterladen oder entpacken und den Inhalt senden.',
  lockedPdf: 'Das PDF ist mit einem Passwort gesperrt.',
  unlockPdf: 'Dort öffnen, wo das Passwort bekannt ist, ohne Passwort speichern und das senden.',
  reprintPdf: 'Das PDF in ein neues PDF drucken oder das Etikett als PNG oder ZPL verlangen.',
  newPdf: 'Das Etikett noch einmal herunterladen und die neue Datei senden.',
  pdfBroken: 'Das PDF lässt sich nicht öffnen: Es ist beschädigt oder abgeschnitten.',
  pdfDamaged:
    'Seite {page} dieses PDF ist beschädigt: Ein Teil davon kann nicht gezeichnet werden.',
  pdfPageGone: 'Dieses PDF ist beschädigt: Eine seiner Seiten fehlt.',
  pdfAsText: 'Dieses PDF wurde unterwegs als Text gelesen und dadurch beschädigt.',
  sendAsBytes:
    'Das Etikett noch einmal herunterladen und die Datei als Bytes senden, nicht als Text.',
  pdfUnknown: 'Seite {page} dieses PDF enthält etwas, das hier nicht gezeichnet werden kann.',
  pdfUnseen: 'Seite {page} dieses PDF bleibt leer, obwohl sie Text enthält: Ihre Schriften fehlen.',
  embedFonts:
    'Um ein PDF mit eingebetteten Schriften bitten, oder um das Etikett als ZPL oder PNG.',
  blankPdf: 'Dieses PDF ist leer: Es gibt nichts zu drucken.',
  blankPages: 'Die verlangten Seiten dieses PDF sind leer: Es gibt nichts zu drucken.',
  oneOfSeveral: 'Etikett {number} von {all} kann nicht angenommen werden.',
  changesPrinter:
    'Das Etikett würde Einstellungen des Druckers ändern und wurde deshalb abgelehnt.',
  lettersLost:
    'Einige Zeichen dieses Etiketts gibt es in {charset} nicht: Für jedes wird ein Fragezeichen gedruckt.',
  holdsCommands: 'Das Etikett enthält Befehle, die den Drucker selbst verändern.',
  otherSpeech:
    'Das Etikett ist in {sent}, aber {printer} spricht {spoken}: Es kann falsch herauskommen.',
  ifWrong:
    'Falls ja, dort, wo das Etikett entsteht, {spoken} verlangen oder die Sprache in den Einstellungen des Druckers berichtigen.',
  printerOfLanguage: 'Einen Drucker wählen, der diese Sprache druckt.',
  madeForGaps: 'Das Etikett ist für Rollen mit Lücken zwischen den Etiketten gemacht.',
  madeForMarks: 'Das Etikett ist für Rollen mit schwarzen Marken gemacht.',
  madeForRoll: 'Das Etikett ist für eine Rolle ohne Lücken gemacht.',
  hasGaps:
    '{printer} meldet Etiketten mit Lücken: Bitte nachsehen, ob es an der richtigen Stelle herauskam.',
  hasMarks:
    '{printer} meldet Etiketten mit schwarzen Marken: Bitte nachsehen, ob es an der richtigen Stelle herauskam.',
  hasRoll:
    '{printer} meldet eine Rolle ohne Lücken: Bitte nachsehen, ob es an der richtigen Stelle herauskam.',
  wrongQueue: 'Ein Etikett von {source} kam in die falsche Warteschlange und wurde nicht gedruckt.',
  whichPrinter: '„Drucker wählen …“ drücken und den nehmen, für den es ist.',
  unclear: 'Der Druckserver kann mit dem Gesendeten nichts anfangen.',
  tellMaker: 'Wer die Seite oder das Programm gemacht hat, das es sendet, sollte das erfahren.',
  noLabelSent: 'In dem Gesendeten ist kein Etikett.',
  sameKey: 'Unter demselben Schlüssel wurde vorher etwas anderes gesendet.',
  tooLarge: 'Das ist größer als die {most} MB, die auf einmal angenommen werden.',
  tooMany: 'Das sind mehr Etiketten, als auf einmal angenommen werden.',
  severalRequests: 'Die Etiketten in mehreren Teilen senden.',
  tooSlow: 'Das Gesendete kam nicht rechtzeitig an.',
  tooBusy: 'Der Druckserver hat gerade zu viel zu tun.',
  notReached: 'Der Drucker ist nicht erreichbar.',
  notNow: 'Der Drucker kann gerade nicht drucken.',
  notPossible: 'Das geht mit diesem Etikett jetzt nicht.',
  noPicture: 'Von diesem Etikett gibt es kein Bild.',
  otherAddress: 'Diese Adresse gehört nicht zu diesem Druckserver.',
  mayNot: 'Diese Seite darf das nicht.',
  onlyHere: 'Ohne Passwort geht das nur am Computer des Druckservers selbst.',
  manyWrong: 'Es gab zu viele falsche Passwörter.',
  waitAMinute:
    'Eine Minute warten, dann noch einmal versuchen. Auf einem Gerät, das schon angemeldet war, und am Druckserver selbst geht es jetzt.',
  someFaults: 'Einige Einstellungen müssen berichtigt werden.',
  badKey: 'Diesen API-Schlüssel gibt es nicht, oder er gilt nicht dafür.',
  nothingThere: 'Unter dieser Adresse gibt es nichts.',
  fileUnwritable: 'Der Druckserver kann eine Datei nicht schreiben, die er braucht.',
  programDamaged: 'Ein Teil des Druckservers fehlt oder ist beschädigt.',
  otherSide: 'Die Gegenseite antwortet nicht.',
  otherSideOdd: 'Die Gegenseite antwortet, aber nicht so, wie sie sollte.',
  needPerson: {
    one: '{n} von {all} Etiketten braucht jemanden.',
    other: '{n} von {all} Etiketten brauchen jemanden.',
  },
  aboutLabel: 'Es geht um Etikett {number}.',
  labelFailed: 'Das Etikett konnte nicht gedruckt werden.',
  labelHeld: 'Das Etikett ist angehalten.',
  goneFromSettings: 'Der Drucker steht nicht mehr in den Einstellungen.',
  addOrPrint: 'Den Drucker wieder eintragen oder das Etikett auf einem anderen drucken.',
  hasStopped: 'Der Drucker {printer} steht still.',
  tooLateToMove: 'Zum Verschieben ist es zu spät.',
  anotherCopy: 'Auf dem anderen Drucker noch einmal drucken, falls noch eines gebraucht wird.',
  copyIfWanted: 'Auf dem anderen Drucker noch einmal drucken, falls es noch gebraucht wird.',
  reprinted: 'Das Etikett wurde eben noch einmal gedruckt.',
  onItsWayAway: 'Das Etikett ist unterwegs zu einem anderen Druckserver.',
  hasNoPrinter: 'Das Etikett hat keinen Drucker und kann deshalb nicht gedruckt werden.',
  itsPrinterGone:
    'Sein Drucker {name} steht nicht mehr in den Einstellungen, deshalb kann das Etikett nicht gedruckt werden.',
  itsPrinterUnknown:
    'Hier heißt kein Drucker {name}, deshalb kann das Etikett nicht gedruckt werden.',
  chooseForIt: 'Einen Drucker dafür wählen.',
  printOrAdd:
    'Auf einem anderen Drucker drucken; oder einen Drucker dieses Namens eintragen und dann freigeben.',
  namedNone: 'Kein Drucker heißt {name}.',
  thereAre: 'Es gibt: {names}.',
  didYouMean: 'War {name} gemeint?',
  defaultGone: 'Der Standarddrucker aus den Einstellungen, {name}, ist nicht bekannt.',
  severalPrinters: 'Das Etikett nennt keinen Drucker, und es gibt mehrere: {names}.',
  lookFirst: '{printer} brach mitten in einem Etikett ab; zuerst nach diesem sehen.',
  sameCut: '{printer} brach auf demselben Drucker mitten in einem Etikett ab.',
  settingsChanged: 'Die Einstellungen von {printer} haben sich geändert.',
  cannotMeasure:
    'Die Sprache von {printer} ist nicht bekannt, deshalb kann er seine Etiketten nicht ausmessen.',
  nothingAnswers: 'Unter {host} antwortet nichts.',
  compareAddress:
    'Den Drucker einschalten und die Adresse mit der auf seinem Testetikett vergleichen.',
  addAnyway: 'Er lässt sich trotzdem eintragen.',
  isAlready: 'Der Drucker an dieser Adresse ist schon da: {name}.',
  typeAnother: 'Die Adresse berichtigen und noch einmal speichern.',
  wasFound: 'Dieser Drucker wurde dort gefunden, wo er ist; den anderen eintragen.',
  noAddress: 'Das ist keine Adresse eines Druckers.',
  typeAddress: 'Zum Beispiel 192.168.1.50 oder eine davon: {examples}.',
  waitForIt: {
    one: '{n} Etikett wartet auf {printer}.',
    other: '{n} Etiketten warten auf {printer}.',
  },
  notRemovedNow: 'Er lässt sich jetzt nicht entfernen.',
  notRenamedNow: 'Er lässt sich jetzt nicht umbenennen.',
  goAsBefore:
    'Etiketten, die keinen Drucker nennen, gehen wie bisher an {printer}, bis Sie einen Standarddrucker wählen.',
  areRefused:
    'Etiketten, die keinen Drucker nennen, werden abgelehnt, bis Sie einen Standarddrucker wählen.',
  onlyImage: 'Nur das SD-Image druckt ein Startetikett.',
  startShowsPin:
    'Ein Startetikett zeigt die PIN und wird deshalb nicht noch einmal gedruckt: Unter Drucker gibt es ein neues.',
  resumeWindows: 'Den Drucker in den Druckereinstellungen von Windows fortsetzen.',
  mendWindows: 'Das in Windows in Ordnung bringen; danach druckt das Etikett von selbst.',
  tellKeeper:
    'Wer sich um diesen Computer kümmert, sollte das erfahren; danach druckt das Etikett von selbst.',
  correctPort: 'Den Anschluss in den Einstellungen dieses Druckers berichtigen.',
  startCups:
    'CUPS auf diesem Computer starten, oder wer sich um ihn kümmert, sollte das erfahren; danach druckt das Etikett von selbst.',
  acceptAgain:
    'Die Warteschlange wieder Aufträge annehmen lassen; danach druckt das Etikett von selbst.',
  chooseItself: 'In den Einstellungen dieses Druckers den Drucker selbst wählen.',
  correctQueue: 'Den Namen der Warteschlange in den Einstellungen dieses Druckers berichtigen.',
  printerFull: {
    one: '{n} Etikett wartet auf {name}, mehr passen nicht in seinen Anteil am Druckserver.',
    other: '{n} Etiketten warten auf {name}, mehr passen nicht in seinen Anteil am Druckserver.',
  },
  senderFull: {
    one: '{n} Etikett von {name} wartet, mehr passen nicht in diesen Anteil am Druckserver.',
    other: '{n} Etiketten von {name} warten, mehr passen nicht in diesen Anteil am Druckserver.',
  },
  allFull: {
    one: '{n} Etikett wartet, mehr passen nicht in den Druckserver.',
    other: '{n} Etiketten warten, mehr passen nicht in den Druckserver.',
  },
  emptyPrinter:
    'Nach diesem Drucker sehen oder seine Etiketten unter Drucker mit „Alle abbrechen“ auf seiner Karte abbrechen; dann das Etikett noch einmal senden.',
  emptySender:
    'Nachsehen, was dieser Absender schickt. Seine Etiketten drucken lassen oder abbrechen; dann das Etikett noch einmal senden.',
  emptyAll:
    'Wartende Etiketten drucken lassen oder mit „Alle abbrechen“ auf der Karte eines Druckers abbrechen; dann das Etikett noch einmal senden.',
  diskLow: 'Auf der Platte des Druckservers sind nur noch {free} frei.',
  waitingFill: 'Etiketten, die noch warten, füllen den Druckserver.',
  diskFull: 'Die Platte des Druckservers ist voll.',
  heldFull:
    '{held} Etiketten warten auf eine Entscheidung; weitere unlesbare Nachrichten werden nicht aufbewahrt.',
  printerFills: {
    one: '{n} Etikett wartet auf {name}: sein Anteil am Druckserver ist zu {percent} % voll.',
    other: '{n} Etiketten warten auf {name}: sein Anteil am Druckserver ist zu {percent} % voll.',
  },
  senderFills: {
    one: '{n} Etikett von {name} wartet: dieser Anteil am Druckserver ist zu {percent} % voll.',
    other: '{n} Etiketten von {name} warten: dieser Anteil am Druckserver ist zu {percent} % voll.',
  },
  allFills: {
    one: '{n} Etikett wartet: der Druckserver ist zu {percent} % voll.',
    other: '{n} Etiketten warten: der Druckserver ist zu {percent} % voll.',
  },
  letPrinter:
    'Nach diesem Drucker sehen. Werden sie nicht gebraucht, unter Drucker auf seiner Karte „Alle abbrechen“ drücken.',
  letSender:
    'Nachsehen, was so viele sendet. Werden sie nicht gebraucht, unter Drucker auf der Karte ihres Druckers „Alle abbrechen“ drücken.',
  letAll:
    'Drucken lassen. Werden sie nicht gebraucht, unter Drucker auf der Karte ihres Druckers „Alle abbrechen“ drücken.',
  backupTooLarge: 'Die Etiketten der Sicherung passen jetzt nicht in den Druckserver.',
}
