import type { LookupAddress } from 'node:dns'
import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createLookup, literalFault, mayCall, type Reach, rangeOf } from '../../src/lib/http/address-guard.ts'
import { createHttpClient, type HttpClientOptions, targetOf } from '../../src/lib/http/http.ts'
import { words } from '../words.ts'
import { answer, listen } from './http-server.ts'

/** Hosts as they stand in a URL, by what may be sent to them. */
const HOSTS = {
  never: `169.254.169.254 169.254.0.0 169.254.255.255 169.254.170.2 2852039166 0xA9FEA9FE 0251.0376.0251.0376 169.254.43518 169.16689662
    0xa9.254.0251.254 169.254.169.254. [fe80::1] [FEBF:ffff::1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [0:0:0:0:0:ffff:a9fe:a9fe]
    [::169.254.169.254] [::a9fe:a9fe] [::ffff:0:169.254.169.254] [64:ff9b::169.254.169.254] [64:ff9b::a9fe:a9fe] [64:ff9b:1::169.254.169.254]
    [2002:a9fe:a9fe::] [2002:a9fe:a9fe::1] [2002:a9fe:1:2:3:4:5:6] 100.100.100.200 [::ffff:100.100.100.200] 168.63.129.16 192.0.0.192
    [fd00:ec2::254] [fd20:ce::254] 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 [ff02::1] [ff0e::1]
    [::ffff:224.0.0.1] [64:ff9b::255.255.255.255]`,
  loopback: `127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7F.1 0177.0.0.1 0177.1 017700000001 127.255.255.254 127.0.0.1. 0.0.0.0 0 0x0 0.1.2.3
    [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1]
    [64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2002:7f00:1::1] [::ffff:0.0.0.0] １２７．０．０．１ 127。0。0。1`,
  private: `10.0.0.0 10.0.0.1 10.255.255.255 167772161 0xa000001 012.0.0.1 10.1 172.16.0.1 172.31.255.255 0xAC100001 192.168.0.1 192.168.255.255
    0xC0A80001 192.168.257 100.64.0.1 100.127.255.255 192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
    [::ffff:10.0.0.1] [::ffff:a00:1] [::10.0.0.1] [::ffff:192.168.1.1] [::ffff:c0a8:101] [64:ff9b::10.0.0.1] [64:ff9b::192.168.1.1]
    [64:ff9b:1::10.0.0.1] [64:ff9b:1:2:3::1] [2002:a00:1::] [2002:c0a8:101::1] [2002:ac10:1::1] [fc00::1] [fd00::1] [fdff:ffff::1] [fec0::1]
    [100::1] [2001::1] [2001:0:a00:1::] [2001:10::1] [2001:db8::1] [3fff::1] [5f00::1] [::8.8.8.8] [::ffff:0:8.8.8.8] [1::1] [::1:0:0]`,
  public: `8.8.8.8 1.1.1.1 134744072 0x08080808 010.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    [2606:4700::1111] [2a00:1450:4001::1] [2001:4860:4860::8888] [2001:200::1] [::ffff:8.8.8.8] [::ffff:808:808] [64:ff9b::8.8.8.8]
    [2002:808:808::1] [2003::1] [3ffe::1]`,
}

const CASES = Object.entries(HOSTS).flatMap(([range, hosts]) => words(hosts).map((host) => [host, range] as const))

describe('an address', () => {
  test('has a table of at least 120 ways to write it', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(120)
  })

  test.each(CASES)('written %s is %s', (host, range) => {
    const { hostname } = new URL(`http://${host}/`)
    expect(rangeOf(hostname)).toBe(range)
    expect(literalFault(hostname) === null).toBe(range !== 'never')
    const bare = hostname.replace(/^\[|\]$/g, '')
    expect(mayCall('bus.example', bare, false)).toBe(range === 'public')
    expect(mayCall('bus.example', bare, true)).toBe(range !== 'never')
    expect(mayCall('localhost', bare, false)).toBe(range === 'public' || range === 'loopback')
  })

  test.each(['fe80::1%eth0', '[fe80::1%25eth0]'])('with a zone (%s) is that without one', (host) => {
    expect(rangeOf(host)).toBe('never')
  })

  test.each(words('bus.example localhost 127.0.0.1.example 10.0.0 ::g'))('is not what %s is', (host) => {
    expect(rangeOf(host)).toBeNull()
    expect(literalFault(host)).toBeNull()
  })

  test.each(words('localhost LOCALHOST localhost. bus.localhost'))('of loopback may be what %s leads to', (name) => {
    expect(mayCall(name, '127.0.0.1', false)).toBe(true)
  })

  test.each(words('localhost.example notlocalhost localhosts'))('of loopback may not be what %s leads to', (name) => {
    expect(mayCall(name, '127.0.0.1', false)).toBe(false)
  })
})

/** A client whose names resolve to these addresses, the next list at each question. */
function clientOf(answers: string[][], reach: Partial<HttpClientOptions> = {}) {
  return createHttpClient({ connections: 1, timeout: 5_000, resolve: resolving(answers), ...reach })
}

