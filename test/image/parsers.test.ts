import t from 'tap'
import { parseAuthorizedKeys } from '../../image/appliance/authorized-keys.ts'
import { parseHostName } from '../../image/appliance/host-name.ts'
import { readPlainText } from '../../image/appliance/plain-text.ts'
import { fitSettings } from '../../image/appliance/settings.ts'
import { parseStaticAddress, writeStaticAddress } from '../../image/appliance/static-ip.ts'
import { blankPassword, parseWifi, writeWifi } from '../../image/appliance/wifi.ts'

t.test('text is read as the editors of all systems write it', (t) => {
  t.equal(readPlainText(Buffer.from('\uFEFFa = 1\r\nb = 2\r')), 'a = 1\nb = 2\n')
  t.equal(readPlainText(Buffer.from('\uFEFFssid = Ä\r\n', 'utf16le')), 'ssid = Ä\n')
  const ansi = Buffer.from('\u00A0password = geheim12\r\nssid = Büro\r\n', 'latin1')
  t.match(parseWifi(readPlainText(ansi)), { value: { ssid: 'Büro', password: 'geheim12' } })
  t.notMatch(Buffer.from(blankPassword(ansi)).toString('latin1'), 'geheim12')
  t.end()
})

t.test('wifi.txt', (t) => {
  t.same(
    parseWifi(
      '# office\nSSID = "Packing Station "\npassword: \'it"s = secret\'\ncountry = de\nhidden=yes\n',
    ),
    {
      value: { ssid: 'Packing Station ', password: 'it"s = secret', country: 'DE', isHidden: true },
    },
  )
  t.match(parseWifi('ssid=Café\nsecurity=open\n'), { value: { password: undefined } })
  t.match(parseWifi(`ssid=a\npassword=${'0a'.repeat(32)}`), { value: { ssid: 'a' } })
  const bad: readonly (readonly [string, RegExp])[] = [
    ['password=12345678', /ssid is missing/],
    [`ssid=${'ä'.repeat(17)}\npassword=12345678`, /34 bytes, wanted at most 32/],
    ['ssid=a', /password is missing/],
    ['ssid=a\npassword=short', /5 characters, wanted 8 to 63/],
    ['ssid=a\npassword=pässword1', /wanted 8 to 63/],
    ['ssid=a\npassword=12345678\ncountry=Germany', /two letters/],
    ['ssid=a\npasswort=12345678', /line 2 has the key "passwort", wanted one of ssid, password/],
    ['ssid=a\nhunter2 secret', /line 2 is not of the form/],
    ['ssid=a\nssid=b', /stands twice/],
  ]
  for (const [text, wanted] of bad) {
    const parsed = parseWifi(text)
    t.match('fault' in parsed ? parsed.fault : 'taken', wanted)
    t.notMatch(JSON.stringify(parsed), /hunter2|pässword1/, 'no secret in a message')
  }
  t.end()
})

t.test(
  'the network is written so that nothing in it can break out, and without the password',
  (t) => {
    // The key of IEEE 802.11, J.4.2, test case 1.
    const text = writeWifi({ ssid: 'IEEE', password: 'password', country: 'US', isHidden: false })
    t.match(text, 'ssid=49454545\n')
    t.match(text, 'psk=f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e')
    t.notMatch(text, '=password')
    t.match(
      writeWifi({ ssid: 'a"}\n', password: undefined, country: '', isHidden: true }),
      /ssid=61227d0a\n\tscan_ssid=1\n\tkey_mgmt=NONE/,
    )
    const key = '0a'.repeat(32)
    t.match(writeWifi({ ssid: 'a', password: key, country: '', isHidden: false }), `psk=${key}`)
    t.end()
  },
)

