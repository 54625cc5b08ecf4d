import { describe, expect, test } from 'bun:test'

import {
  allowListId,
  decideEgress,
  egressTarget,
  parseAllowRule,
  refuseByName,
  type EgressRefusal,
  type EgressRules,
} from '../../../src/core/net/egress.ts'

const NO_LISTENERS = { addresses: [], ports: [] }

function rulesOf(allow: readonly string[], own: EgressRules['own'] = NO_LISTENERS): EgressRules {
  return {
    allow: allow.map((text) => {
      const rule = parseAllowRule(text)
      if (rule === null) throw new Error(`not a rule: ${text}`)
      return rule
    }),
    own,
  }
}

interface Case {
  name: string
  url: string
  addresses: string[]
  allow?: string[]
  own?: EgressRules['own']
  refusal: EgressRefusal | null
}

/** A machine with a public address, on which this service listens at port 3000. */
const OWN = { addresses: ['93.184.216.34', '10.0.0.5', '2606:2800::5'], ports: [3000] }

const CASES: readonly Case[] = [
  { name: 'a public address', url: 'http://a.test/', addresses: ['93.184.216.34'], refusal: null },
  { name: 'a public IPv6 address', url: 'http://a.test/', addresses: ['2606:2800::1'], refusal: null },
  { name: 'no address', url: 'http://a.test/', addresses: [], refusal: 'no_address' },
  { name: 'a private address', url: 'http://a.test/', addresses: ['10.0.0.1'], refusal: 'private' },
  { name: 'public, then loopback', url: 'http://a.test/', addresses: ['8.8.8.8', '127.0.0.1'], refusal: 'loopback' },
  { name: 'loopback, then public', url: 'http://a.test/', addresses: ['127.0.0.1', '8.8.8.8'], refusal: 'loopback' },
  {
    name: 'public IPv4, private IPv6',
    url: 'http://a.test/',
    addresses: ['8.8.8.8', 'fd00::1'],
    refusal: 'unique_local',
  },
  {
    name: 'one bad among 25',
    url: 'http://a.test/',
    addresses: [...Array.from({ length: 24 }, (_, i) => `93.184.216.${i}`), '169.254.169.254'],
    refusal: 'cloud_metadata',
  },
  { name: 'an IPv4-mapped loopback', url: 'http://a.test/', addresses: ['::ffff:127.0.0.1'], refusal: 'loopback' },
  { name: 'an address with a zone', url: 'http://a.test/', addresses: ['fe80::1%eth0'], refusal: 'not_an_address' },
  { name: 'not an address', url: 'http://a.test/', addresses: ['a.test'], refusal: 'not_an_address' },
  { name: 'a bad port', url: 'http://a.test:25/', addresses: ['8.8.8.8'], refusal: 'bad_port' },
  {
    name: 'a bad port that a rule names',
    url: 'http://a.test:25/',
    addresses: ['10.0.0.1'],
    allow: ['a.test:25'],
    refusal: 'bad_port',
  },

  { name: '*.local that is public', url: 'http://printer.local/', addresses: ['8.8.8.8'], refusal: 'local_name' },
  {
    name: '*.internal',
    url: 'http://metadata.google.internal/',
    addresses: ['169.254.169.254'],
    refusal: 'local_name',
  },
  {
    name: '*.internal with a dot and capitals',
    url: 'http://X.INTERNAL./',
    addresses: ['8.8.8.8'],
    refusal: 'local_name',
  },
  {
    name: 'instance-data.ec2.internal',
    url: 'http://instance-data.ec2.internal/',
    addresses: [],
    refusal: 'local_name',
  },
  { name: '*.home.arpa', url: 'http://nas.home.arpa/', addresses: ['8.8.8.8'], refusal: 'local_name' },
  { name: 'a name with the same ending', url: 'http://notlocal/', addresses: ['8.8.8.8'], refusal: null },
  { name: 'internal as a label', url: 'http://internal.example/', addresses: ['8.8.8.8'], refusal: null },
  {
    name: 'a local name that a rule names',
    url: 'http://wiki.internal/',
    addresses: ['10.0.0.9'],
    allow: ['wiki.internal'],
    refusal: null,
  },
  {
    name: 'a local name whose address a rule allows',
    url: 'http://wiki.internal/',
    addresses: ['10.0.0.9'],
    allow: ['10.0.0.0/8'],
    refusal: null,
  },
  {
    name: 'a local name whose address no rule allows',
    url: 'http://wiki.internal/',
    addresses: ['10.0.0.9'],
    allow: ['10.1.0.0/16'],
    refusal: 'private',
  },

  { name: 'a named host', url: 'http://wiki.test/', addresses: ['10.0.0.9'], allow: ['wiki.test'], refusal: null },
  {
    name: 'a named host with capitals and a dot',
    url: 'http://WIKI.test./',
    addresses: ['10.0.0.9'],
    allow: ['Wiki.Test'],
    refusal: null,
  },
  {
    name: 'a host under the named one',
    url: 'http://a.wiki.test/',
    addresses: ['10.0.0.9'],
    allow: ['wiki.test'],
    refusal: 'private',
  },
  {
    name: 'a host that ends like the named one',
    url: 'http://evilwiki.test/',
    addresses: ['10.0.0.9'],
    allow: ['wiki.test'],
    refusal: 'private',
  },
  {
    name: 'a named host at its port',
    url: 'https://wiki.test/',
    addresses: ['10.0.0.9'],
    allow: ['wiki.test:443'],
    refusal: null,
  },
  {
    name: 'a named host at another port',
    url: 'http://wiki.test/',
    addresses: ['10.0.0.9'],
    allow: ['wiki.test:443'],
    refusal: 'private',
  },
  {
    name: 'an allowed address under any name',
    url: 'http://a.test/',
    addresses: ['10.0.0.9'],
    allow: ['10.0.0.9'],
    refusal: null,
  },
  {
    name: 'the address next to the allowed one',
    url: 'http://a.test/',
    addresses: ['10.0.0.10'],
    allow: ['10.0.0.9'],
    refusal: 'private',
  },
  {
    name: 'an allowed address and a private one',
    url: 'http://a.test/',
    addresses: ['10.0.0.9', '10.0.0.10'],
    allow: ['10.0.0.9'],
    refusal: 'private',
  },
  {
    name: 'just below an allowed range',
    url: 'http://a.test/',
    addresses: ['10.0.255.255'],
    allow: ['10.1.0.0/16'],
    refusal: 'private',
  },
  {
    name: 'first of an allowed range',
    url: 'http://a.test/',
    addresses: ['10.1.0.0'],
    allow: ['10.1.0.0/16'],
    refusal: null,
  },
  {
    name: 'last of an allowed range',
    url: 'http://a.test/',
    addresses: ['10.1.255.255'],
    allow: ['10.1.0.0/16'],
    refusal: null,
  },
  {
    name: 'just above an allowed range',
    url: 'http://a.test/',
    addresses: ['10.2.0.0'],
    allow: ['10.1.0.0/16'],
    refusal: 'private',
  },
  {
    name: 'an allowed range in the IPv4-mapped form',
    url: 'http://a.test/',
    addresses: ['::ffff:10.1.2.3'],
    allow: ['10.1.0.0/16'],
    refusal: null,
  },
  { name: 'an allowed IPv6 range', url: 'http://a.test/', addresses: ['fd00::9'], allow: ['fd00::/8'], refusal: null },
  {
    name: 'all of IPv4 allowed, an IPv6 address',
    url: 'http://a.test/',
    addresses: ['::1'],
    allow: ['0.0.0.0/0'],
    refusal: 'loopback',
  },
  {
    name: 'metadata under a named host',
    url: 'http://wiki.test/',
    addresses: ['169.254.169.254'],
    allow: ['other.test'],
    refusal: 'cloud_metadata',
  },

  {
    name: 'our own port on loopback',
    url: 'http://a.test:3000/',
    addresses: ['127.0.0.1'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'our own port on loopback, loopback allowed',
    url: 'http://127.0.0.1:3000/',
    addresses: ['127.0.0.1'],
    allow: ['127.0.0.1'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'our own port, named',
    url: 'http://127.0.0.1:3000/',
    addresses: ['127.0.0.1'],
    allow: ['127.0.0.1:3000'],
    own: OWN,
    refusal: null,
  },
  {
    name: 'another port on allowed loopback',
    url: 'http://127.0.0.1:3001/',
    addresses: ['127.0.0.1'],
    allow: ['127.0.0.1'],
    own: OWN,
    refusal: null,
  },
  {
    name: 'our own port on our public address',
    url: 'http://a.test:3000/',
    addresses: ['93.184.216.34'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'our own port on our public IPv6 address',
    url: 'http://a.test:3000/',
    addresses: ['2606:2800::5'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'our own port on our private address, range allowed',
    url: 'http://a.test:3000/',
    addresses: ['10.0.0.5'],
    allow: ['10.0.0.0/8'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'our own port number on another machine',
    url: 'http://a.test:3000/',
    addresses: ['93.184.216.35'],
    own: OWN,
    refusal: null,
  },
  {
    name: 'a database on our public address',
    url: 'http://a.test:6379/',
    addresses: ['93.184.216.34'],
    own: OWN,
    refusal: 'own_address',
  },
  {
    name: 'a database on our public address, allowed',
    url: 'http://a.test:6379/',
    addresses: ['93.184.216.34'],
    allow: ['a.test:6379'],
    own: OWN,
    refusal: null,
  },
  {
    name: 'a web site on our public address',
    url: 'https://a.test/',
    addresses: ['93.184.216.34'],
    own: OWN,
    refusal: null,
  },
  {
    name: 'our own port, 443',
    url: 'https://a.test/',
    addresses: ['93.184.216.34'],
    own: { ...OWN, ports: [443] },
    refusal: 'own_address',
  },
]

describe('decideEgress', () => {
  test.each(CASES.map((one) => [one.name, one] as const))(
    '%s',
    (_name, { url, addresses, allow = [], own, refusal }) => {
      const decision = decideEgress(egressTarget(new URL(url)), addresses, rulesOf(allow, own))
      expect(decision.allowed ? null : decision.refusal).toBe(refusal)
      // The result lists every address, even if the first one decided.
      expect(decision.checked).toHaveLength(addresses.length)
    },
  )

  test('alternates IPv6 and IPv4, each address once', () => {
    const addresses = ['8.8.8.8', '8.8.4.4', '8.8.8.8', '2606::1', '1.1.1.1', '2606::2']
    expect(decideEgress({ host: 'a.test', port: 80 }, addresses, rulesOf([]))).toMatchObject({
      pinned: ['2606::1', '8.8.8.8', '2606::2', '8.8.4.4', '1.1.1.1'],
    })
  })

  test('pins the checked address, not its original spelling', () => {
    const decision = decideEgress({ host: 'a.test', port: 80 }, ['::ffff:8.8.8.8', '2606:0:0::1'], rulesOf([]))
    expect(decision).toMatchObject({ pinned: ['2606::1', '8.8.8.8'] })
  })
})

describe('allowListId', () => {
  const idOf = (...texts: string[]) => allowListId(texts.map((text) => parseAllowRule(text)!))

  test('is empty without rules', () => expect(idOf()).toBe(''))
  test('does not depend on the order', () =>
    expect(idOf('wiki.test', '10.0.0.0/8')).toBe(idOf('10.0.0.0/8', 'wiki.test')))
  test('is different for other rules, and begins with a space', () => {
    const lists = [
      ['wiki.test'],
      ['wiki.test:80'],
      ['wiki'],
      ['wiki.test', 'wiki'],
      ['10.0.0.1'],
      ['10.0.0.1:80'],
      ['10.0.0.0/24'],
      ['10.0.0.0/8'],
      ['fd00::1'],
    ]
    const ids = lists.map((texts) => idOf(...texts))
    expect(new Set(ids).size).toBe(lists.length)
    for (const id of ids) expect(id).toMatch(/^ [\w-]{43}$/)
  })
})

describe('parseAllowRule', () => {
  test.each([
    ['a name', 'wiki.test'],
    ['a name and a port', 'wiki.test:8080'],
    ['a single label', 'wiki'],
    ['an international name', 'bücher.test'],
    ['an address', '10.0.0.1'],
    ['an address and a port', '10.0.0.1:8080'],
    ['an IPv6 address', 'fd00::1'],
    ['an IPv6 address in brackets', '[fd00::1]'],
    ['an IPv6 address and a port', '[fd00::1]:8080'],
    ['a range', '10.0.0.0/8'],
    ['an IPv6 range', 'fd00::/8'],
    ['a single address as a range', '10.0.0.1/32'],
  ])('reads %s', (_name, text) => {
    expect(parseAllowRule(text)).not.toBeNull()
  })

  test.each([
    ['nothing', ''],
    ['a wildcard', '*.test'],
    ['a star', '*'],
    ['a URL', 'http://wiki.test/'],
    ['a path', 'wiki.test/path'],
    ['a user', 'user@wiki.test'],
    ['a query', 'wiki.test?x'],
    ['port 0', 'wiki.test:0'],
    ['a port above 65535', 'wiki.test:65536'],
    ['a port that is not a number', 'wiki.test:http'],
    ['an empty port', 'wiki.test:'],
    ['two ports', 'wiki.test:80:81'],
    ['a short range', '10/8'],
    ['a prefix too long', '10.0.0.0/33'],
    ['an IPv6 prefix too long', 'fd00::/129'],
    ['a range without prefix', '10.0.0.0/'],
    ['a name as a range', 'wiki.test/24'],
    ['an unclosed bracket', '[fd00::1'],
    ['an invalid address', '10.0.0.256'],
    ['spaces', 'wiki test'],
  ])('refuses %s', (_name, text) => expect(parseAllowRule(text)).toBeNull())
})

test('the bad ports are those of the Fetch standard', () => {
  const isBad = (port: number) =>
    refuseByName({ host: 'a.test', port }, { allow: [], own: { addresses: [], ports: [] } })
  // https://fetch.spec.whatwg.org/#port-blocking
  const tcp = `tcpmux 1, echo 7, discard 9, systat 11, daytime 13, netstat 15, qotd 17, chargen 19, ftp-data 20, ftp 21, ssh 22,
    telnet 23, smtp 25, time 37, name 42, nicname 43, domain 53, tftp 69, rje 77, finger 79, link 87, supdup 95, hostname 101,
    iso-tsap 102, gppitnp 103, acr-nema 104, pop2 109, pop3 110, sunrpc 111, auth 113, sftp 115, uucp-path 117, nntp 119, ntp 123,
    epmap 135, netbios-ns 137, netbios-ssn 139, imap 143, snmp 161, bgp 179, ldap 389, svrloc 427, submissions 465, exec 512,
    login 513, shell 514, printer 515, tempo 526, courier 530, chat 531, netnews 532, uucp 540, afp 548, rtsp 554, remotefs 556,
    nntps 563, submission 587, syslog-conn 601, ldaps 636, ftps-data 989, ftps 990, imaps 993, pop3s 995,
    h323gatestat 1719, h323hostcall 1720, pptp 1723, nfs 2049, apple-sasl 3659, npp 4045, sieve 4190, sip 5060, sips 5061,
    x11 6000, sane-port 6566, ircu 6665, ircu 6666, ircu 6667, ircu 6668, ircu 6669, osaut 6679, ircs-u 6697, amanda 10080`
  const expected = [0, ...tcp.matchAll(/(?<= )\d+(?=,|$)/g).map(Number)]
  const bad = Array.from({ length: 65_536 }, (_, port) => port).filter((port) => isBad(port) === 'bad_port')
  expect(bad).toEqual(expected)
})