function resolving(answers: string[][]): NonNullable<Reach['resolve']> {
  const found = answers.map((list) =>
    list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
  return (_, __, callback) => callback(null, found.shift() ?? [])
}

const REFUSED = { type: 'unsent', fault: { code: 'ADDRESS_REFUSED' } }

describe('a call', () => {
  test.each(words(HOSTS.never))('to %s is not made', async (host) => {
    await using http = clientOf([], { allowPrivate: true })
    expect(await http.send({ method: 'POST', ...targetOf(`http://${host}:1/latest`) })).toMatchObject(REFUSED)
  })

  test.each(
    words(
      '10.0.0.1 192.168.1.1 127.0.0.1 ::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1::1 fd00::1 169.254.0.1 fe80::1%eth0',
    ),
  )('to a name of %s is not made; the error names both', async (address) => {
    await using http = clientOf([[address]])
    const result = await http.send({ method: 'POST', origin: 'http://bus.example:1', path: '/' })
    const message = expect.stringContaining(`bus.example leads to ${address}, a `)
    expect(result).toMatchObject({ ...REFUSED, fault: { message } })
  })

  test('to a name of a private address is not made; the error says how to allow it', async () => {
    await using http = clientOf([['10.0.0.1']])
    const result = await http.send({ method: 'POST', origin: 'http://bus.example:1', path: '/' })
    const message =
      'bus.example leads to 10.0.0.1, a private address; if it is meant, set allowPrivate: true for it in config'
    expect(result).toMatchObject({ fault: { message } })
  })

  test('to a name of a private address is made where that is allowed, and not to one of link-local', async () => {
    await using server = await listen((socket) => socket.end(answer(200, '', 'connection: close\r\n')))
    await using http = clientOf([['127.0.0.1'], ['169.254.169.254']], { allowPrivate: true })
    const request = { method: 'GET', origin: `http://bus.example:${server.port}`, path: '/' } as const
    expect(await http.send(request)).toMatchObject({ type: 'answered' })
    expect(await http.send(request)).toMatchObject(REFUSED)
  })

  test('to localhost, or to an address that stands in config, is made', async () => {
    await using server = await listen((socket) => socket.end(answer(200, '', 'connection: close\r\n')))
    await using http = clientOf([['127.0.0.1']])
    for (const host of ['localhost', '127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])
      expect(await http.send({ method: 'GET', ...targetOf(`http://${host}:${server.port}/`) }), host).toMatchObject({
        type: 'answered',
      })
  })

  test('uses that address of a name which may be called', async () => {
    await using server = await listen((socket) => socket.write(answer(200)))
    await using http = clientOf([['fe80::1', '127.0.0.1']], { allowPrivate: true })
    const result = await http.send({ method: 'GET', origin: `http://bus.example:${server.port}`, path: '/' })
    expect(result).toMatchObject({ type: 'answered' })
  })

  test('is not made to an address that its name is bound to later', async () => {
    await using server = await listen((socket) => socket.write(answer(200)))
    const resolve = resolving([['192.0.1.1', '127.0.0.1'], ['127.0.0.1']])
    // The first answer gives its public address alone to the socket.
    const checked = await new Promise((done) =>
      createLookup({ resolve })('bus.example', { all: true }, (_, found) => done(found)),
    )
    expect(checked).toEqual([{ address: '192.0.1.1', family: 4 }])
    await using http = clientOf([], { resolve })
    const origin = `http://bus.example:${server.port}`
    expect(await http.send({ method: 'GET', origin, path: '/' })).toMatchObject(REFUSED)
    expect(server.connections).toEqual([])
  })

  test.each(words('127.0.0.1 [::1] 10.0.0.1 localhost [::ffff:10.0.0.1] 169.254.169.254'))(
    'to %s that an answer names is held to the rules for names',
    async (host) => {
      await using http = clientOf([], { named: 'idp.example' })
      expect(await http.send({ method: 'GET', ...targetOf(`http://${host}:1/jwks`) })).toMatchObject(REFUSED)
    },
  )

  test('to the private address that config names is made, and to another of an answer where that is allowed', async () => {
    await using server = await listen((socket) => socket.write(answer(200)))
    for (const reach of [{ named: '127.0.0.1' }, { named: 'idp.example', allowPrivate: true }]) {
      await using http = clientOf([], reach)
      expect(await http.send({ method: 'GET', ...targetOf(server.origin) })).toMatchObject({ type: 'answered' })
    }
  })

  test('follows no redirect to a private address', async () => {
    await using inside = await listen((socket) => socket.write(answer(200)))
    await using outside = await listen((socket) =>
      socket.write(answer(307, '', `location: ${inside.origin}/admin\r\n`)),
    )
    await using http = clientOf([])
    const result = await http.send({ method: 'POST', ...targetOf(outside.origin) })
    expect(result).toMatchObject({ type: 'answered', answer: { status: 307 } })
    expect(inside.connections).toEqual([])
  })
})

describe('a socket', () => {
  test('connects to the address that was checked: its name is asked for once', async () => {
    await using server = await listen(() => {})
    let asked = 0
    const lookup = createLookup({
      allowPrivate: true,
      resolve: (_, __, callback) => {
        asked += 1
        callback(null, [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }])
      },
    })
    const socket = createConnection({ host: 'bus.example', port: server.port, lookup })
    await new Promise((resolve) => socket.once('connect', resolve))
    expect([socket.remoteAddress, asked]).toEqual(['127.0.0.1', 1])
    socket.destroy()
  })

  test('asks the system for a name in octal or hex, which is then refused as any name', async () => {
    const socket = createConnection({ host: '0x7f000001', port: 1, lookup: createLookup() })
    const error = await new Promise((resolve) => socket.once('error', resolve))
    expect(error).toMatchObject({ code: 'ADDRESS_REFUSED' })
  })
})
