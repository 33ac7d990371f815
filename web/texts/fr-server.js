/** Français : les phrases du serveur (`src/words/sentences.ts`, and the hints of `src/words/errors.ts` by code) */
export const texts = {
  busyWait:
    '{printer} est utilisée par quelqu’un d’autre ; ses étiquettes sont gardées et s’impriment toutes seules.',
  silentWait: '{printer} ne répond pas ; ses étiquettes sont gardées et s’impriment toutes seules.',
  cannotWait:
    '{printer} ne peut pas imprimer ; ses étiquettes sont gardées et s’impriment toutes seules.',
  busy: '{printer} est utilisée par quelqu’un d’autre.',
  silent: '{printer} ne répond pas.',
  cannot: '{printer} ne peut pas imprimer.',
  labelKept: 'L’étiquette est gardée et s’imprime toute seule.',
  kept: 'L’étiquette est gardée.',
  noPrinter: 'L’étiquette n’a pas d’imprimante.',
  printerGone: '{printer} n’est plus dans les réglages.',
  isOpen: '{printer} est ouverte.',
  isJammed: '{printer} a un bourrage.',
  isOutOfLabels: '{printer} n’a plus d’étiquettes.',
  isOutOfRibbon: '{printer} n’a plus de ruban.',
  isPaused: '{printer} est en pause.',
  isOffline: '{printer} est injoignable.',
  takesNoData: '{printer} n’accepte pas de données.',
  isNotReady: '{printer} dit qu’elle n’est pas prête.',
  keptAfterwards: 'Ses étiquettes sont gardées et s’impriment ensuite toutes seules.',
  keptUntilThen: 'Ses étiquettes sont gardées et s’impriment toutes seules dès qu’elle en accepte.',
  keptAlone: 'Ses étiquettes sont gardées et s’impriment toutes seules.',
  labelsKept: 'Ses étiquettes sont gardées.',
  labelsWait: 'Ses étiquettes attendent.',
  goesOnAfterwards: 'L’étiquette continue ensuite toute seule.',
  goesOnUntilThen: 'L’étiquette continue toute seule dès qu’elle en accepte.',
  lostMidway: '{printer} a perdu la connexion au milieu d’une étiquette.',
  othersGoOn: 'Les autres étiquettes continuent toutes seules.',
  cutMidway: '{printer} a été coupée au milieu d’une étiquette.',
  waitForWord: 'Ses étiquettes attendent que vous disiez ce qu’est devenue celle-là.',
  diskWait: '{printer} attend, car le serveur ne peut pas écrire sur son disque.',
  diskGoesOn: 'L’impression reprend toute seule dès que possible.',
  notConnected: '{printer} n’est pas branchée ou est éteinte.',
  elsewhere:
    '{printer} n’est pas à son adresse des réglages ; une du même type est maintenant {place}.',
  whatLanguage: 'Quel langage parle {printer} ?',
  untilSaid:
    'D’ici là, les étiquettes {languages} s’impriment telles quelles et les images sont refusées.',
  notAskedYet: 'On ne sait pas encore si {printer} est allumée et prête.',
  firstShows: 'Ses étiquettes sont acceptées, la première le montrera.',
  otherLength: '{printer} a des étiquettes de {has} pouces, les réglages disent {wanted} pouces.',
  otherWidth: '{printer} imprime {has} pouces de large, les réglages disent {wanted} pouces.',
  removedPrinter: 'Cette imprimante n’est plus dans les réglages ; ses étiquettes attendent.',
  switchOn: 'Allumez l’imprimante et vérifiez son câble.',
  waitOrMove: 'Attendez ou choisissez une autre imprimante.',
  chooseOne: 'Appuyez sur « Choisir une imprimante… ».',
  addOrMove: 'Rajoutez-la ou appuyez sur « Sur une autre imprimante… ».',
  addOrCancel: 'Rajoutez-la, ou annulez ses étiquettes ou imprimez-les sur une autre.',
  closeCover: 'Fermez le capot jusqu’au clic.',
  clearJam: 'Ouvrez le capot, retirez les étiquettes coincées et refermez.',
  loadRoll: 'Mettez un rouleau, puis appuyez sur le bouton d’avance.',
  newRibbon: 'Mettez un ruban neuf, puis appuyez sur le bouton d’avance.',
  pressPause: 'Appuyez sur le bouton pause de l’imprimante.',
  pressResume: 'Appuyez sur « Reprendre » pour les imprimer.',
  checkPrinter: 'Vérifiez étiquettes, ruban, capot et bouton pause.',
  lookAtCut:
    'Regardez l’imprimante, puis appuyez sur « Elle est sortie » ou « Imprimer à nouveau » pour l’étiquette coupée.',
  restartCut:
    'Éteignez et rallumez l’imprimante, puis appuyez sur « Elle est sortie » ou « Imprimer à nouveau » pour l’étiquette coupée.',
  plugBack: 'Rebranchez le câble où il était, ou changez l’adresse dans les réglages.',
  chooseLanguage:
    'Choisissez son langage : il est dans le manuel, ou sur l’étiquette qu’elle fait si on l’allume en tenant le bouton d’avance.',
  rightRoll:
    'Mettez le bon rouleau, appuyez sur « Calibrer » après un changement de rouleau, ou corrigez la taille dans les réglages.',
  cutOff: 'L’étiquette a été coupée pendant l’impression.',
  mayBeOut: 'Elle est peut-être sortie, ou non.',
  printedOnceMore: 'Elle est imprimée encore une fois.',
  throwOneAway: 'Si deux étiquettes sortent, jetez-en une.',
  cutAndAgain: 'Elle a été coupée puis imprimée encore une fois : deux sont peut-être sorties.',
  lookAtPrinter:
    'Regardez l’imprimante, puis appuyez sur « Elle est sortie » ou « Imprimer à nouveau ».',
  beforeMissing: {
    one: 'L’étiquette envoyée juste avant manque peut-être aussi.',
    other: 'Les {n} étiquettes envoyées juste avant manquent peut-être aussi.',
  },
  notShown:
    'L’imprimante n’a pas montré qu’elle a pris cette étiquette : regardez si elle est sortie.',
  stoppedMidway: 'L’étiquette a été arrêtée pendant l’impression.',
  partMayBeOut: 'Une partie est peut-être sortie.',
  restartStopped:
    'Éteignez et rallumez l’imprimante, puis annulez encore l’étiquette, ou appuyez sur « Elle est sortie » ou « Imprimer à nouveau ».',
  heldAtWish: 'L’étiquette doit attendre que quelqu’un la libère.',
  releaseIt: 'Appuyez sur « Libérer et imprimer » quand il la faut.',
  canceledMidway: 'Annulée pendant l’impression.',
  lookForPart: 'Regardez l’imprimante : une partie est peut-être sortie.',
  labelVoid: 'L’envoi de cette étiquette a été annulé : l’étiquette n’est pas valable.',
  buyAnother: 'Si elle est sortie, jetez-la. Pour envoyer le colis, achetez-en une nouvelle.',
  tooLate: 'L’étiquette n’a pas pu s’imprimer à temps et a été annulée.',
  sendAgain: 'Renvoyez-la s’il la faut encore.',
  movedTo: 'Déplacée vers {printer}.',
  backupTook: {
    one: '{printer} n’a pas pu imprimer pendant {n} minute : cette étiquette est partie vers {to}.',
    other:
      '{printer} n’a pas pu imprimer pendant {n} minutes : cette étiquette est partie vers {to}.',
  },
  backupNobody: 'Aucune imprimante ne s’appelle {printer} : aucune étiquette ne peut y aller.',
  backupSame: '{printer} et son secours {to} sont une seule imprimante.',
  stationHadIt:
    'Un autre serveur d’impression a déjà reçu cette étiquette et l’a peut-être imprimée : regardez d’abord là-bas.',
  restored: 'L’étiquette vient d’une sauvegarde.',
  perhapsPrinted: 'Le serveur qui l’a faite l’a peut-être déjà imprimée.',
  lookWhetherThere:
    'Regardez si l’étiquette est là, puis appuyez sur « Elle est sortie » ou « Imprimer à nouveau ».',
  labelLost: 'L’étiquette a été perdue quand le disque du serveur a été endommagé.',
  unreadable: 'L’étiquette ne peut plus être lue sur le disque du serveur.',
  sendAndCheck: 'Renvoyez l’étiquette et vérifiez le disque.',
  sendOnce: 'Renvoyez l’étiquette.',
  waitsFor: 'L’étiquette attend {printer}.',
  waitsForWord: 'L’étiquette attend que quelqu’un dise si elle est sortie.',
  isHeld: 'L’étiquette est retenue jusqu’à ce que quelqu’un décide.',
  printsNow: 'L’étiquette s’imprime sur {printer}.',
  saidOut: 'Quelqu’un a dit que l’étiquette est sortie sur {printer}.',
  isPrinted: 'L’étiquette a été imprimée sur {printer}.',
  isCanceled: 'L’étiquette a été annulée.',
  notPrinted: 'L’étiquette n’a pas pu être imprimée sur {printer}.',
  pressReprint: 'Appuyez sur « Réimprimer » pour un autre exemplaire.',
  reprintIfWanted: 'Appuyez sur « Réimprimer » s’il la faut encore.',
  decide: 'Regardez encore l’étiquette, puis décidez.',
  nothingToDo: 'Il n’y a rien à faire.',
  reprintedOn: 'L’étiquette vient d’être réimprimée sur {printer}.',
  pressOnceMore: 'Appuyez encore une fois pour un exemplaire de plus.',
  firstSay: 'Dites d’abord si elle est sortie, ou annulez-la.',
  labelGone: 'Cette étiquette n’est plus gardée.',
  noSuchLabel: 'Cette étiquette n’est pas ici, ou plus dans la liste.',
  alreadyPrinted: 'Déjà imprimée à {time} sur {printer}.',
  wasPrinted: '« {name} » a déjà été imprimée à {time} sur {printer}.',
  sameWaits: 'La même étiquette est arrivée à {time} et attend encore {printer}.',
  takenWaits: '« {name} » est arrivée à {time} et attend encore {printer}.',
  languageUnknown:
    'Le langage de {printer} n’est pas connu, l’étiquette n’a donc pas pu être dessinée.',
  chooseAndRelease:
    'Choisissez le langage de {printer} sous Imprimantes, puis appuyez sur « Libérer et imprimer ».',
  pictureDamaged: 'L’image de cette étiquette est abîmée et n’a pas pu être dessinée.',
  pictureKind: 'L’image de cette étiquette est d’un type qui ne peut pas être dessiné.',
  pictureTooLarge: 'L’image de cette étiquette est trop grande.',
  pictureTooSlow: 'L’image de cette étiquette a pris trop de temps à dessiner.',
  drawingFault: 'L’étiquette n’a pas pu être dessinée : une panne du serveur.',
  crashedTwice:
    'Le serveur a échoué deux fois en dessinant cette étiquette ({format}), elle a donc été mise de côté.',
  askZplOrRetry:
    'Demandez l’étiquette en ZPL, ou appuyez sur « Libérer et imprimer » pour réessayer.',
  sentNoLabel:
    'Quelqu’un a envoyé par {source} quelque chose qui n’est pas une étiquette : impossible à imprimer.',
  sentCrash:
    'Le serveur s’est arrêté deux fois sur une étiquette de {source}, celle-ci est donc mise de côté.',
  manyPdfs: 'Beaucoup de PDF sont en cours de lecture.',
  manyPacked: 'Beaucoup d’étiquettes compressées sont en cours de décompression.',
  faultHere:
    'Le serveur d’impression n’a pas pu lire cette étiquette : c’est une erreur du serveur.',
  sentUnread:
    'Le serveur d’impression n’a pas pu lire une étiquette de {source} : c’est une erreur du serveur. L’étiquette est mise de côté.',
  sentCut: 'Il manque la fin d’une étiquette de {source}, elle n’a pas été imprimée.',
  sentKind: 'Quelqu’un a envoyé par {source} un type de fichier qui ne s’imprime pas.',
  sentFault: 'Quelqu’un a envoyé par {source} une étiquette défectueuse : impossible à imprimer.',
  tellSender: 'Rien n’est perdu : dites-le à qui envoie des étiquettes par {source}.',
  thenCancel: 'Puis annulez celle-ci.',
  namesNone: 'Une étiquette de {source} n’a pas trouvé d’imprimante : elle n’en nomme aucune.',
  namesUnknown:
    'Une étiquette de {source} n’a pas trouvé d’imprimante : aucune ici ne s’appelle « {name} ».',
  chooseOrAdd:
    'Appuyez sur « Choisir une imprimante… » ; s’il n’y en a pas encore, ajoutez-en une.',
  pressOther: 'Appuyez sur « Sur une autre imprimante… ».',
  orAddNamed:
    'Ou ajoutez une imprimante nommée « {name} », puis appuyez sur « Libérer et imprimer ».',
  notALabel: 'Ce message n’est pas une étiquette et ne peut pas être imprimé.',
  nothingToPrint: 'Ce message n’est pas une étiquette ; il n’y a rien à imprimer.',
  cancelAndTell: 'Annulez-le et dites-le à l’expéditeur.',
  endMissing: 'Il manque la fin de l’étiquette ; elle ne peut pas être imprimée.',
  endCut:
    'Il manque la fin de cette étiquette : elle s’arrête au milieu d’une image ou d’un fichier.',
  endCutWhy:
    'Elle n’a pas été imprimée, car l’imprimante prendrait les étiquettes suivantes pour la partie manquante.',
  looksLikePaper:
    'La page {page} de ce PDF ressemble à un document, pas à une étiquette : elle est plus grande et sans code-barres.',
  printOnPaper:
    'Imprimez-la sur papier, ou appuyez sur « Libérer et imprimer » pour l’avoir en petit sur une étiquette.',
  barFont:
    'La page {page} de ce PDF utilise la police de code-barres {font} sans la fournir : des lettres s’imprimeraient à la place du code-barres.',
  symbolFont:
    'La page {page} de ce PDF utilise la police de symboles {font} sans la fournir : d’autres signes s’imprimeraient à la place de ses symboles.',
  pdfDoubtful:
    'La page {page} de ce PDF est peut-être endommagée : une partie peut manquer ou être fausse.',
  pdfMayBeCut: 'La page {page} de ce PDF est peut-être incomplète : regardez si tout est sorti.',
  orRelease: 'Ou appuyez sur « Libérer et imprimer » pour l’imprimer telle quelle.',
  pageLeftOut: 'La page {page} est vide et a été omise.',
  pagesLeftOut: 'Les pages {pages} et {last} sont vides et ont été omises.',
  looksLikeSheet:
    'La page {page} de ce PDF est une planche de {count} étiquettes de {size} pouces, mais les étiquettes de cette imprimante font {label} pouces.',
  sheetToOther:
    'Imprimez-la sur une imprimante dont les étiquettes ont cette taille, ou demandez un PDF avec une étiquette par page.',
  tooSmall:
    'La page {page} de ce PDF est bien plus grande que l’étiquette de {label} pouces : elle s’imprimerait à {percent} %, trop petite pour être lue.',
  printSmall:
    'Demandez l’étiquette à la taille de l’imprimante, ou appuyez sur « Libérer et imprimer » pour l’avoir en petit.',
  pageReduced:
    'La page {page} du PDF est plus grande que l’étiquette et a été imprimée à {percent} % : les codes-barres risquent d’être illisibles.',
  askForSize:
    'Demandez l’étiquette en {label} pouces, ou imprimez une moitié de la page (champ « area »).',
  pageCut:
    'La page {page} du PDF fait {size} pouces à sa propre taille, plus que l’étiquette de {label} pouces : ce qui dépasse a été coupé.',
  pictureCut:
    'L’image fait {size} pouces à sa propre taille, plus que l’étiquette de {label} pouces : ce qui dépasse a été coupé.',
  pageUnits:
    'La page {page} du PDF dit mesurer {size} pouces ; elle a été imprimée comme une étiquette de {label} pouces, qui a sa forme.',
  pageTiny:
    'La page {page} du PDF ne fait que {size} pouces et a été imprimée ainsi sur une étiquette de {label} pouces.',
  pictureTiny:
    'L’image a été imprimée en {size} pouces seulement sur une étiquette de {label} pouces, comme le dit sa résolution.',
  pictureReduced:
    'L’image a été réduite à {percent} % de sa taille pour tenir sur l’étiquette : les petits caractères risquent d’être illisibles.',
  blankPicture: 'Rien dans l’image n’est assez sombre pour s’imprimer : l’étiquette est vide.',
  palePart:
    'Une partie de l’étiquette est trop pâle pour s’imprimer et manque. Si elle compte, demandez l’étiquette dans des couleurs plus foncées.',
  lengthMeasured:
    'L’étiquette fait {is} pouces de long, mais {printer} dit que les siennes font {has} pouces : regardez si elle est sortie entière.',
  lengthSet:
    'L’étiquette fait {is} pouces de long, mais les réglages de {printer} disent {has} pouces : regardez si elle est sortie entière.',
  otherRoll: 'Après un changement de rouleau, appuyez sur « Calibrer ».',
  ifOut: 'Si oui, corrigez la taille dans les réglages.',
  widthMeasured:
    'L’étiquette fait {is} pouces de large, mais {printer} n’en imprime que {has} : le bord droit manque peut-être.',
  widthSet:
    'L’étiquette fait {is} pouces de large, mais les réglages de {printer} disent {has} : le bord droit manque peut-être.',
  madeForFewerDots:
    'Cette étiquette a été faite pour {is} dpi, mais {printer} a {has} dpi : elle sort trop petite.',
  madeForMoreDots:
    'Cette étiquette a été faite pour {is} dpi, mais {printer} a {has} dpi : elle sort trop grande, et il en manque une partie.',
  askForDots: 'Demandez à l’expéditeur une étiquette pour {has} dpi.',
  picturesOnly:
    '{printer} n’imprime que des images : le texte et les codes-barres de cette étiquette manquent peut-être.',
  sendPng: 'Envoyez-la en PNG.',
  openEnd:
    'L’étiquette n’a pas {command} à la fin : l’imprimante attend la suite et l’imprimera peut-être avec la prochaine.',
  pictureNeedsLanguage:
    'Impossible d’imprimer une image sur {printer} tant que son langage n’est pas connu.',
  pressLogin: 'Connectez-vous pour faire cela.',
  wrongLogin: 'Le nom d’utilisateur ou le mot de passe est incorrect.',
  manyGuesses:
    'Beaucoup de mots de passe incorrects viennent de plusieurs adresses ; les connexions doivent attendre.',
  noneKnown: 'Ce serveur ne connaît encore aucune imprimante.',
  serverFault: 'Le serveur d’impression a fait une erreur.',
  serverStops: 'Le serveur d’impression s’arrête.',
  noneWaiting: 'Aucune étiquette n’attendait.',
  canceledCount: { one: '{n} étiquette annulée.', other: '{n} étiquettes annulées.' },
  stillThere: {
    one: '{n} s’imprime ou vient d’arriver.',
    other: '{n} s’impriment ou viennent d’arriver.',
  },
  noneMoved: 'Aucune étiquette n’a été déplacée.',
  movedCount: {
    one: '{n} étiquette déplacée vers {printer}.',
    other: '{n} étiquettes déplacées vers {printer}.',
  },
  otherLanguage: {
    one: '{n} étiquette est dans un langage que {printer} n’imprime pas.',
    other: '{n} étiquettes sont dans un langage que {printer} n’imprime pas.',
  },
  notMoved: {
    one: '{n} s’imprime, est retenue ou vient d’arriver.',
    other: '{n} s’impriment, sont retenues ou viennent d’arriver.',
  },
  calibrating: 'Calibrage de {printer} : elle fait avancer quelques étiquettes.',
  LABEL_EMPTY: 'Envoyez le fichier d’étiquette entier.',
  LABEL_UNKNOWN:
    'Envoyez une étiquette dans le langage d’une imprimante d’étiquettes, ou une image.',
  LABEL_REFUSED: 'Demandez à la boutique ou au transporteur l’un des formats nommés.',
  PICTURE_BROKEN: 'Le fichier image est abîmé : reprenez l’étiquette.',
  PICTURE_UNSUPPORTED: 'Enregistrez l’image en PNG ordinaire, ou demandez l’étiquette en ZPL.',
  PICTURE_TOO_LARGE:
    'Demandez l’étiquette à la taille de vos étiquettes et à la résolution de votre imprimante, ou en ZPL.',
  PICTURE_TIMEOUT:
    'Envoyez une image plus petite (la taille de vos étiquettes à la résolution de votre imprimante suffit), ou demandez l’étiquette en ZPL.',
  LABEL_COMMAND:
    'Demandez une étiquette sans ces commandes, ou laissez-les imprimer : Réglages, Commandes d’imprimante.',
  LABEL_CRASHED:
    'Demandez cette étiquette en ZPL ou PNG à qui les envoie, et signalez cette panne du serveur.',
  LABEL_CUT:
    'Annulez celle-ci et réimprimez l’étiquette depuis la boutique. Si cela se répète, dites-le à qui l’a faite.',
  SERVER_BUSY: 'Beaucoup de requêtes à la fois : renvoyez l’étiquette dans un instant.',
  BODY_TOO_LARGE:
    'Envoyez moins d’étiquettes à la fois, ou augmentez la plus grande requête dans les réglages.',
  PRINTER_UNKNOWN: 'Utilisez un des noms d’imprimante de la page.',
  PRINTER_AMBIGUOUS: 'Nommez l’imprimante avec l’étiquette, ou choisissez-en une par défaut.',
  PRINTER_NONE: 'Branchez une imprimante, ou ajoutez-en une.',
  PRINTER_BUSY: 'Attendez l’étiquette en cours, ou choisissez une autre imprimante.',
  PRINTER_OFFLINE:
    'Allumez l’imprimante et vérifiez son câble ; l’étiquette s’imprime toute seule.',
  PRINTER_STOPPED:
    'Vérifiez étiquettes, ruban, capot et bouton pause ; l’étiquette s’imprime toute seule.',
  PRINTER_LANGUAGE: 'Réglez le langage de cette imprimante sous Imprimantes.',
  PRINTER_IN_USE:
    'Laissez imprimer ses étiquettes, annulez-les ou imprimez-les ailleurs ; puis réessayez.',
  JOB_UNKNOWN: 'Regardez la liste ; les vieilles sont retirées au bout d’un temps.',
  JOB_STATE: 'Rechargez la page pour voir ce qu’est devenue l’étiquette.',
  JOB_CANCELED: 'Renvoyez l’étiquette s’il la faut encore.',
  JOB_DUPLICATE: 'Libérez-la pour l’imprimer quand même, ou annulez-la.',
  JOB_LABEL_GONE: 'L’étiquette n’est plus gardée : renvoyez-la.',
  SPOOL_FULL:
    'Laissez imprimer les étiquettes en attente, ou annulez-en ; puis renvoyez l’étiquette.',
  SPOOL_BROKEN: 'Vérifiez le disque du serveur ; les étiquettes déjà acceptées sont gardées.',
  SOURCE_UNREACHABLE:
    'Vérifiez l’adresse, le réseau et l’autre côté ; le serveur réessaie tout seul.',
  SOURCE_REFUSED: 'Comparez les réglages de cette source avec ceux de l’autre côté.',
  LOGIN_NEEDED: 'Connectez-vous avec le nom et le mot de passe du serveur.',
  LOGIN_WRONG: 'Vérifiez le nom d’utilisateur et le mot de passe, puis réessayez.',
  LOGIN_LIMIT: 'Trop de mots de passe incorrects : attendez une minute, puis réessayez.',
  LOCAL_ONLY:
    'Faites-le sur le serveur lui-même, ou mettez d’abord un nom et un mot de passe dans ses réglages.',
  CONFIG_INVALID: 'Corrigez les réglages indiqués et enregistrez à nouveau.',
  BACKUP_BROKEN:
    'Choisissez le fichier tel que téléchargé ; s’il est abîmé, un plus ancien. Rien n’a été changé.',
  INTERNAL: 'C’est une panne du serveur : regardez son journal et signalez-la.',
  BODY_TIMEOUT: 'L’expéditeur était trop lent : vérifiez son réseau et renvoyez.',
  TOO_MANY_FIELDS: 'Envoyez moins d’étiquettes à la fois.',
  PREVIEW_NONE: 'Seules les étiquettes qui étaient des images ont un aperçu.',
  HOST_REFUSED:
    'Ouvrez le serveur d’impression sous son propre nom ou son adresse, ou ajoutez le nom dans les réglages, Noms d’hôte autorisés.',
  ORIGIN_REFUSED:
    'Utilisez la page du serveur d’impression lui-même, ou ajoutez le site dans les réglages, Sites autorisés.',
  PEER_UNKNOWN: 'Jumelez les deux serveurs à nouveau : Réglages, Serveurs d’impression.',
  PEER_CODE:
    'Appuyez sur « Afficher un code » sur l’autre serveur, et tapez ce code dans les deux minutes.',
  PEER_UNREACHABLE: 'Regardez si l’autre serveur est allumé et connecté.',
  PEER_UNSURE:
    'Regardez sur l’autre serveur si l’étiquette y est. Puis annulez celle-ci, ou imprimez-la ici.',
  PROGRAM_BROKEN:
    'Arrêtez le serveur et relancez-le ; si cela revient, réinstallez-le. Son journal nomme le fichier.',
  STATE_UNWRITABLE:
    'Donnez à l’utilisateur du serveur le droit d’écrire dans ce dossier, ou choisissez-en un autre.',
  KEY_UNKNOWN: 'Pour voir les clés : platen key list.',
  KEY_WRONG: 'Envoyez dans l’en-tête x-api-key une clé de platen key add.',
  KEY_LIMIT: 'Vérifiez la clé dans le programme qui appelle.',
  KEY_SCOPE: 'Créez une autre clé avec platen key add.',
  UPDATE_NONE: 'Mettez-le à jour comme docs/operate.md le décrit pour ce type d’installation.',
}
