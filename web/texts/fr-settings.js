/** Français : le formulaire des réglages */
export const texts = {
  unitSeconds: 'secondes',
  unitMinutes: 'minutes',
  unitHours: 'heures',
  groupAdmin: 'Qui peut changer les réglages et voir les étiquettes',
  groupTime: 'Heure',
  groupAddress: 'Adresse de cette page',
  groupSources: 'Files et heartbeat',
  groupDoors: 'Programmes qui imprimaient autrement avant',
  groupLabels: 'Traitement des étiquettes',
  groupResults: 'Messages à vos systèmes',
  groupMore: 'Autres',
  faults: { one: '{n} réglage est à corriger.', other: '{n} réglages sont à corriger.' },
  notSaved: 'Non enregistré : {why}.',
  restartFor: 'Redémarrez le serveur d’impression pour : {settings}.',
  afterRestart: 'Prend effet après un redémarrage.',
  thisQueue: 'cette file',
  theHeartbeat: 'heartbeat',
  onePerLine: 'un par ligne',
  badJson: 'Ce n’est pas du JSON valide. Exemple : {example}',
  notChosen: 'non choisi',
  asUsual: 'd’habitude : {choice}',
  asAllLabels: 'comme les autres étiquettes',
  choiceAuto: 'automatique',
  choiceAllow: 'les imprimer comme les autres',
  choiceWarn: 'les imprimer avec un avertissement',
  choiceRefuse: 'les refuser',
  choiceHold: 'attendre quelqu’un',
  choiceReprint: 'réimprimer automatiquement',
  choiceSpooled: 'dès que l’étiquette est en sécurité',
  choicePrinted: 'quand l’étiquette est imprimée',
  choiceAsked: 'elle est interrogée',
  choiceNeverAsked: 'elle n’est jamais interrogée',
  logErrors: 'erreurs',
  logWarnings: 'erreurs et avertissements',
  logInfo: 'événements aussi',
  logAll: 'tout',
  addQueueRow: 'Ajouter une file',
  removeQueueRow: 'Retirer cette file',
  newQueueRow: 'Nouvelle file',
  noZone:
    'Aucun fuseau horaire n’est choisi : toutes les heures de ce serveur d’impression sont en UTC, celles des mises à jour aussi.',
  takeZone: 'Prendre le fuseau de cet ordinateur ({zone})',
  // Paired boxes
  boxes: 'Serveurs d’impression',
  boxesHelp:
    'Les serveurs d’impression jumelés impriment les uns pour les autres : choisissez une de leurs imprimantes là où une étiquette attend.',
  showCode: 'Afficher un code',
  pairBox: 'Jumeler avec un serveur d’impression…',
  codeHelp:
    'Saisissez ce code sur l’autre serveur : Réglages, Serveurs d’impression, Jumeler avec un serveur d’impression. Il est valable deux minutes.',
  boxAddress: 'Adresse de l’autre serveur d’impression',
  boxCode: 'Le code qu’il affiche',
  lookingForBoxes: 'Recherche de serveurs d’impression sur le réseau…',
  noBoxes: 'Aucun autre serveur d’impression ne s’annonce. Saisissez son adresse.',
  paired: 'Jumelé avec {name}.',
  removeBox: 'Retirer {name}',
  boxSeen: 'a répondu {time}',
  'field.host': 'Hôte',
  'help.host':
    'Nom ou adresse d’écoute. Vide : toutes celles de cet ordinateur, pour que d’autres impriment aussi.',
  'field.port': 'Port',
  'help.port': 'Port du serveur HTTP ; 0 en prend un libre.',
  'field.secure_port': 'Port sécurisé',
  'help.secure_port': 'Port du serveur HTTPS. Vide : 8443, si HTTPS est activé.',
  'field.printer': 'Imprimante par défaut',
  'help.printer':
    'Imprime les étiquettes qui n’en nomment aucune. Non choisie : la seule qu’il y a, même si d’autres arrivent.',
  'field.open_browser': 'Ouvrir le navigateur',
  'help.open_browser': 'Ouvre la page dans le navigateur de cet ordinateur au démarrage.',
  'field.use_ssl': 'HTTPS',
  'help.use_ssl': 'Répond aussi chiffré sur le port sécurisé, avec son propre certificat.',
  'field.username': 'Nom d’utilisateur',
  'help.username':
    'Demandé avec le mot de passe avant de changer des réglages. L’impression n’en a jamais besoin.',
  'field.password': 'Mot de passe',
  'help.password': 'Va avec le nom d’utilisateur.',
  'field.open_bench': 'Étiquettes sans connexion',
  'help.open_bench':
    'Tout le monde au poste peut voir et réimprimer les étiquettes. Désactivé : avec un nom et un mot de passe, la page les demande avant de montrer des étiquettes. L’impression n’en a jamais besoin.',
  'field.heart_beat_url': 'Adresse du heartbeat',
  'help.heart_beat_url':
    'Reçoit un heartbeat à intervalles réguliers ; sa réponse peut contenir des étiquettes.',
  'field.heart_beat_interval': 'Intervalle du heartbeat',
  'help.heart_beat_interval': 'Secondes entre deux heartbeats ; vide : 60.',
  'field.heart_beat_params': 'Paramètres du heartbeat',
  'help.heart_beat_params': 'JSON à vous, envoyé dans chaque heartbeat.',
  'field.heart_beat_printer_commands': 'Commandes d’imprimante dans le heartbeat',
  'help.heart_beat_printer_commands':
    'Comme « Commandes d’imprimante », seulement pour les étiquettes du heartbeat. Vide : pareil.',
  'field.queues': 'Files',
  'help.queues': 'Files de messages où les étiquettes sont prises.',
  'field.queues.type': 'Type',
  'help.queues.type': 'Type de file où les étiquettes sont prises.',
  'field.queues.printer': 'Imprimante',
  'help.queues.printer': 'Imprime ici plutôt que sur celle par défaut.',
  'field.queues.printer_commands': 'Commandes d’imprimante',
  'help.queues.printer_commands':
    'Comme « Commandes d’imprimante » pour toutes les étiquettes, seulement pour cette file. Vide : pareil.',
  'field.queues.ack': 'Quitte la file',
  'help.queues.ack':
    'Quand un message est retiré de la file : dès que ses étiquettes sont en sécurité ici, ou une fois imprimées.',
  'field.queues.sqs.region': 'Région',
  'help.queues.sqs.region': 'Région de la file, p. ex. "eu-central-1".',
  'field.queues.sqs.url': 'Adresse de la file',
  'help.queues.sqs.url': 'L’adresse de la file.',
  'field.queues.sqs.access_key_id': 'Clé d’accès',
  'help.queues.sqs.access_key_id':
    'Vide : AWS en trouve une lui-même (environnement, fichiers partagés, rôles).',
  'field.queues.sqs.secret_access_key': 'Clé d’accès secrète',
  'help.queues.sqs.secret_access_key': 'Va avec la clé d’accès.',
  'field.queues.sqs.redelivered': 'Déjà livrée',
  'help.queues.sqs.redelivered':
    'Une étiquette que la file a déjà livrée a peut-être été imprimée par un autre serveur. hold : elle attend ici qu’une personne décide ; pour plusieurs serveurs sur une file. Ce que ce serveur a accepté n’est jamais imprimé deux fois. Vide : print.',
  'field.queues.beanstalkd.endpoint': 'Serveur',
  'help.queues.beanstalkd.endpoint': 'Hôte et port du serveur de files.',
  'field.queues.beanstalkd.tube': 'Tube',
  'help.queues.beanstalkd.tube': 'Le tube où les étiquettes sont prises.',
  'field.queues.beanstalkd.redelivered': 'Déjà livrée',
  'help.queues.beanstalkd.redelivered':
    'Une étiquette qu’un autre serveur a réservée sans la rendre ni la mettre de côté y est peut-être déjà imprimée. hold : elle attend ici qu’une personne décide ; pour plusieurs serveurs sur une file. Ce que ce serveur a accepté n’est jamais imprimé deux fois. Vide : print.',
  'field.queues.mqtt.url': 'Broker',
  'help.queues.mqtt.url': 'mqtt:// ou mqtts:// (TLS), hôte et éventuellement port.',
  'field.queues.mqtt.topic': 'Sujet',
  'help.queues.mqtt.topic': 'Les étiquettes publiées là-bas s’impriment ici.',
  'field.queues.mqtt.username': 'Utilisateur du broker',
  'help.queues.mqtt.username': 'Va avec le mot de passe du broker.',
  'field.queues.mqtt.password': 'Mot de passe du broker',
  'help.queues.mqtt.password': 'Va avec l’utilisateur du broker.',
  'field.queues.mqtt.client_id': 'Identifiant client',
  'help.queues.mqtt.client_id':
    'Notre nom chez le broker, différent pour chaque file et chaque serveur d’impression. Vide : tiré du nom de l’ordinateur.',
  'field.queues.mqtt.status_topic': 'Sujet d’état',
  'help.queues.mqtt.status_topic':
    'Dit si ce serveur d’impression est en ligne. Vide : platen/IDENTIFIANT/status ; "none" : nulle part.',
  'field.queues.mqtt.ca': 'Autorité de certification',
  'help.queues.mqtt.ca': 'À qui TLS fait confiance. Chemin d’un fichier PEM, ou son texte.',
  'field.queues.mqtt.client_cert': 'Certificat client',
  'help.queues.mqtt.client_cert':
    'Pour les brokers qui en demandent un. Chemin d’un fichier PEM, ou son texte.',
  'field.queues.mqtt.client_key': 'Clé client',
  'help.queues.mqtt.client_key': 'Va avec le certificat. Chemin d’un fichier PEM, ou son texte.',
  'field.printers': 'Imprimantes',
  'help.printers': 'Imprimantes configurées à la main.',
  'field.printers.name': 'Nom',
  'help.printers.name': 'Ce que pages et programmes écrivent dans le champ printer.',
  'field.printers.uri': 'Adresse de l’appareil',
  'help.printers.uri':
    'Comment joindre l’imprimante, p. ex. usb://Zebra/LP2844?serial=42A0821, socket://192.168.1.50:9100, ipp://localhost/printers/Zebra, serial:/dev/serial/by-id/NAME?baud=9600 ou winspool:ZDesigner%20GK420d.',
  'field.printers.language': 'Langage',
  'help.printers.language':
    'Ce que l’imprimante comprend. Les images en ont besoin ; les étiquettes ZPL, EPL et TSPL passent telles quelles.',
  'field.printers.dpi': 'Points par pouce',
  'help.printers.dpi':
    'Résolution de la tête ; 200 compte pour 203. Vide : ce que dit l’imprimante, sinon 203.',
  'field.printers.label_width': 'Largeur d’étiquette',
  'help.printers.label_width': 'En pouces ; vide : 4.',
  'field.printers.label_height': 'Hauteur d’étiquette',
  'help.printers.label_height': 'En pouces ; vide : 6.',
  'field.printers.rotate': 'Rotation',
  'help.printers.rotate':
    'Tourne chaque image d’autant de degrés à droite ; automatique : selon le sens de l’étiquette.',
  'field.printers.darkness': 'Noirceur',
  'help.printers.darkness': 'Pourcentage de la plage du langage ; vide : celle de l’imprimante.',
  'field.printers.speed': 'Vitesse',
  'help.printers.speed': 'Pouces par seconde ; vide : celle de l’imprimante.',
  'field.printers.graphics': 'Images ZPL',
  'help.printers.graphics':
    'Compression des images pour imprimantes ZPL : z64 est le plus petit, acs est lu par toutes.',
  'field.printers.raw_port': 'Port raw',
  'help.printers.raw_port':
    'Port de cette imprimante pour les programmes qui impriment sur le port 9100 d’une imprimante réseau. Vide : aucun.',
  'field.printers.status': 'État',
  'help.printers.status':
    'Si l’on demande à l’imprimante comment elle va ; à désactiver si elle répond n’importe quoi, p. ex. « plus d’étiquettes » avec un rouleau plein.',
  'field.printers.backup': 'Secours',
  'help.printers.backup':
    'Nom de l’imprimante qui reçoit les étiquettes en attente quand celle-ci ne peut pas imprimer pendant tant de minutes ; en pause, elle les garde. Vide : elles attendent.',
  'field.printers.backup_box': 'Secours sur le serveur d’impression',
  'help.printers.backup_box':
    'Nom du serveur d’impression jumelé qui a l’imprimante de secours. Vide : celui-ci.',
  'field.printers.backup_minutes': 'Secours après',
  'help.printers.backup_minutes':
    'Minutes sans imprimer après lesquelles les étiquettes partent vers le secours ; 10 si vide.',
  'field.result_url': 'Adresse des messages',
  'help.result_url':
    'Reçoit le sort de chaque étiquette et chaque changement d’état des imprimantes.',
  'field.result_secret': 'Secret des messages',
  'help.result_secret':
    'Signe ce qui est envoyé (HMAC-SHA256), pour que le destinataire sache de qui cela vient.',
  'field.share_printers': 'Dialogues d’impression',
  'help.share_printers':
    'Propose chaque imprimante aux dialogues d’impression d’autres ordinateurs et téléphones (IPP, AirPrint). Vide : oui, sauf si Hôte est local.',
  'field.raw_port': 'Port raw',
  'help.raw_port':
    'Port pour les programmes qui impriment sur le port 9100 d’une imprimante réseau : donnez-leur l’adresse de ce serveur. Imprime sur celle par défaut ; les autres ont leur propre port. Vide : fermé.',
  'field.qz_tray': 'QZ Tray',
  'help.qz_tray':
    'Répond comme QZ Tray : les pages des sites autorisés, ou signées par le certificat QZ, impriment par lui.',
  'field.qz_port': 'Port de QZ Tray',
  'help.qz_port':
    'Port de QZ Tray pour wss ; ws est le suivant. Vide : 8181, ou 8282, 8383, 8484, comme ses programmes les essaient.',
  'field.qz_certificate': 'Certificat QZ',
  'help.qz_certificate':
    'Certificat avec lequel un site signe ses appels à QZ Tray (PEM) : ce qu’il a signé peut imprimer depuis tout site. Vide : sites autorisés seulement.',
  'field.browser_print': 'Browser Print',
  'help.browser_print':
    'Répond comme Zebra Browser Print : les pages des sites autorisés impriment par lui.',
  'field.browser_print_port': 'Port de Browser Print',
  'help.browser_print_port': 'Port de Browser Print pour http ; https est le suivant.',
  'field.fetch_hosts': 'Hôtes pour adresses',
  'help.fetch_hosts':
    'Hôtes de votre réseau où l’on peut chercher des étiquettes quand un programme PrintNode ou une page avec QZ Tray envoie une adresse. Vide : seulement ceux d’internet.',
  'field.printnode': 'PrintNode',
  'help.printnode':
    'Répond sous /printnode comme l’API de PrintNode : les programmes avec une clé d’API du serveur d’impression impriment par là.',
  'field.printnode_name': 'Nom pour PrintNode',
  'help.printnode_name':
    'Nom d’hôte sous lequel il n’y a que l’API de PrintNode, sans /printnode : pour les programmes qui ne connaissent qu’une adresse sans chemin. Vide : aucun.',
  'field.printnode_webhook': 'Webhook PrintNode',
  'help.printnode_webhook':
    'Reçoit chaque état des étiquettes venues par PrintNode, sous la forme de ses webhooks.',
  'field.printnode_webhook_secret': 'Secret du webhook PrintNode',
  'help.printnode_webhook_secret':
    'Envoyé au webhook PrintNode, pour que le destinataire sache de qui il vient.',
  'field.allowed_origins': 'Sites autorisés',
  'help.allowed_origins': 'Sites web dont les pages peuvent imprimer. Vide : tous.',
  'field.allowed_hosts': 'Noms d’hôte autorisés',
  'help.allowed_hosts':
    'Autres noms sous lesquels on peut appeler ce serveur, p. ex. derrière un proxy.',
  'field.job_retention_hours': 'Garder les étiquettes imprimées',
  'help.job_retention_hours':
    'Heures pendant lesquelles les étiquettes finies peuvent être réimprimées.',
  'field.max_body_mb': 'Plus grande requête',
  'help.max_body_mb': 'Mégaoctets qu’une requête peut avoir.',
  'field.time_zone': 'Fuseau horaire',
  'help.time_zone':
    'Où se trouve le serveur, p. ex. "Europe/Paris" : pour les heures dans ses phrases et la nuit où il se met à jour. Vide : celui de son ordinateur, UTC sur l’image SD.',
  'field.log_level': 'Journal',
  'help.log_level': 'Ce qui est noté dans le journal.',
  'field.on_interrupt': 'Après une coupure',
  'help.on_interrupt':
    'Une étiquette coupée en plein milieu par le courant ou le câble attend quelqu’un, ou s’imprime à nouveau et sort peut-être deux fois.',
  'field.printer_commands': 'Commandes d’imprimante',
  'help.printer_commands':
    'Étiquettes dont les commandes changent l’imprimante elle-même (réglages, mot de passe, firmware) : les refuser, les imprimer avec un avertissement ou comme les autres.',
  'field.duplicate_guard_minutes': 'Protection contre les doublons',
  'help.duplicate_guard_minutes':
    'Retient une étiquette déjà imprimée sur la même imprimante depuis tant de minutes, jusqu’à ce que quelqu’un la libère. Vide : jamais.',
  'field.expire_after': 'Expire après',
  'help.expire_after':
    'Secondes après lesquelles une étiquette qui n’a pas pu s’imprimer est annulée. Vide : jamais.',
}
