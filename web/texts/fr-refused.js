/** Français: `src/words/refused-sentences.ts` */
export const texts = {
  isEmpty: 'L’étiquette est vide.',
  notPrintable: 'Ce n’est pas une étiquette qui peut être imprimée ici.',
  isInLanguage: 'Cette étiquette est en {language}, qui ne s’imprime pas ici.',
  isPictureKind: 'C’est une image {kind}, qui ne s’imprime pas ici.',
  isPictureKindAn: 'C’est une image {kind}, qui ne s’imprime pas ici.',
  isFileKind: 'C’est un fichier {kind}, pas une étiquette.',
  isFileKindAn: 'C’est un fichier {kind}, pas une étiquette.',
  isSeveral: 'Ce fichier contient plusieurs documents à la suite.',
  tooManyPages: 'Cela fait {n} pages, et {most} au plus s’impriment à la fois.',
  printInParts:
    'Imprimez-les en plusieurs fois : d’abord les pages 1-{most}, puis à partir de la page {next} (champ « pages »).',
  isWholeAnswer:
    'C’est la réponse complète d’un transporteur ou d’une boutique, pas l’étiquette qu’elle contient.',
  sendPart: 'Envoyez seulement sa partie {part}.',
  isAnswer: 'C’est la réponse d’un programme, pas une étiquette.',
  readAnswer:
    'Lisez-la : elle dit peut-être pourquoi il n’y a pas d’étiquette. Puis redemandez l’étiquette.',
  isBrokenBase64: 'C’est une étiquette en base64, et son texte est endommagé ou coupé.',
  sendEach: 'Envoyez chacun séparément.',
  isSettings: 'Ce fichier change les réglages d’une imprimante ; ce n’est pas une étiquette.',
  isWebPage: 'C’est une page web, pas une étiquette.',
  isAddress: 'C’est l’adresse d’un fichier, pas le fichier lui-même.',
  packedTooLarge: 'L’étiquette est compressée avec gzip et contient plus de {most} Mo.',
  packedBroken: 'L’étiquette est compressée avec gzip, et le paquet est abîmé.',
  sendOneOf: 'Envoyez un de ces formats : {formats}.',
  askForOneOf: 'Demandez à la boutique ou au transporteur un de ces formats : {formats}.',
  saveAsPdf: 'Enregistrez-le ou exportez-le en PDF ou PNG et envoyez cela.',
  iphoneFormats:
    'Sur un iPhone, choisissez « Le plus compatible » dans Réglages, Appareil photo, Formats.',
  otherMaker: 'Elle a été faite pour l’imprimante d’un autre fabricant.',
  chooseFormat:
    'Là où l’étiquette est créée, choisissez ZPL, EPL, TSPL, PNG ou PDF ; le transporteur parle de format d’étiquette ou d’imprimante.',
  loginPage:
    'C’est souvent une page qui demande de se connecter, ou qui montre l’étiquette : téléchargez l’étiquette elle-même et envoyez-la.',
  unpackIt: 'Décompressez-le et envoyez les étiquettes à l’intérieur.',
  downloadIt: 'Téléchargez le fichier et envoyez-le.',
  downloadAgain:
    'Téléchargez l’étiquette encore une fois, ou décompressez-la et envoyez le contenu.',
  lockedPdf: 'Le PDF est verrouillé par un mot de passe.',
  unlockPdf: 'Ouvrez-le là où le mot de passe est connu, enregistrez-le sans, et envoyez cela.',
  reprintPdf: 'Imprimez le PDF dans un nouveau PDF, ou demandez l’étiquette en PNG ou ZPL.',
  newPdf: 'Téléchargez l’étiquette encore une fois et envoyez le nouveau fichier.',
  pdfBroken: 'Le PDF ne s’ouvre pas : il est endommagé ou coupé.',
  pdfDamaged: 'La page {page} de ce PDF est endommagée : une partie ne peut pas être dessinée.',
  pdfPageGone: 'Ce PDF est endommagé : une de ses pages manque.',
  pdfAsText: 'Ce PDF a été lu comme du texte en chemin, ce qui l’a endommagé.',
  sendAsBytes:
    'Téléchargez l’étiquette encore une fois et envoyez le fichier sous forme d’octets, pas de texte.',
  pdfUnknown: 'La page {page} de ce PDF contient quelque chose qui ne peut pas être dessiné ici.',
  pdfUnseen:
    'La page {page} de ce PDF sort vide alors qu’elle contient du texte : ses polices manquent.',
  embedFonts: 'Demandez un PDF avec ses polices incorporées, ou l’étiquette en ZPL ou PNG.',
  blankPdf: 'Ce PDF est vide : il n’y a rien à imprimer.',
  blankPages: 'Les pages demandées de ce PDF sont vides : il n’y a rien à imprimer.',
  oneOfSeveral: 'L’étiquette {number} sur {all} ne peut pas être acceptée.',
  changesPrinter: 'L’étiquette changerait les réglages de l’imprimante, elle a donc été refusée.',
  lettersLost:
    'Certains caractères de cette étiquette n’existent pas en {charset} : un point d’interrogation est imprimé pour chacun.',
  holdsCommands: 'L’étiquette contient des commandes qui changent l’imprimante elle-même.',
  otherSpeech:
    'L’étiquette est en {sent}, mais {printer} parle {spoken} : elle peut sortir mal imprimée.',
  ifWrong:
    'Si c’est le cas, demandez {spoken} là où l’étiquette est créée, ou corrigez le langage dans les réglages de l’imprimante.',
  printerOfLanguage: 'Choisissez une imprimante qui imprime ce langage.',
  madeForGaps: 'L’étiquette est faite pour des étiquettes séparées par des espaces.',
  madeForMarks: 'L’étiquette est faite pour des étiquettes à marques noires.',
  madeForRoll: 'L’étiquette est faite pour un rouleau continu.',
  hasGaps:
    '{printer} dit avoir des étiquettes séparées par des espaces : regardez si elle est sortie au bon endroit.',
  hasMarks:
    '{printer} dit avoir des étiquettes à marques noires : regardez si elle est sortie au bon endroit.',
  hasRoll: '{printer} dit avoir un rouleau continu : regardez si elle est sortie au bon endroit.',
  wrongQueue:
    'Une étiquette de {source} est arrivée dans la mauvaise file et n’a pas été imprimée.',
  whichPrinter: 'Appuyez sur « Choisir une imprimante… » et prenez celle à qui elle est destinée.',
  unclear: 'Le serveur ne peut rien faire de ce qui a été envoyé.',
  tellMaker: 'Prévenez la personne qui a fait la page ou le programme qui l’a envoyé.',
  noLabelSent: 'Il n’y a pas d’étiquette dans ce qui a été envoyé.',
  sameKey: 'Autre chose a été envoyé auparavant sous la même clé.',
  tooLarge: 'C’est plus que les {most} Mo acceptés en une fois.',
  tooMany: 'Ce sont plus d’étiquettes qu’il n’en est accepté en une fois.',
  severalRequests: 'Envoyez les étiquettes en plusieurs fois.',
  tooSlow: 'Ce qui a été envoyé n’est pas arrivé à temps.',
  tooBusy: 'Le serveur a trop à faire en ce moment.',
  notReached: 'L’imprimante est injoignable.',
  notNow: 'L’imprimante ne peut pas imprimer maintenant.',
  notPossible: 'Cela ne peut pas se faire avec l’étiquette maintenant.',
  noPicture: 'Il n’y a pas d’image de cette étiquette.',
  otherAddress: 'Cette adresse n’est pas celle de ce serveur.',
  mayNot: 'Cette page n’en a pas le droit.',
  onlyHere: 'Sans mot de passe, seul l’ordinateur du serveur lui-même peut le faire.',
  manyWrong: 'Il y a eu trop de mots de passe incorrects.',
  waitAMinute:
    'Attendez une minute, puis réessayez. Sur un appareil déjà connecté auparavant, et sur le serveur lui-même, cela marche maintenant.',
  someFaults: 'Certains réglages sont à corriger.',
  badKey: 'Cette clé d’API n’existe pas, ou ne vaut pas pour cela.',
  nothingThere: 'Il n’y a rien à cette adresse.',
  fileUnwritable: 'Le serveur ne peut pas écrire un fichier dont il a besoin.',
  programDamaged: 'Une partie du serveur manque ou est abîmée.',
  otherSide: 'L’autre côté ne répond pas.',
  otherSideOdd: 'L’autre côté répond, mais pas comme il devrait.',
  needPerson: {
    one: '{n} étiquette sur {all} a besoin de quelqu’un.',
    other: '{n} étiquettes sur {all} ont besoin de quelqu’un.',
  },
  aboutLabel: 'Il s’agit de l’étiquette {number}.',
  labelFailed: 'L’étiquette n’a pas pu être imprimée.',
  labelHeld: 'L’étiquette est retenue.',
  goneFromSettings: 'L’imprimante n’est plus dans les réglages.',
  addOrPrint: 'Ajoutez l’imprimante à nouveau, ou imprimez l’étiquette sur une autre.',
  hasStopped: 'L’imprimante {printer} s’est arrêtée.',
  tooLateToMove: 'Il est trop tard pour la déplacer.',
  anotherCopy: 'Imprimez-la à nouveau sur l’autre imprimante si vous voulez un autre exemplaire.',
  copyIfWanted: 'Imprimez-la à nouveau sur l’autre imprimante s’il la faut encore.',
  reprinted: 'L’étiquette vient d’être réimprimée.',
  onItsWayAway: 'L’étiquette est en route vers un autre serveur.',
  hasNoPrinter: 'L’étiquette n’a pas d’imprimante, elle ne peut donc pas être imprimée.',
  itsPrinterGone:
    'Son imprimante {name} n’est plus dans les réglages, l’étiquette ne peut donc pas être imprimée.',
  itsPrinterUnknown:
    'Aucune imprimante ici ne s’appelle {name}, l’étiquette ne peut donc pas être imprimée.',
  chooseForIt: 'Choisissez une imprimante pour elle.',
  printOrAdd:
    'Imprimez-la sur une autre imprimante ; ou ajoutez-en une de ce nom, puis libérez-la.',
  namedNone: 'Aucune imprimante ne s’appelle {name}.',
  thereAre: 'Il y a : {names}.',
  didYouMean: 'Vouliez-vous dire {name} ?',
  defaultGone: 'L’imprimante par défaut des réglages, {name}, n’est pas connue.',
  severalPrinters: 'L’étiquette ne nomme aucune imprimante, et il y en a plusieurs : {names}.',
  lookFirst: '{printer} a été coupée au milieu d’une étiquette ; regardez d’abord celle-là.',
  sameCut: '{printer} a été coupée au milieu d’une étiquette sur la même imprimante.',
  settingsChanged: 'Les réglages de {printer} ont changé.',
  cannotMeasure:
    'Le langage de {printer} n’est pas connu, elle ne peut donc pas mesurer ses étiquettes.',
  nothingAnswers: 'Rien ne répond à {host}.',
  compareAddress: 'Allumez l’imprimante et comparez l’adresse avec celle de son étiquette de test.',
  addAnyway: 'Elle peut être ajoutée quand même.',
  isAlready: 'L’imprimante à cette adresse est déjà là : {name}.',
  typeAnother: 'Corrigez l’adresse et enregistrez à nouveau.',
  wasFound: 'Cette imprimante a été trouvée là où elle est ; ajoutez l’autre.',
  noAddress: 'Ce n’est pas l’adresse d’une imprimante.',
  typeAddress: 'Écrivez-la comme 192.168.1.50, ou comme une de celles-ci : {examples}.',
  waitForIt: {
    one: '{n} étiquette attend {printer}.',
    other: '{n} étiquettes attendent {printer}.',
  },
  notRemovedNow: 'Elle ne peut pas être retirée maintenant.',
  notRenamedNow: 'Elle ne peut pas être renommée maintenant.',
  goAsBefore:
    'Les étiquettes qui ne nomment aucune imprimante vont à {printer} comme avant, jusqu’à ce que vous choisissiez une imprimante par défaut.',
  areRefused:
    'Les étiquettes qui ne nomment aucune imprimante sont refusées, jusqu’à ce que vous choisissiez une imprimante par défaut.',
  onlyImage: 'Seule l’image SD imprime une étiquette de départ.',
  startShowsPin:
    'Une étiquette de départ montre le PIN, elle n’est donc pas réimprimée : l’onglet Imprimantes en imprime une nouvelle.',
  resumeWindows: 'Reprenez l’imprimante dans les paramètres d’imprimante de Windows.',
  mendWindows: 'Corrigez cela dans Windows ; ensuite l’étiquette s’imprime toute seule.',
  tellKeeper:
    'Prévenez la personne qui s’occupe de cet ordinateur ; ensuite l’étiquette s’imprime toute seule.',
  correctPort: 'Corrigez le port dans les réglages de cette imprimante.',
  startCups:
    'Démarrez CUPS sur cet ordinateur, ou prévenez la personne qui s’en occupe ; ensuite l’étiquette s’imprime toute seule.',
  acceptAgain:
    'Faites que la file accepte à nouveau des travaux ; ensuite l’étiquette s’imprime toute seule.',
  chooseItself: 'Choisissez l’imprimante elle-même dans les réglages de cette imprimante.',
  correctQueue: 'Corrigez le nom de la file dans les réglages de cette imprimante.',
  printerFull: {
    one: '{n} étiquette attend {name}, et sa part du serveur n’en prend pas plus.',
    other: '{n} étiquettes attendent {name}, et sa part du serveur n’en prend pas plus.',
  },
  senderFull: {
    one: '{n} étiquette de {name} attend, et sa part du serveur n’en prend pas plus.',
    other: '{n} étiquettes de {name} attendent, et sa part du serveur n’en prend pas plus.',
  },
  allFull: {
    one: '{n} étiquette attend, et le serveur n’en prend pas plus.',
    other: '{n} étiquettes attendent, et le serveur n’en prend pas plus.',
  },
  emptyPrinter:
    'Occupez-vous de cette imprimante, ou annulez ses étiquettes avec « Tout annuler » sur sa carte, sous Imprimantes ; puis renvoyez l’étiquette.',
  emptySender:
    'Regardez ce qu’envoie cet expéditeur. Laissez ses étiquettes s’imprimer, ou annulez-les ; puis renvoyez l’étiquette.',
  emptyAll:
    'Laissez s’imprimer les étiquettes en attente, ou annulez-les avec « Tout annuler » sur la carte d’une imprimante ; puis renvoyez l’étiquette.',
  diskLow: 'Il ne reste que {free} sur le disque du serveur.',
  waitingFill: 'Les étiquettes qui attendent encore remplissent le serveur.',
  diskFull: 'Le disque du serveur est plein.',
  heldFull: '{held} étiquettes attendent quelqu’un ; les messages illisibles ne sont plus gardés.',
  printerFills: {
    one: '{n} étiquette attend {name} : sa part du serveur est pleine à {percent} %.',
    other: '{n} étiquettes attendent {name} : sa part du serveur est pleine à {percent} %.',
  },
  senderFills: {
    one: '{n} étiquette de {name} attend : sa part du serveur est pleine à {percent} %.',
    other: '{n} étiquettes de {name} attendent : sa part du serveur est pleine à {percent} %.',
  },
  allFills: {
    one: '{n} étiquette attend : le serveur est plein à {percent} %.',
    other: '{n} étiquettes attendent : le serveur est plein à {percent} %.',
  },
  letPrinter:
    'Occupez-vous de cette imprimante. S’il ne les faut pas, appuyez sur « Tout annuler » sur sa carte, sous Imprimantes.',
  letSender:
    'Regardez ce qui en envoie autant. S’il ne les faut pas, appuyez sur « Tout annuler » sur la carte de leur imprimante, sous Imprimantes.',
  letAll:
    'Laissez-les s’imprimer. S’il ne les faut pas, appuyez sur « Tout annuler » sur la carte de leur imprimante, sous Imprimantes.',
  backupTooLarge: 'Les étiquettes de la sauvegarde ne tiennent pas dans le serveur maintenant.',
}
