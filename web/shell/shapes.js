// What the server sends, as types for the editor and `tsc -p web`. No code: the browser never loads this file.

/**
 * @typedef {object} Job One label for one printer: `GET /jobs/:id`, and the event `job`.
 * @property {string} id
 * @property {string} printer
 * @property {string} title what a person calls the label: given with it, else found on it; '' = nothing
 * @property {string} format `zpl`, `png`, …, `packlist`, `test`, `start`, or `unknown`: a message that is not a label
 * @property {'pending' | 'pending-held' | 'processing' | 'processing-stopped' | 'canceled' | 'aborted' | 'completed'} state
 * @property {string[]} reasons
 * @property {'none' | 'sent' | 'confirmed' | 'unknown'} delivery
 * @property {string} message one sentence, or ''
 * @property {string} hint what to do, or ''
 * @property {SaidTexts} [texts] message and hint for other languages
 * @property {string[]} actions what can be done about it now
 * @property {string} detail the same in technical words, or ''
 * @property {string} code
 * @property {string} source where the label came from: `http`, `packlist`, `test`, `heartbeat`, …
 * @property {string} user who printed it from a dialog, as their computer says; '' = nobody said
 * @property {string | null} created ISO 8601
 * @property {string | null} started
 * @property {string | null} ended
 * @property {{ at: string, state: Job['state'], reasons: string[] }[]} [history] only of `GET /jobs/:id`
 * @property {number} bytes size of the label as it was sent
 * @property {number} attempts
 * @property {string} reprint_of
 * @property {boolean} has_label
 * @property {boolean} has_preview
 * @property {string} [secret] of a label that this page sent: lets it follow the label without a login
 */

/**
 * @typedef {object} Step A state that a job came to: the list `history` of `GET /jobs/:id`, oldest first.
 * @property {string} at ISO 8601
 * @property {Job['state']} state
 * @property {string[]} reasons
 */

/**
 * @typedef {object} Counts `GET /jobs/counts`: all labels that have not ended, and what became of today's.
 * @property {number} not_completed
 * @property {{ printer: string, not_completed: number, pending: number, 'pending-held': number, processing: number, 'processing-stopped': number, today: { completed: number, canceled: number, aborted: number } }[]} printers
 */

/**
 * @typedef {object} Printer `GET /printers`, and the event `printer`.
 * @property {string} name
 * @property {boolean} default labels that name no printer go here
 * @property {boolean} paused a person has paused it: nothing begins until somebody resumes it
 * @property {string} uri
 * @property {string} make_and_model
 * @property {string | null} language
 * @property {number} dpi
 * @property {number | null} label_width of its settings, inches
 * @property {number | null} label_height
 * @property {{ label_width: number | null, label_height: number | null, tracking: string | null } | null} media what it says itself
 * @property {number | null} picture_seconds how long a picture takes at most on a serial line
 * @property {boolean} [removed] it was taken away
 * @property {{ printer: string, box: string, minutes: number, message: string, texts?: SaidTexts } | null} [backup] where its labels go when it cannot print
 * @property {'idle' | 'processing' | 'stopped'} state
 * @property {string[]} state_reasons
 * @property {string} message
 * @property {string} hint
 * @property {string} [detail] technical words about the message
 * @property {SaidTexts} [texts] message and hint for other languages
 * @property {string[]} actions what can be done about it now
 */

/**
 * @typedef {object} Filling A share of the spool that is nearly full: the event `spool` has all of them.
 * @property {'all' | 'printer' | 'sender'} of
 * @property {string} name
 * @property {number} jobs
 * @property {string} message one sentence
 * @property {string} hint what to do
 * @property {SaidTexts} [texts] both for other languages
 */

