// biome-ignore-all lint/suspicious/noControlCharactersInRegex: other makers' languages begin with them

/** A language of printers that is known only to be refused by its name, which saves a search. */
interface ForeignLanguage {
  readonly title: string
  /** First bytes, one character a byte. */
  readonly sign: string | RegExp
  /** Its files are pages, which programs can save as pictures. */
  readonly isPage?: true
}

// SBPL: SATO programming guide, ESC A begins a label. DPL: Datamax-O'Neil Class Series 2, STX L and STX commands; IPL:
// Intermec programmer's reference, STX ... ETX. TPCL: Toshiba TEC external equipment interface, {...|}. StarPRNT: Star
// Line Mode commands, ESC * r and ESC GS. CPCL: ZQ/QL programming manual, "! {offset} {dpi} {dpi} {height} {copies}".
// Each needs two of its signs: one alone stands in files of any kind.
/** The printer languages that `languages` lacks. */
export const FOREIGN_LANGUAGES: readonly ForeignLanguage[] = [
  { sign: /^! (?:-?\d+(?: \d+){4}\s|UTILITIES\s|DF \S)/i, title: 'CPCL' },
  { sign: /^\x02?\x1bA(?:[\r\n\0]*\x1b[A-Z%#$~&*][^\x1b]{0,200}){2}/, title: 'SBPL (SATO)' },
  {
    sign: /^(?:\x01[A-Z]\r?\n?)?\x02[LMnmfcOoKVrd](?:[\r\n]|[\dA-Z]{1,5}\r).{0,400}?(?:\x02[A-Za-z]|(?<=[\r\n])(?:[1-9]\d{3}|[DHPQSACz]\w{1,4}[\r\n]|[ELXG][\r\n]))/s,
    title: 'DPL (Datamax)',
  },
  {
    sign: /^(?:[\r\n]*\x02[\x09\x0a\x0c\x0d\x17-\x1f\x20-\x5d\x5f-\x7d]{1,200}\x03(?:(?=[\r\n]*\x02)|\s*$)){1,9}/,
    title: 'IPL (Intermec)',
  },
  { sign: /^(?:\{[A-Z]{1,3}\d*[^{}"]{0,80}\|\}\s*){2}/, title: 'TPCL (Toshiba)' },
  {
    sign: /^\x1b(?:@\s*)?\x1b?(?:\*r[A-Z].{0,40}\x1b\*r|(?:\x1d[\x03#(a-zA-Z]|\x1e[aF]|\x06\x01)(?:.{0,400}\x1b|.?[\t\r\n\x20-\x7e\x80-\xff]*$))/s,
    title: 'StarPRNT (STARPL)',
  },
  { sign: /^\x1b@\s*\x1bi[aSzMAK]/, title: 'P-touch (Brother)' },
  {
    sign: /^(?:\x1b@|\x1b[ta!d][\x00-\x3e]|\x1d[vVhHwkL(!B])(?:.{0,400}?(?:\x1b[@ta!dEGJ*-]|\x1d[vVhHwkL(!B])|[\t\r\n\x20-\x7e\x80-\xff]+$)/s,
    title: 'ESC/POS',
  },
  { sign: /^\x1b(?:E(?:\s|\x1b|$)|[&*(][a-z]-?\d*[A-Za-z@])/, title: 'PCL', isPage: true },
  { sign: '\x1b%-12345X', title: 'PJL', isPage: true },
  { sign: /^\^Q\d+,\d+[^^]{0,40}\^W\d+/, title: 'EZPL (Godex)' },
  { sign: /^m [mi]\r?\n(?:.*\r?\n){0,5}?[JSOH][ \d\r\n]/, title: 'JScript (cab)' },
]
