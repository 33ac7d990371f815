import { Buffer } from 'node:buffer'
import t from 'tap'
import { findCharset } from '../../../src/plugins/qz/charsets.ts'

/** Names that Java takes, a text, and its bytes as Python's codecs write them. */
const SETS: readonly (readonly [names: readonly string[], text: string, hex: string])[] = [
  [
    ['Cp1252', 'windows-1252', 'CP1252', 'cp1252', '1252'],
    'Café €12 „Straße“ Š',
    '436166e920803132208453747261df6593208a',
  ],
  [['windows-1250', 'Cp1250'], 'Łódź Žižkov őű €', 'a3f3649f208e699e6b6f7620f5fb2080'],
  [['windows-1251', 'Cp1251'], 'Москва Ґ €', 'cceef1eae2e020a52088'],
  [['windows-1253', 'Cp1253'], 'Αθήνα €', 'c1e8deede12080'],
  [['windows-1254', 'Cp1254'], 'İstanbul ğüş €', 'dd7374616e62756c20f0fcfe2080'],
  [['windows-1255', 'Cp1255'], 'שלום €', 'f9ece5ed2080'],
  [['windows-1256', 'Cp1256'], 'مرحبا €', 'e3d1cdc8c72080'],
  [['windows-1257', 'Cp1257'], 'Rīga ąčęė €', '52ee676120e0e8e6eb2080'],
  [['windows-1258', 'Cp1258'], 'Đ ơ ư €', 'd020f520fd2080'],
  [['Cp437', 'IBM437', '437', 'ibm-437'], 'Café ½ ░▒▓ ñÑ', '4361668220ab20b0b1b220a4a5'],
  [['Cp850', 'IBM850', '850'], 'Straße ÀÉ ø ×', '53747261e16520b790209b209e'],
  [['Cp852', 'IBM852', '852'], 'Łódź Žižkov', '9da264ab20a669a76b6f76'],
  [['Cp858', 'IBM00858', 'cp00858', '858'], 'Café €', '4361668220d5'],
  [['Cp855', 'IBM855'], 'Москва', 'd3d6e3c6eba0'],
  [['Cp857', 'IBM857'], 'İstanbul ğş', '987374616e62756c20a79f'],
  [['Cp860'], 'São João', '53846f204a6f846f'],
  [['Cp861'], 'Þór ð', '8da272208c'],
  [['Cp862', 'IBM862'], 'שלום', '998c858d'],
  [['Cp863'], 'Québec Ê', '5175826265632092'],
  [['Cp865'], 'Ørsted', '9d7273746564'],
  [['Cp866', 'IBM866', '866'], 'Москва ё', '8caee1aaa2a020f1'],
  [['Cp869'], 'Αθήνα', 'a4e29ee7d6'],
  [['Cp737', 'IBM737', 'x-IBM737'], 'Αθήνα', '809fe3a498'],
  [['Cp775', 'IBM775'], 'Rīga', '528c6761'],
  [
    ['ISO-8859-2', 'iso_8859-2', 'latin2', 'l2', 'ISO8859_2', '8859_2'],
    'Łódź őű',
    'a3f364bc20f5fb',
  ],
  [['ISO-8859-3', 'iso_8859-3', 'latin3'], 'Ħ ĝ', 'a120f8'],
  [['ISO-8859-4', 'iso_8859-4', 'latin4'], 'Rīga ė', '52ef676120ec'],
  [['ISO-8859-5', 'iso_8859-5', 'cyrillic', 'ISO8859_5'], 'Москва', 'bcdee1dad2d0'],
  [['ISO-8859-7', 'iso_8859-7', 'greek', 'ISO8859_7'], 'Αθήνα', 'c1e8deede1'],
  [['ISO-8859-8', 'iso_8859-8', 'hebrew'], 'שלום', 'f9ece5ed'],
  [['ISO-8859-9', 'iso_8859-9', 'latin5', 'ISO8859_9'], 'İstanbul ğş', 'dd7374616e62756c20f0fe'],
  [['ISO-8859-13', 'iso_8859-13', 'ISO8859_13'], 'Rīga ąč', '52ee676120e0e8'],
  [
    ['ISO-8859-15', 'iso_8859-15', 'latin9', 'ISO8859_15', 'Latin-9'],
    'Café € Š Œ',
    '436166e920a420a620bc',
  ],
  [['GBK', 'CP936', 'windows-936', 'gbk'], '北京 上海 鎔', 'b1b1bea920c9cfbaa320e667'],
  [['GB2312', 'EUC_CN', 'euc-cn', 'gb2312'], '北京市海淀区', 'b1b1bea9cad0baa3b5edc7f8'],
  [['GB18030', 'gb18030-2000'], '北京 𠀀 ſ ᠀ 鎔', 'b1b1bea920953282362081309737208134d23820e667'],
  [['Big5', 'csBig5', 'BIG5'], '台北市 一十', 'a578a55fa5ab20a440a451'],
  [['Shift_JIS', 'SJIS', 'x-sjis', 'shift-jis'], '東京 ｶﾅ かな', '938c8b9e20b6c52082a982c8'],
  [['windows-31j', 'MS932'], '\u9ad9 \u2460 \u6771\u4eac \u00a2', 'fbfc20874020938c8b9e208191'],
  [['EUC-JP', 'eucjp', 'EUC_JP'], '東京 ｶﾅ 丂', 'c5ecb5fe208eb68ec5208fb0a1'],
  [['EUC-KR', 'KSC5601', 'ks_c_5601-1987', 'euckr'], '서울특별시', 'bcadbfefc6afbab0bdc3'],
  [['MS949', 'x-windows-949'], '서울 똠방', 'bcadbfef208c63b9e6'],
  [['KOI8-R', 'koi8_r', 'koi8'], 'Москва ё', 'edcfd3cbd7c120a3'],
  [['KOI8-U'], 'Київ їєґ', 'ebc9a7d720a7a4ad'],
  [['TIS-620', 'tis620'], 'กรุงเทพ', 'a1c3d8a7e0b7be'],
  [['x-MacRoman', 'MacRoman'], 'Café ß', '4361668e20a7'],
  [['UTF-16BE'], 'é€', '00e920ac'],
  [['UTF-16LE', 'UnicodeLittleUnmarked'], 'é€', 'e900ac20'],
  [['UTF-16', 'utf_16', 'unicode'], 'é€', 'feff00e920ac'],
  [['ISO-8859-1', 'ISO8859_1', 'latin1', 'l1', 'Cp819', '8859_1'], 'Café ÿ', '436166e920ff'],
  [['UTF-8', 'UTF8', 'utf-8', ''], 'Łódź 北京 😀', 'c581c3b364c5ba20e58c97e4baac20f09f9880'],
]