/**
 * @typedef {object} Found `GET /printers/found`: what can be seen and is not known.
 * @property {string} name
 * @property {string} uri
 * @property {string} make_and_model
 * @property {string | null} language
 * @property {number | null} dpi
 * @property {boolean} guess perhaps no printer at all
 * @property {boolean} other it prints no labels of ours
 * @property {string} hint why it cannot be used as things are, and what to do
 * @property {SaidTexts} [texts] that for other languages
 */

/**
 * @typedef {object} Source `GET /sources`: where labels come from besides HTTP. Times are ISO 8601 or null.
 * @property {string} type
 * @property {string} where
 * @property {string} printer '' = the default printer
 * @property {string} ack
 * @property {'starting' | 'running' | 'waiting' | 'failing'} state
 * @property {string} message why it waits or fails
 * @property {string} [detail] technical words about it
 * @property {string | null} contact
 * @property {string} error
 * @property {string | null} error_at
 * @property {string} refusal
 * @property {string | null} refusal_at
 * @property {string} warning
 * @property {string | null} warning_at
 * @property {number} taken
 * @property {number} refused
 * @property {number | null} waiting
 * @property {number | null} bad
 * @property {{ message: Said[], error: Said[], refusal: Said[], warning: Said[] }} [texts] for other languages; empty where they are technical
 */

/**
 * @typedef {object} Door `GET /doors`: a way in that speaks another product's protocol.
 * @property {string} name
 * @property {string} title
 * @property {string} key of the settings, which switches it on
 * @property {'off' | 'starting' | 'open' | 'failing'} state
 * @property {string[]} places
 * @property {string} message why it is not open
 * @property {SaidTexts} [texts] for other languages
 * @property {string | null} contact
 * @property {{ where: string, line: string, texts?: SaidTexts }[]} lines what to change on the other side
 */

/**
 * @typedef {object} Session `GET /session`.
 * @property {string} token goes back in the header X-Platen-Token with every change
 * @property {boolean} admin may change the settings
 * @property {boolean} loginNeeded a login would help
 * @property {boolean} labels may see the labels
 * @property {{ id: string, address: string, count: number, seconds: number }[]} guesses wrong passwords of the last hour
 * @property {boolean} restarts the print server starts again when it is ended
 * @property {boolean} startLabel the box has a start label, which shows the PIN
 * @property {string} version
 */

/**
 * @typedef {object} Fault a setting that cannot be saved
 * @property {string} key `port`, `printers[0].uri`; '' for the whole
 * @property {string} message
 * @property {string} [plain] the same for people
 * @property {Said[]} [texts] that one for other languages
 */

/**
 * @typedef {object} Language one that printers speak, of `GET /info`
 * @property {string} name `zpl`
 * @property {string} title `ZPL`
 * @property {string} makers whose printers speak it
 */

/**
 * @typedef {object} Field one key of the configuration: `GET /config/schema`
 * @property {string} key
 * @property {string} title
 * @property {string} description
 * @property {string} type
 * @property {unknown} [default]
 * @property {(string | number)[]} [choices]
 * @property {Record<string, string>} [words] what they are for people
 * @property {boolean} [restart]
 * @property {boolean} [secret]
 * @property {boolean} [lines] it may have several
 * @property {Field[]} [fields] of a list: the fields of its rows
 * @property {string[]} [only] of a field of a queue: the types of queue that have it
 */

/**
 * @typedef {object} Words how something is told to a person
 * @property {'good' | 'busy' | 'wait' | 'warn' | 'bad' | 'quiet'} tone color
 * @property {string} icon a name of `icons.js`
 * @property {string} words
 * @property {string} why a sentence, or ''
 * @property {string} todo what to do, or ''
 */

/**
 * @typedef {object} Said a sentence of the server by its key
 * @property {string} key
 * @property {Record<string, string | number>} values
 */

/**
 * @typedef {object} SaidTexts empty where only the English is there
 * @property {Said[]} message
 * @property {Said[]} hint
 */

/**
 * @typedef {object} Note something odd about settings that were saved
 * @property {string} message
 * @property {Said[]} texts for other languages
 */

export {}
