/** What the small pages say, in English: answers to a form, secure connection, help and calls. `{1}` is the first element that stands in it. */
export const texts = {
  // The answer to a form
  needsAPerson: 'A label needs you',
  onItsWay: 'On its way',
  nothingHere: 'Nothing here',
  goOnWithout: 'Go on without it',
  allLabels: 'All labels',
  help: 'Help',
  theLabelPrinted: 'The label as it was printed',

  // Secure connection
  canPrint: 'Can this browser print?',
  canPrintYes: 'This browser can print',
  needsScripts: 'This page needs scripts.',
  formArrived:
    'A form of the other window arrived. Nothing was printed. You can close this window.',
  shopTitle: 'For the pages of your shop',
  shopText:
    'The result above is for the pages of the print server. A shop checks its own pages with the script {1}: copy it to the shop, and put this into a page:',
  policiesTitle: 'Policies for many computers',
  policiesText: 'With these, browsers no longer ask for permission to reach the local network.',
  siteAddress: 'Address of the page that prints',
  downloadFile: 'Download {file}',
  whereChrome: 'Linux: /etc/opt/chrome/policies/managed/. Windows: the same names below {key}.',
  whereEdge: 'Linux: /etc/opt/edge/policies/managed/. Windows: the same names below {key}.',
  whereFirefox: 'The folder distribution beside the program; Linux: /etc/firefox/policies/.',
  secureTitle: 'Secure connection',
  notSecure: 'This print server does not serve https.',
  switchHttpsOn:
    'Turn on HTTPS in the {1} and restart the print server, then come back to this page.',
  theSettings: 'settings',
  vouches:
    'This print server has made its own certificate. Trust it once on each PC, tablet or phone, and pages can print here over https without a warning.',
  getCertificate: '1. Get the certificate',
  downloadCertificate: 'Download platen-ca.crt',
  fingerprint:
    'Its SHA-256 fingerprint, to compare with what your system shows (the log of the print server has it too):',
  trustIt: '2. Trust it',
  openByAddress: '3. Open it by one of these addresses',
  sayLocalhost:
    '{1}, not printserver.local: browsers may drop what a script sends to a .local name that leads to the same PC.',
  sayLocalhostStrong: 'On the PC that runs the print server itself use localhost',
  onWindows: 'Windows (Chrome, Edge)',
  windowsSteps:
    'Open the file, press {1}, choose {2} (or Current User), then {3}, {4}, {5}. Start the browser again.',
  onMac: 'macOS (Safari, Chrome)',
  macSteps:
    'Open the file; it goes into Keychain Access. Open it there, unfold {1}, and set {2} to {3}.',
  onIphone: 'iPhone and iPad',
  iphoneSteps:
    'Open this page in Safari and download. Then {1}: install the profile. Then {2}: switch it on.',
  onAndroid: 'Android',
  androidSteps: 'Download, then {1}, and choose the file.',
  onLinux: 'Linux (Chrome, Chromium)',
  linuxSteps: 'Open {1}, {2}, {3}, {4}, {5}.',
  onFirefox: 'Firefox, on every system',
  firefoxSteps: '{1}; check {2}.',

  // Help for programs
  helpLead:
    'Any program, script or web page prints here by sending a label. It needs no driver and no login.',
  helpDialogs: 'The print dialog of any program',
  helpDialogsText:
    'Every printer of the print server shows up there as a printer of its own. Where it is not found, add {1} as an IPP printer. A letter or A4 page comes out small from a dialog: drop its PDF on {2} instead, which cuts the label out.',
  helpScript: 'A file from a script',
  helpForm: 'A form on a web page',
  helpAnswer:
    'The answer says what became of each label: {1} is {2}, or {3} with a sentence in {4} and what to do in {5}.',
  helpWhat: 'What a label may be',
  helpWhatText:
    'A raw label or a picture ({1}), as base64 in {2}; several in {3}. Pictures are turned and scaled to the label; raw labels go to the printer as they are.',
  helpFields: 'Fields',
  helpPrinter: '{1}: a name from {2}, else the default one',
  helpPrinterList: 'the list of printers',
  helpCopies: '{1}: how many of each label',
  helpSize: '{1}, {2}: inches',
  helpDpi: '{1}: dots per inch of the picture',
  helpStart: '{1}, {2}: where the picture begins, in dots',
  helpRotate: '{1}: 0, 90, 180 or 270, clockwise, else as it fits best',
  helpScaling: '{1}: none = pictures keep their own size',
  helpDarkness: '{1}: 0 to 100',
  helpRedirect: '{1}: where the browser goes after printing',
  helpIdempotency: '{1}: the same key twice prints once',
  helpExpire: '{1}: seconds after which a label that could not print is canceled',
  helpMore: 'A pack list goes as JSON to {1}. The file {2} of platen has all the rest.',

  // All calls
  callsTitle: 'All calls for programs',
  callsLead:
    'Every way to call this print server, as it is now. Tools read the same at {1} (OpenAPI 3.1). Examples: {2}.',
  findCall: 'Find a call',
  noCall: 'Nothing here has these words.',
  besidesBody: 'Besides the body',
  callBody: 'Body: {type}',
  callAnswer: 'Answer {status}',
  otherAnswer: 'Any other answer',
}
