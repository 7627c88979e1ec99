import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryKey, keyPart, payloadOf, payloadOrNull } from '../../../src/domain/queue/event.ts'

const sale = {
  kind: 'SaleCreated',
  identity: '101/3/1001/2026-11-20',
  revision: 0,
  transportKey: null,
  bodyHash: '0123456789abcdef0123456789abcdef',
  receivedAt: 1_795_183_200_000,
}
const anyText = fc.string({ unit: 'binary' })

describe('the key of a delivery', () => {
  test.each([
    ['a fact that happens once', {}, '', 'SaleCreated:101/3/1001/2026-11-20:publish'],
    ['a part', {}, 'shipment 2', 'SaleCreated:101/3/1001/2026-11-20:publish:shipment%202'],
    ['a revision', { revision: 3 }, '', 'SaleCreated:101/3/1001/2026-11-20:3:publish'],
    ['no identity', { identity: null, transportKey: 'a:b' }, '', 'SaleCreated:~a%3Ab:publish'],
    ['nothing but bytes', { identity: null }, '', `SaleCreated:~${sale.bodyHash}-${sale.receivedAt}:publish`],
  ])('When an event has %s, then its key says so, and never says another', (_, given, part, key) => {
    expect(deliveryKey({ ...sale, ...given }, 'publish', part)).toBe(key)
  })

  test('When its step brings about a fact that others may call for, then the fact is its name', () => {
    expect(deliveryKey(sale, 'receipt', '2', 'receipt:101')).toBe('receipt:101:receipt')
  })

  test('When an event is taken again, elsewhere or later, then its key is the same', () => {
    const replayed = { ...sale, transportKey: 'other', bodyHash: 'other', receivedAt: 1 }
    expect(deliveryKey(replayed, 'publish', '')).toBe(deliveryKey(sale, 'publish', ''))
  })

  test('When kind, key and part are any text at all, then the key travels in a header or a URL as it is', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (kind, transportKey, part) => {
        const key = deliveryKey({ ...sale, kind, transportKey, identity: null }, 'publish', part)
        return /^[A-Za-z0-9_~\-/%:]*$/.test(key)
      }),
    )
  })

  test('When two deliveries differ in kind, transport key or part, then so do their keys', () => {
    const given = fc.tuple(fc.string(), fc.string({ minLength: 1 }), fc.string())
    const keyOf = ([kind, transportKey, part]: [string, string, string]) =>
      deliveryKey({ ...sale, kind, transportKey, identity: null }, 'publish', part)
    fc.assert(
      fc.property(given, given, (a, b) => (keyOf(a) === keyOf(b)) === (JSON.stringify(a) === JSON.stringify(b))),
    )
  })
})

describe('text as a part of a key', () => {
  test.each([
    ['plain-text_1~', 'plain-text_1~'],
    ['', ''],
    ['a/b:c', 'a%2Fb%3Ac'],
    ["it's (1.0)!*", 'it%27s%20%281%2E0%29%21%2A'],
    ['æ', '%C3%A6'],
    ['\ud800', '%EF%BF%BD'],
  ])('When it is %j, then it becomes %j', (text, part) => {
    expect(keyPart(text)).toBe(part)
  })

  test('When it is any well-formed text, then it can be read back', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => decodeURIComponent(keyPart(text)) === text))
  })
})

describe('the payload of an event', () => {
  test('When its body is JSON, then that is it, wherever the bytes lie', () => {
    const large = Buffer.from('xx{"name":"Åse"}yy')
    expect(payloadOf({ body: large.subarray(2, -2) })).toEqual({ name: 'Åse' })
    expect(payloadOf({ body: new Uint8Array(large.subarray(2, -2)) })).toEqual({ name: 'Åse' })
  })

  test('When it begins with a byte order mark, then it is read all the same', () => {
    expect(payloadOf({ body: Buffer.from('\uFEFF{"a":1}') })).toEqual({ a: 1 })
  })

  test('When it is not JSON, then that is said', () => {
    expect(() => payloadOf({ body: Buffer.from('nothing') })).toThrow(SyntaxError)
  })

  test('When it may be missing or broken, then there is none', () => {
    expect(payloadOrNull(Buffer.from('{"a":1}'))).toEqual({ a: 1 })
    expect(payloadOrNull(Buffer.from('nothing'))).toBeNull()
    expect(payloadOrNull(null)).toBeNull()
  })
})
