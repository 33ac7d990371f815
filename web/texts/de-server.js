/** Deutsch: die Sätze des Druckservers (`src/words/sentences.ts`, and the hints of `src/words/errors.ts` by code) */
export const texts = {
  busyWait:
    '{printer} wird gerade von jemand anderem benutzt; seine Etiketten bleiben und drucken von selbst.',
  silentWait: '{printer} antwortet nicht; seine Etiketten bleiben und drucken von selbst.',
  cannotWait:
    '{printer} kann gerade nicht drucken; seine Etiketten bleiben und drucken von selbst.',
  busy: '{printer} wird gerade von jemand anderem benutzt.',
  silent: '{printer} antwortet nicht.',
  cannot: '{printer} kann gerade nicht drucken.',
  labelKept: 'Das Etikett bleibt und druckt von selbst.',
  kept: 'Das Etikett bleibt erhalten.',
  noPrinter: 'Das Etikett hat keinen Drucker.',
  printerGone: '{printer} steht nicht mehr in den Einstellungen.',
  isOpen: '{printer} ist offen.',
  isJammed: '{printer} hat einen Stau.',
  isOutOfLabels: '{printer} hat keine Etiketten mehr.',
  isOutOfRibbon: '{printer} hat kein Farbband mehr.',
  isPaused: '{printer} ist angehalten.',
  isOffline: '{printer} ist nicht erreichbar.',
  takesNoData: '{printer} nimmt keine Daten an.',
  isNotReady: '{printer} meldet, dass er nicht bereit ist.',
  keptAfterwards: 'Seine Etiketten bleiben und drucken danach von selbst.',
  keptUntilThen: 'Seine Etiketten bleiben und drucken von selbst, sobald er es tut.',
  keptAlone: 'Seine Etiketten bleiben und drucken von selbst.',
  labelsKept: 'Seine Etiketten bleiben erhalten.',
  labelsWait: 'Seine Etiketten warten.',
  goesOnAfterwards: 'Danach druckt das Etikett von selbst weiter.',
  goesOnUntilThen: 'Das Etikett druckt von selbst weiter, sobald er es tut.',
  lostMidway: '{printer} verlor mitten in einem Etikett die Verbindung.',
  othersGoOn: 'Die anderen Etiketten drucken von selbst weiter.',
  cutMidway: '{printer} brach mitten in einem Etikett ab.',
  waitForWord: 'Seine Etiketten warten, bis Sie sagen, was aus jenem wurde.',
  diskWait: '{printer} wartet, weil der Druckserver nicht auf seine Platte schreiben kann.',
  diskGoesOn: 'Sobald es geht, wird von selbst weitergedruckt.',
  notConnected: '{printer} ist nicht angeschlossen oder ausgeschaltet.',
  elsewhere:
    '{printer} ist nicht an seiner Adresse aus den Einstellungen; einer seiner Art ist jetzt {place}.',
  whatLanguage: 'Welche Sprache spricht {printer}?',
  untilSaid:
    'Bis jemand es sagt, drucken {languages}-Etiketten, wie sie sind, und Bilder werden abgelehnt.',
  notAskedYet: 'Ob {printer} eingeschaltet und bereit ist, ist noch nicht bekannt.',
  firstShows: 'Seine Etiketten werden angenommen, das erste zeigt es.',
  otherLength: '{printer} hat Etiketten von {has} Zoll, die Einstellungen sagen {wanted} Zoll.',
  otherWidth: '{printer} druckt {has} Zoll breit, die Einstellungen sagen {wanted} Zoll.',
  removedPrinter: 'Dieser Drucker steht nicht mehr in den Einstellungen; seine Etiketten warten.',
  switchOn: 'Drucker einschalten und Kabel prüfen.',
  waitOrMove: 'Warten oder einen anderen Drucker wählen.',
  chooseOne: '„Drucker wählen …“ drücken.',
  addOrMove: 'Drucker wieder eintragen oder „Auf anderem Drucker …“ drücken.',
  addOrCancel:
    'Drucker wieder eintragen oder seine Etiketten abbrechen oder auf einem anderen drucken.',
  closeCover: 'Deckel schließen, bis er einrastet.',
  clearJam: 'Deckel öffnen, festsitzende Etiketten herausnehmen, wieder schließen.',
  loadRoll: 'Rolle einlegen, dann die Vorschubtaste drücken.',
  newRibbon: 'Neues Farbband einlegen, dann die Vorschubtaste drücken.',
  pressPause: 'Pausetaste am Drucker drücken.',
  pressResume: '„Fortsetzen“ drücken, um sie zu drucken.',
  checkPrinter: 'Etiketten, Farbband, Deckel und Pausetaste prüfen.',
  lookAtCut:
    'Am Drucker nachsehen, dann beim abgebrochenen Etikett „Es kam heraus“ oder „Noch einmal drucken“ drücken.',
  restartCut:
    'Drucker aus- und einschalten, dann beim abgebrochenen Etikett „Es kam heraus“ oder „Noch einmal drucken“ drücken.',
  plugBack:
    'Kabel wieder dort anschließen, wo es war, oder die Adresse in den Einstellungen ändern.',
  chooseLanguage:
    'Sprache wählen: Sie steht im Handbuch oder auf dem Etikett, das der Drucker beim Einschalten mit gedrückter Vorschubtaste druckt.',
  rightRoll:
    'Die richtige Rolle einlegen, nach einem Rollenwechsel „Kalibrieren“ drücken oder die Etikettengröße in den Einstellungen berichtigen.',
  cutOff: 'Das Etikett brach beim Drucken ab.',
  mayBeOut: 'Vielleicht kam es heraus, vielleicht nicht.',
  printedOnceMore: 'Es wird noch einmal gedruckt.',
  throwOneAway: 'Kommen zwei Etiketten heraus, eins wegwerfen.',
  cutAndAgain:
    'Es brach beim Drucken ab und wurde noch einmal gedruckt: Vielleicht kamen zwei heraus.',
  lookAtPrinter: 'Am Drucker nachsehen, dann „Es kam heraus“ oder „Noch einmal drucken“ drücken.',
  beforeMissing: {
    one: 'Auch das Etikett direkt davor kann fehlen.',
    other: 'Auch die {n} Etiketten direkt davor können fehlen.',
  },
  notShown:
    'Der Drucker zeigte nicht, dass er dieses Etikett nahm: Bitte nachsehen, ob es herauskam.',
  stoppedMidway: 'Das Etikett wurde beim Drucken angehalten.',
  partMayBeOut: 'Ein Teil davon kann herausgekommen sein.',
  restartStopped:
    'Drucker aus- und einschalten, dann das Etikett noch einmal abbrechen oder „Es kam heraus“ oder „Noch einmal drucken“ drücken.',
  heldAtWish: 'Das Etikett soll warten, bis jemand es freigibt.',
  releaseIt: '„Freigeben und drucken“ drücken, wenn es gebraucht wird.',
  canceledMidway: 'Beim Drucken abgebrochen.',
  lookForPart: 'Am Drucker nachsehen: Ein Teil kann herausgekommen sein.',
  labelVoid: 'Die Sendung zu diesem Etikett wurde storniert, das Etikett ist also ungültig.',
  buyAnother:
    'Falls es herausgekommen ist, wegwerfen. Um das Paket zu versenden, ein neues kaufen.',
  tooLate: 'Das Etikett konnte nicht rechtzeitig drucken und wurde abgebrochen.',
  sendAgain: 'Noch einmal senden, falls es noch gebraucht wird.',
  movedTo: 'Verschoben nach {printer}.',
  backupTook: {
    one: '{printer} konnte {n} Minute lang nicht drucken, deshalb ging dieses Etikett an {to}.',
    other: '{printer} konnte {n} Minuten lang nicht drucken, deshalb ging dieses Etikett an {to}.',
  },
  backupNobody: 'Kein Drucker heißt {printer}, also können keine Etiketten dorthin.',
  backupSame: '{printer} und sein Ersatz {to} sind ein und derselbe Drucker.',
  stationHadIt:
    'Ein anderer Druckserver hat dieses Etikett schon bekommen und vielleicht gedruckt: erst dort nachsehen.',
  restored: 'Das Etikett kam aus einer Sicherung zurück.',
  perhapsPrinted: 'Der Druckserver, der sie machte, hat es vielleicht schon gedruckt.',
  lookWhetherThere:
    'Nachsehen, ob das Etikett da ist, dann „Es kam heraus“ oder „Noch einmal drucken“ drücken.',
  labelLost: 'Das Etikett ging verloren, als die Platte des Druckservers beschädigt wurde.',
  unreadable: 'Das Etikett lässt sich nicht mehr von der Platte des Druckservers lesen.',
  sendAndCheck: 'Etikett noch einmal senden und die Platte prüfen.',
  sendOnce: 'Etikett noch einmal senden.',
  waitsFor: 'Das Etikett wartet auf {printer}.',
  waitsForWord: 'Das Etikett wartet, bis jemand sagt, ob es herauskam.',
  isHeld: 'Das Etikett ist angehalten, bis jemand entscheidet.',
  printsNow: 'Das Etikett wird gerade auf {printer} gedruckt.',
  saidOut: 'Jemand sagte, dass das Etikett auf {printer} herauskam.',
  isPrinted: 'Das Etikett wurde auf {printer} gedruckt.',
  isCanceled: 'Das Etikett wurde abgebrochen.',
  notPrinted: 'Das Etikett konnte auf {printer} nicht gedruckt werden.',
  pressReprint: '„Nachdrucken“ drücken für ein weiteres Exemplar.',
  reprintIfWanted: '„Nachdrucken“ drücken, falls es noch gebraucht wird.',
  decide: 'Etikett noch einmal ansehen, dann entscheiden.',
  nothingToDo: 'Es ist nichts zu tun.',
  reprintedOn: 'Das Etikett wurde eben auf {printer} nachgedruckt.',
  pressOnceMore: 'Noch einmal drücken für ein weiteres Exemplar.',
  firstSay: 'Erst sagen, ob es herauskam, oder abbrechen.',
  labelGone: 'Dieses Etikett ist nicht mehr gespeichert.',
  noSuchLabel: 'Dieses Etikett gibt es hier nicht oder nicht mehr.',
  alreadyPrinted: 'Schon um {time} auf {printer} gedruckt.',
  wasPrinted: '„{name}“ wurde schon um {time} auf {printer} gedruckt.',
  sameWaits: 'Dasselbe Etikett kam um {time} und wartet noch auf {printer}.',
  takenWaits: '„{name}“ kam um {time} und wartet noch auf {printer}.',
  languageUnknown:
    'Die Sprache von {printer} ist nicht bekannt, daher ließ sich das Etikett nicht zeichnen.',
  chooseAndRelease:
    'Unter Drucker die Sprache von {printer} wählen, dann „Freigeben und drucken“ drücken.',
  pictureDamaged: 'Das Bild dieses Etiketts ist beschädigt und ließ sich nicht zeichnen.',
  pictureKind: 'Das Bild dieses Etiketts ist von einer Art, die sich nicht zeichnen lässt.',
  pictureTooLarge: 'Das Bild dieses Etiketts ist zu groß.',
  pictureTooSlow: 'Das Bild dieses Etiketts zu zeichnen dauerte zu lange.',
  drawingFault: 'Das Etikett ließ sich nicht zeichnen: ein Fehler des Druckservers.',
  crashedTwice:
    'Der Druckserver scheiterte zweimal an diesem Etikett ({format}), daher wurde es beiseitegelegt.',
  askZplOrRetry:
    'Das Etikett als ZPL verlangen oder „Freigeben und drucken“ drücken, um es noch einmal zu versuchen.',
  sentNoLabel:
    'Jemand sandte über {source} etwas, das kein Etikett ist; es lässt sich nicht drucken.',
  sentCrash:
    'Der Druckserver blieb zweimal bei einem Etikett von {source} stehen, daher wird dieses beiseitegelegt.',
  manyPdfs: 'Gerade werden viele PDFs gelesen.',
  manyPacked: 'Gerade werden viele gepackte Etiketten entpackt.',
  faultHere: 'Der Druckserver konnte dieses Etikett nicht lesen: ein Fehler des Druckservers.',
  sentUnread:
    'Der Druckserver konnte ein Etikett von {source} nicht lesen: ein Fehler des Druckservers. Das Etikett ist beiseitegelegt.',
  sentCut: 'Das Ende eines Etiketts von {source} fehlt, es wurde nicht gedruckt.',
  sentKind: 'Jemand sandte über {source} eine Art Datei, die sich nicht drucken lässt.',
  sentFault: 'Jemand sandte über {source} ein fehlerhaftes Etikett; es lässt sich nicht drucken.',
  tellSender: 'Nichts ist verloren: Sagen Sie es denen, die über {source} Etiketten senden.',
  thenCancel: 'Dann dieses abbrechen.',
  namesNone: 'Ein Etikett von {source} fand keinen Drucker: Es nennt keinen.',
  namesUnknown: 'Ein Etikett von {source} fand keinen Drucker: Hier heißt keiner „{name}“.',
  chooseOrAdd: '„Drucker wählen …“ drücken; gibt es noch keinen, erst einen eintragen.',
  pressOther: '„Auf anderem Drucker …“ drücken.',
  orAddNamed: 'Oder einen Drucker namens „{name}“ eintragen, dann „Freigeben und drucken“ drücken.',
  notALabel: 'Diese Nachricht ist kein Etikett und lässt sich nicht drucken.',
  nothingToPrint: 'Diese Nachricht ist kein Etikett; es gibt nichts zu drucken.',
  cancelAndTell: 'Abbrechen und dem Absender Bescheid sagen.',
  endMissing: 'Das Ende des Etiketts fehlt; es lässt sich nicht drucken.',
  endCut: 'Das Ende dieses Etiketts fehlt: Es hört mitten in einem Bild oder einer Datei auf.',
  endCutWhy:
    'Es wurde nicht gedruckt, weil der Drucker die nächsten Etiketten für den fehlenden Teil halten würde.',
  looksLikePaper:
    'Seite {page} dieses PDFs sieht aus wie ein Dokument, nicht wie ein Etikett: Sie ist größer und hat keinen Strichcode.',
  printOnPaper:
    'Auf Papier drucken oder „Freigeben und drucken“ drücken, um sie klein auf ein Etikett zu drucken.',
  barFont:
    'Seite {page} dieses PDF verwendet die Barcode-Schrift {font}, ohne sie mitzubringen: Statt des Barcodes würden Buchstaben gedruckt.',
  symbolFont:
    'Seite {page} dieses PDF verwendet die Symbolschrift {font}, ohne sie mitzubringen: Statt ihrer Symbole würden andere Zeichen gedruckt.',
  pdfDoubtful:
    'Seite {page} dieses PDF ist vielleicht beschädigt: Ein Teil davon kann fehlen oder falsch sein.',
  pdfMayBeCut:
    'Seite {page} dieses PDF ist vielleicht unvollständig: Bitte nachsehen, ob alles herauskam.',
  orRelease: 'Oder „Freigeben und drucken“ drücken, um es so zu drucken, wie es ist.',
  pageLeftOut: 'Seite {page} ist leer und wurde ausgelassen.',
  pagesLeftOut: 'Die Seiten {pages} und {last} sind leer und wurden ausgelassen.',
  looksLikeSheet:
    'Seite {page} dieses PDFs ist ein Bogen mit {count} Etiketten von {size} Zoll, die Etiketten dieses Druckers messen aber {label} Zoll.',
  sheetToOther:
    'Auf einem Drucker mit Etiketten dieser Größe drucken, oder ein PDF mit einem Etikett je Seite verlangen.',
  tooSmall:
    'Seite {page} dieses PDFs ist viel größer als das Etikett von {label} Zoll: Sie würde mit {percent} % gedruckt, zu klein zum Lesen.',
  printSmall:
    'Das Etikett in der Größe des Druckers verlangen, oder „Freigeben und drucken“ drücken, um es klein zu drucken.',
  pageReduced:
    'Seite {page} des PDFs ist größer als das Etikett und wurde mit {percent} % gedruckt: Strichcodes sind vielleicht nicht lesbar.',
  askForSize:
    'Das Etikett mit {label} Zoll verlangen, oder eine Hälfte der Seite drucken (Feld „area“).',
  pageCut:
    'Seite {page} des PDFs misst in eigener Größe {size} Zoll, mehr als das Etikett von {label} Zoll: Was darüber hinausragt, wurde abgeschnitten.',
  pictureCut:
    'Das Bild misst in eigener Größe {size} Zoll, mehr als das Etikett von {label} Zoll: Was darüber hinausragt, wurde abgeschnitten.',
  pageUnits:
    'Seite {page} des PDFs gibt {size} Zoll als Größe an; sie wurde als Etikett von {label} Zoll gedruckt, das ihre Form hat.',
  pageTiny:
    'Seite {page} des PDFs ist nur {size} Zoll groß und wurde so auf ein Etikett von {label} Zoll gedruckt.',
  pictureTiny:
    'Das Bild wurde nur {size} Zoll groß auf ein Etikett von {label} Zoll gedruckt, wie es seine Auflösung besagt.',
  pictureReduced:
    'Das Bild wurde auf {percent} % seiner Größe verkleinert, um auf das Etikett zu passen: Kleingedrucktes ist vielleicht nicht lesbar.',
  blankPicture: 'Nichts im Bild ist dunkel genug zum Drucken: Das Etikett ist leer.',
  palePart:
    'Etwas auf dem Etikett ist zu blass zum Drucken und fehlt. Wenn es wichtig ist, das Etikett in dunkleren Farben anfordern.',
  lengthMeasured:
    'Das Etikett ist {is} Zoll lang, aber {printer} meldet Etiketten von {has} Zoll: Bitte nachsehen, ob es ganz herauskam.',
  lengthSet:
    'Das Etikett ist {is} Zoll lang, aber die Einstellungen von {printer} sagen {has} Zoll: Bitte nachsehen, ob es ganz herauskam.',
  otherRoll: 'Nach einem Rollenwechsel „Kalibrieren“ drücken.',
  ifOut: 'Falls ja, die Größe in den Einstellungen berichtigen.',
  widthMeasured:
    'Das Etikett ist {is} Zoll breit, aber {printer} druckt nur {has} Zoll: Der rechte Rand kann fehlen.',
  widthSet:
    'Das Etikett ist {is} Zoll breit, aber die Einstellungen von {printer} sagen {has} Zoll: Der rechte Rand kann fehlen.',
  madeForFewerDots:
    'Dieses Etikett wurde für {is} dpi gemacht, aber {printer} hat {has} dpi: Es kommt zu klein heraus.',
  madeForMoreDots:
    'Dieses Etikett wurde für {is} dpi gemacht, aber {printer} hat {has} dpi: Es kommt zu groß heraus, und ein Teil fehlt.',
  askForDots: 'Beim Absender ein Etikett für {has} dpi verlangen.',
  picturesOnly: '{printer} druckt nur Bilder: Text und Strichcodes dieses Etiketts können fehlen.',
  sendPng: 'Als PNG senden.',
  openEnd:
    'Dem Etikett fehlt {command} am Ende: Der Drucker wartet auf den Rest und druckt es vielleicht mit dem nächsten zusammen.',
  pictureNeedsLanguage:
    'Auf {printer} lässt sich kein Bild drucken, solange seine Sprache nicht bekannt ist.',
  pressLogin: 'Dafür bitte anmelden.',
  wrongLogin: 'Benutzername oder Passwort ist falsch.',
  manyGuesses:
    'Von mehreren Adressen kommen viele falsche Passwörter, neue Anmeldungen müssen warten.',
  noneKnown: 'Dieser Druckserver kennt noch keinen Drucker.',
  serverFault: 'Der Druckserver hat einen Fehler gemacht.',
  serverStops: 'Der Druckserver wird beendet.',
  noneWaiting: 'Es wartete kein Etikett.',
  canceledCount: { one: '{n} Etikett abgebrochen.', other: '{n} Etiketten abgebrochen.' },
  stillThere: {
    one: '{n} wird gedruckt oder kam inzwischen.',
    other: '{n} werden gedruckt oder kamen inzwischen.',
  },
  noneMoved: 'Es wurde kein Etikett verschoben.',
  movedCount: {
    one: '{n} Etikett verschoben nach {printer}.',
    other: '{n} Etiketten verschoben nach {printer}.',
  },
  otherLanguage: {
    one: '{n} Etikett ist in einer Sprache, die {printer} nicht druckt.',
    other: '{n} Etiketten sind in einer Sprache, die {printer} nicht druckt.',
  },
  notMoved: {
    one: '{n} wird gedruckt, ist angehalten oder kam inzwischen.',
    other: '{n} werden gedruckt, sind angehalten oder kamen inzwischen.',
  },
  calibrating: '{printer} wird kalibriert: Er schiebt einige Etiketten vor.',
  LABEL_EMPTY: 'Die ganze Etikettendatei senden.',
  LABEL_UNKNOWN: 'Ein Etikett in der Sprache eines Etikettendruckers oder als Bild senden.',
  LABEL_REFUSED: 'Beim Shop oder Paketdienst eines der genannten Formate verlangen.',
  PICTURE_BROKEN: 'Die Bilddatei ist beschädigt: Etikett neu holen.',
  PICTURE_UNSUPPORTED: 'Bild als gewöhnliches PNG speichern oder das Etikett als ZPL verlangen.',
  PICTURE_TOO_LARGE:
    'Etikett in der Größe Ihrer Etiketten und mit der Auflösung Ihres Druckers verlangen, oder als ZPL.',
  PICTURE_TIMEOUT:
    'Kleineres Bild senden (die Größe Ihrer Etiketten mit der Auflösung Ihres Druckers genügt) oder das Etikett als ZPL verlangen.',
  LABEL_COMMAND:
    'Ein Etikett ohne solche Befehle verlangen oder sie drucken lassen: Einstellungen, Druckerbefehle.',
  LABEL_CRASHED:
    'Vom Absender dieses Etikett als ZPL oder PNG verlangen und die Nachricht bitte als Fehler melden.',
  LABEL_CUT:
    'Dieses abbrechen und das Etikett im Shop noch einmal drucken. Passiert es wieder, dem Ersteller Bescheid sagen.',
  SERVER_BUSY: 'Gerade kommen viele Anfragen: Etikett gleich noch einmal senden.',
  BODY_TOO_LARGE:
    'Weniger oder kleinere Etiketten auf einmal senden oder die größte Anfrage in den Einstellungen erhöhen.',
  PRINTER_UNKNOWN: 'Einen der Druckernamen benutzen, die die Seite zeigt.',
  PRINTER_AMBIGUOUS: 'Den Drucker beim Etikett nennen oder einen Standarddrucker wählen.',
  PRINTER_NONE: 'Einen Drucker anschließen oder eintragen.',
  PRINTER_BUSY: 'Das laufende Etikett abwarten oder einen anderen Drucker wählen.',
  PRINTER_OFFLINE: 'Drucker einschalten und Kabel prüfen; das Etikett druckt von selbst.',
  PRINTER_STOPPED:
    'Etiketten, Farbband, Deckel und Pausetaste prüfen; das Etikett druckt von selbst.',
  PRINTER_LANGUAGE: 'Die Sprache dieses Druckers unter Drucker einstellen.',
  PRINTER_IN_USE:
    'Seine Etiketten drucken lassen, abbrechen oder auf einem anderen drucken; dann noch einmal versuchen.',
  JOB_UNKNOWN: 'In der Liste nachsehen; alte werden nach einiger Zeit entfernt.',
  JOB_STATE: 'Seite neu laden, um zu sehen, was aus dem Etikett wurde.',
  JOB_CANCELED: 'Etikett noch einmal senden, falls es noch gebraucht wird.',
  JOB_DUPLICATE: 'Freigeben, um es trotzdem zu drucken, oder abbrechen.',
  JOB_LABEL_GONE: 'Das Etikett ist nicht mehr gespeichert: noch einmal senden.',
  SPOOL_FULL:
    'Wartende Etiketten drucken lassen oder einige abbrechen; dann das Etikett noch einmal senden.',
  SPOOL_BROKEN: 'Platte des Druckservers prüfen; angenommene Etiketten bleiben erhalten.',
  SOURCE_UNREACHABLE:
    'Adresse, Netz und Gegenseite prüfen; der Druckserver versucht es von selbst weiter.',
  SOURCE_REFUSED: 'Einstellungen dieser Quelle mit denen der Gegenseite vergleichen.',
  LOGIN_NEEDED: 'Mit Benutzername und Passwort des Druckservers anmelden.',
  LOGIN_WRONG: 'Benutzername und Passwort prüfen, dann noch einmal versuchen.',
  LOGIN_LIMIT: 'Zu viele falsche Passwörter: eine Minute warten, dann noch einmal versuchen.',
  LOCAL_ONLY: 'Am Druckserver selbst machen oder dort zuerst Benutzername und Passwort setzen.',
  CONFIG_INVALID: 'Die genannten Einstellungen berichtigen und noch einmal speichern.',
  BACKUP_BROKEN:
    'Die Datei wählen, wie sie heruntergeladen wurde; ist sie beschädigt, eine ältere. Nichts wurde geändert.',
  INTERNAL: 'Das ist ein Fehler des Druckservers: bitte ins Protokoll sehen und melden.',
  BODY_TIMEOUT: 'Der Absender war zu langsam: sein Netz prüfen und noch einmal senden.',
  TOO_MANY_FIELDS: 'Weniger Etiketten auf einmal senden.',
  PREVIEW_NONE: 'Nur Etiketten, die Bilder waren, haben eine Vorschau.',
  HOST_REFUSED:
    'Den Druckserver unter seinem eigenen Namen oder seiner Adresse öffnen oder den Namen eintragen: Einstellungen, Erlaubte Hostnamen.',
  ORIGIN_REFUSED:
    'Die Seite des Druckservers selbst benutzen oder die Website eintragen: Einstellungen, Erlaubte Websites.',
  PEER_UNKNOWN: 'Die beiden Druckserver neu koppeln: Einstellungen, Druckserver.',
  PEER_CODE:
    'Auf dem anderen Druckserver „Code anzeigen“ drücken und jenen Code innerhalb von zwei Minuten eingeben.',
  PEER_UNREACHABLE: 'Nachsehen, ob der andere Druckserver eingeschaltet und verbunden ist.',
  PEER_UNSURE:
    'Auf dem anderen Druckserver nachsehen, ob das Etikett dort ist. Dann dieses abbrechen oder hier drucken.',
  PROGRAM_BROKEN:
    'Den Druckserver anhalten und wieder starten; kommt das wieder, neu installieren. Die Datei steht in seinem Protokoll.',
  STATE_UNWRITABLE:
    'Dem Benutzer des Druckservers Schreibrecht für diesen Ordner geben oder einen anderen wählen.',
  KEY_UNKNOWN: 'Die Schlüssel zeigt: platen key list.',
  KEY_WRONG: 'Im Header x-api-key einen Schlüssel von platen key add senden.',
  KEY_LIMIT: 'Den Schlüssel im aufrufenden Programm prüfen.',
  KEY_SCOPE: 'Mit platen key add einen anderen Schlüssel anlegen.',
  UPDATE_NONE:
    'So aktualisieren, wie docs/operate.md es für diese Art der Installation beschreibt.',
}
