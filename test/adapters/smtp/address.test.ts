import { expect, test } from 'vitest'
import { readMailAddress, readRecipients } from '../../../src/adapters/smtp/options.ts'
import { countOwnTime } from '../../own-time.ts'

test.each([
  ['kari@example.com', '', 'kari@example.com'],
  ['  Kari N. <kari@example.com> ', 'Kari N.', 'kari@example.com'],
  ['"Nordmann, Kari" <kari@example.com>', 'Nordmann, Kari', 'kari@example.com'],
  ['<kari@example.com>', '', 'kari@example.com'],
])('When an address is written %s, then it is read', (written, name, address) => {
  expect(readMailAddress(written)).toEqual({ name, address })
})

test('When a POS has a very long text where an address belongs, then it is none, at once', () => {
  for (const text of [' '.repeat(3_000), `a${' '.repeat(3_000)}b`, `"${' '.repeat(900)}`, '<'.repeat(100_000)]) {
    const ownTime = countOwnTime()
    expect(readRecipients(text, null)).toBeNull()
    expect(ownTime()).toBeLessThan(100)
  }
})
