import { expect, test } from 'vitest'
import { free } from '../../src/lib/thread.ts'

test('Bytes that fill their buffer are refunded', () => {
  const bytes = Buffer.alloc(100_000, 'x')
  free(bytes)
  expect([bytes.byteLength, bytes.buffer.byteLength]).toEqual([0, 0])
})

test('Bytes that share their buffer stay with the others', () => {
  const buffer = Buffer.alloc(100_000, 'x')
  free(buffer.subarray(10, 20))
  expect(buffer.toString()).toBe('x'.repeat(100_000))
})

test('Small bytes of a pool stay', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')]
  free(one)
  expect([one.toString(), other.toString()]).toEqual(['one', 'other'])
})
