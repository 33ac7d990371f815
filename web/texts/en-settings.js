/**
 * What the form of the settings says, in English. The fields have their English words from the server (`GET /config/schema`):
 * the other languages have a `field.` and a `help.` for each.
 */
export const texts = {
  unitSeconds: 'seconds',
  unitMinutes: 'minutes',
  unitHours: 'hours',
  groupAdmin: 'Who may change settings and see labels',
  groupTime: 'Time',
  groupAddress: 'Address of this page',
  groupSources: 'Queues and heartbeat',
  groupDoors: 'Programs that printed another way before',
  groupLabels: 'How labels are handled',
  groupResults: 'Reports to your systems',
  groupMore: 'More',
  faults: { one: '{n} setting needs a correction.', other: '{n} settings need a correction.' },
  notSaved: 'Not saved: {why}.',
  restartFor: 'Restart the print server for: {settings}.',
  afterRestart: 'Takes effect after a restart.',
  thisQueue: 'this queue',
  theHeartbeat: 'heartbeat',
  onePerLine: 'one per line',
  badJson: 'This is not valid JSON. Example: {example}',
  // A choice
  notChosen: 'not chosen',
  asUsual: 'as usual: {choice}',
  asAllLabels: 'as for all other labels',
  choiceAuto: 'automatic',
  choiceAllow: 'print them like any other label',
  choiceWarn: 'print them with a warning',
  choiceRefuse: 'refuse them',
  choiceHold: 'wait for a person',
  choiceReprint: 'print again automatically',
  choiceSpooled: 'as soon as the label is safe',
  choicePrinted: 'when the label was printed',
  choiceAsked: 'it is asked',
  choiceNeverAsked: 'it is never asked',
  logErrors: 'errors',
  logWarnings: 'errors and warnings',
  logInfo: 'events, too',
  logAll: 'everything',
  // A list
  addQueueRow: 'Add a queue',
  removeQueueRow: 'Remove this queue',
  newQueueRow: 'New queue',
  // The time zone
  noZone:
    'No time zone is chosen, so all times of this print server are UTC, the hours of its updates too.',
  takeZone: "Use this computer's time zone ({zone})",
  // Paired boxes
  boxes: 'Print servers',
  boxesHelp:
    'Paired print servers print labels for each other: choose one of their printers where a label waits.',
  showCode: 'Show a code',
  pairBox: 'Pair with a print server…',
  codeHelp:
    'Type this code at the other print server: Settings, Print servers, Pair with a print server. It is good for two minutes.',
  boxAddress: 'Address of the other print server',
  boxCode: 'The code that it shows',
  lookingForBoxes: 'Looking for print servers on the network…',
  noBoxes: 'No other print server announces itself. Type its address.',
  paired: 'Paired with {name}.',
  removeBox: 'Remove {name}',
  boxSeen: 'answered {time}',
}