for (const [names, text, hex] of SETS) {
  t.test(`${names[0]}: as others write it, under all of its names`, (t) => {
    for (const name of names) {
      const encoded = findCharset(name)?.encode(text)
      t.equal(encoded?.bytes.toString('hex'), hex, name)
      t.ok(encoded?.isWhole, name)
    }
    t.end()
  })
}

t.test('a letter that a set has not is a question mark, and said to be missing', (t) => {
  for (const [name, text, wanted] of [
    ['Cp1252', 'a\u0142b', 'a?b'],
    ['Cp437', '\u{1f600}x', '?x'],
    ['GB2312', '\u9555\u00e4', '??'],
    ['EUC-KR', '\ub620', '?'],
    ['ISO-8859-9', '\u20ac', '?'],
    ['ISO-8859-1', '\u017e', '?'],
    ['Big5', '\u043f\ud840', ''],
  ] as const) {
    const encoded = findCharset(name)?.encode(text)
    if (wanted === '') t.ok(encoded)
    else t.match(encoded, { bytes: Buffer.from(wanted), isWhole: false }, name)
  }
  t.end()
})

t.test('what a set decodes it encodes to the same bytes, and commands stay what they are', (t) => {
  const ascii = String.fromCharCode(...Array.from({ length: 0x7f }, (_, code) => code + 1))
  const sets = SETS.flatMap(([names]) => names.slice(0, 1)).filter((name) => !/^UTF-16/.test(name))
  for (const name of sets)
    t.equal(findCharset(name)?.encode(ascii).bytes.toString('latin1'), ascii, name)
  for (const [name, label] of [
    ['Cp1252', 'windows-1252'],
    ['Cp1251', 'windows-1251'],
    ['KOI8-R', 'koi8-r'],
    ['GBK', 'gbk'],
    ['GB18030', 'gb18030'],
    ['MS949', 'euc-kr'],
    ['EUC-JP', 'euc-jp'],
  ] as const) {
    const decoder = new TextDecoder(label, { fatal: true })
    for (let code = 0x4e00; code < 0x9fa0; code += 7) {
      const letter = String.fromCodePoint(code)
      const encoded = findCharset(name)?.encode(letter)
      if (encoded?.isWhole) t.equal(decoder.decode(encoded.bytes), letter, name)
    }
  }
  t.end()
})

t.test('other names are nobody', (t) => {
  for (const name of [
    'EBCDIC',
    'Cp037',
    'constructor',
    '__proto__',
    'windows-1259',
    'ISO-8859-12',
    'Cp',
    '8859',
    'UTF-7',
  ])
    t.equal(findCharset(name), undefined, name)
  t.end()
})
