import { expect, test } from 'vitest'
import { delivered, describe } from '../../src/delivery/calling/call.ts'
import type { Effect } from '../../src/ports/attempt.ts'
import type { Call } from '../../src/ports/ports.ts'

const link = { kind: 'order', id: 'A1', theirId: '99' }

test('When an adapter gives ids and a note, then both are kept, under the name of the destination', () => {
  expect(delivered({ links: [link], note: '201 Created' }, 'shop')).toEqual({
    type: 'delivered',
    links: [{ destination: 'shop', ...link }],
    note: '201 Created',
  })
})

test('When an adapter says nothing, then it is delivered, and nothing is noted', () => {
  expect(delivered({}, 'shop')).toEqual({ type: 'delivered', links: [], note: null })
})

test.each([
  ['note', { note: 404 }],
  ['kind', { links: [{ ...link, kind: null }] }],
  ['id', { links: [{ ...link, id: 1 }] }],
  ['theirId', { links: [{ ...link, theirId: undefined }] }],
])('When an adapter gives a %s that is no text, then that is refused, with what it gave', (_, effect) => {
  expect(() => delivered(effect as unknown as Effect, 'shop')).toThrow(/the adapter gave \w+ where .* must be text/)
})

function published(body: Uint8Array): Call {
  return { port: 'publish', method: 'publish', argument: { kind: 'SaleCreated', body, receivedAt: 5 } }
}

test('When a dry run tells what it would send, then bodies stand there as text', () => {
  expect(describe(published(Buffer.from('{"café":1}')))).toBe(
    'publish.publish {"kind":"SaleCreated","body":"{\\"café\\":1}","receivedAt":5}',
  )
})

test('When a body is no text, then its size is told; and what is long is cut', () => {
  expect(describe(published(new Uint8Array([0xff, 0xfe, 0xff])))).toContain('"body":"3 bytes"')
  expect(describe(published(Buffer.from('x'.repeat(5_000))))).toHaveLength(2_000)
})