t.test('the password is blotted out in place', (t) => {
  const before = Buffer.from('\uFEFFssid = a\r\nPassword = "geheim ä"\r\ncountry=DE\r\n')
  const after = Buffer.from(blankPassword(before))
  t.equal(after.length, before.length)
  t.equal(after.toString().replace(/ +\r/, '\r'), '\uFEFFssid = a\r\nPassword =\r\ncountry=DE\r\n')
  const wide = Buffer.from('\uFEFFssid=a\r\npassword=geheim\r\n', 'utf16le')
  t.equal(
    Buffer.from(blankPassword(wide)).toString('utf16le'),
    '\uFEFFssid=a\r\npassword=      \r\n',
  )
  // As the settings are read: a mark before the first line, blanks that a Mac types with the Option key.
  for (const line of ['\uFEFFpassword=geheim12', '\u00A0password\u00A0=\u00A0geheim12']) {
    const bytes = Buffer.from(`${line}\nssid=b\n`)
    t.match(parseWifi(readPlainText(bytes)), { value: { ssid: 'b', password: 'geheim12' } })
    const blanked = Buffer.from(blankPassword(bytes))
    t.equal(blanked.length, bytes.length)
    t.match(blanked.toString(), /password\s*= +\nssid=b\n$/)
  }
  t.end()
})

t.test('static-ip', (t) => {
  const parsed = parseStaticAddress(
    'address = 192.168.1.50\nnetmask = 255.255.254.0\ngateway=192.168.1.1\ndns=192.168.1.1, 9.9.9.9\n',
  )
  t.same(parsed, {
    value: {
      address: '192.168.1.50/23',
      gateway: '192.168.1.1',
      dns: ['192.168.1.1', '9.9.9.9'],
      interface: 'wired',
    },
  })
  const write = (one: typeof parsed) =>
    'value' in one && one.value !== 'dhcp' && writeStaticAddress(one.value)
  t.match(
    write(parsed),
    /Type=ether.*Address=192.168.1.50\/23\nGateway=192.168.1.1\nDNS=192.168.1.1\nDNS=9.9.9.9/s,
  )
  const wifi = parseStaticAddress('address=fd00::5/64\ninterface=wifi')
  t.match(write(wifi), /Type=wlan.*Address=fd00::5\/64\n$/s)
  t.same(parseStaticAddress('address = DHCP'), { value: 'dhcp' })
  for (const [text, wanted] of [
    ['', /address is ""/],
    ['address=192.168.1.5', /needs its network/],
    ['address=192.168.1.5/33', /needs its network/],
    ['address=192.168.1.5\nnetmask=255.0.255.0', /needs its network/],
    ['address=192.168.1.5\nnetmask=mask', /needs its network/],
    ['address=192.168.1.5/24\ngateway=router', /gateway is "router"/],
    ['address=192.168.1.5/24\ndns=1.1.1.1 no', /dns has "no"/],
    ['address=192.168.1.5/24\ninterface=eth0', /interface is "eth0", wanted wired or wifi/],
    ['ip=1.2.3.4', /key "ip"/],
  ] as const) {
    const bad = parseStaticAddress(text)
    t.match('fault' in bad ? bad.fault : 'taken', wanted)
  }
  t.end()
})

t.test('hostname', (t) => {
  t.same(parseHostName('\n# bench\n Packing-2.LOCAL \n'), { value: 'packing-2' })
  for (const name of ['', 'two words', '-a', 'a-', 'localhost', 'ä', 'a.b', 'a'.repeat(64)]) {
    t.ok('fault' in parseHostName(name), name)
  }
  t.end()
})

t.test('authorized_keys', (t) => {
  const key = `ssh-ed25519 ${'A'.repeat(68)} anna@desk`
  t.same(parseAuthorizedKeys(`# mine\n${key}\n\n`), { value: `${key}\n` })
  for (const [text, wanted] of [
    ['-----BEGIN OPENSSH PRIVATE KEY-----\n', /private key/],
    ['# none\n', /no key in it/],
    [`${key}\nhello\n`, /line 2 is not a public key/],
    [`command="rm" ${key}`, /line 1/],
  ] as const) {
    const bad = parseAuthorizedKeys(text)
    t.match('fault' in bad ? bad.fault : 'taken', wanted)
  }
  t.end()
})

t.test('a configuration that answers nobody is opened to the network', (t) => {
  t.match(fitSettings('\uFEFF{"host":"localhost","port":"9000"}'), {
    text: /"host": "",\n {2}"port": "9000",\n {2}"open_browser": false/,
    remarks: [/host was "localhost"/],
  })
  t.same(fitSettings('{}').remarks, [])
  // The server reads null as left out, which is localhost.
  t.match(fitSettings('{"host":null}'), { text: /"host": ""/, remarks: [] })
  t.match(fitSettings('{"host":"192.168.1.5"}').text, '"host": "192.168.1.5"')
  t.end()
})
