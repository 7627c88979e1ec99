import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { createHttpClient, isLinkLocal, targetOf } from '../../src/lib/http/http.ts'
import { words } from '../words.ts'
import { answer, listen } from './http-server.ts'

const LINK_LOCAL = words(`
  169.254.169.254 2852039166 0xA9FEA9FE 0251.0376.0251.0376 169.254.43518 [fe80::1] [FEBF:ffff::1]
  [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::169.254.169.254] [64:ff9b::169.254.169.254]
`)

/** A client whose names resolve to these addresses, the next list at each question. */
function clientOf(...answers: string[][]) {
  const found = answers.map((list) =>
    list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
  return createHttpClient({
    connections: 1,
    timeout: 5_000,
    resolve: (_, __, callback) => callback(null, found.shift() ?? []),
  })
}

describe('link-local addresses', () => {
  test.each(LINK_LOCAL)('When the URL has %s, then nothing is sent', async (host) => {
    await using http = clientOf()
    const result = await http.send({ method: 'POST', ...targetOf(`http://${host}:1/latest`) })
    expect(result).toMatchObject({
      type: 'unsent',
      fault: { code: 'LINK_LOCAL', message: expect.stringMatching(/link-local/) },
    })
  })

  for (const address of ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.1.1'] as const)
    test(`When a name resolves to ${address}, then nothing is sent`, async () => {
      await using http = clientOf([address])
      const result = await http.send({ method: 'POST', origin: 'http://bus.example:1', path: '/' })
      expect(result).toMatchObject({
        type: 'unsent',
        fault: { code: 'LINK_LOCAL', message: expect.stringMatching(/bus\.example/) },
      })
    })

  test('When a name has a usable address as well, then that one is used', async () => {
    await using server = await listen((socket) => socket.write(answer(200)))
    await using http = clientOf(['fe80::1', '127.0.0.1'])
    const result = await http.send({ method: 'GET', origin: `http://bus.example:${server.port}`, path: '/' })
    expect(result).toMatchObject({ type: 'answered' })
  })

  test('When a name is rebound to a link-local address later, then the next connection is refused', async () => {
    await using server = await listen((socket) => socket.end(answer(200, '', 'connection: close\r\n')))
    await using http = clientOf(['127.0.0.1'], ['169.254.169.254'])
    const request = { method: 'GET', origin: `http://bus.example:${server.port}`, path: '/' } as const
    expect(await http.send(request)).toMatchObject({ type: 'answered' })
    expect(await http.send(request)).toMatchObject({ type: 'unsent', fault: { code: 'LINK_LOCAL' } })
  })

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.253.1.1',
    '[::1]',
    '[fd00::1]',
    '[fec0::1]',
    'bus.example',
    '',
  ])('%s is none', (host) => {
    expect(isLinkLocal(host)).toBe(false)
  })
})
