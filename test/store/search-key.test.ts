import { createHmac } from 'node:crypto'
import { setImmediate as breath } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedKey, hashedKeysOf } from '../../src/store/search-key.ts'

const SECRET = 'b7'.repeat(32)

test.each(['R-1', 'zoë@example.com', '', 'x'.repeat(200)])(
  'When %j is hashed, then it is as HMAC-SHA-256 has it',
  (value) => {
    const hmac = createHmac('sha256', Buffer.from(SECRET, 'hex')).update(`email\0${value}`).digest('hex')

    expect(hashedKey(SECRET, { sort: 'email', value })).toBe(hmac.slice(0, 32))
  },
)

test('When many keys of events are hashed, then others have turns meanwhile, and the keys come in their order', async () => {
  const keys = Array.from({ length: 20_000 }, (_, event) => ({ sort: 'receipt' as const, value: `R-${event}`, event }))
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await breath()
  })()

  const hashed = await hashedKeysOf(SECRET, keys)
  isOver = true
  await others

  expect(hashed.map(({ key }) => key)).toEqual(keys.map((one) => hashedKey(SECRET, one)).sort())
  expect(hashed.find(({ key }) => key === hashedKey(SECRET, { sort: 'receipt', value: 'R-7' }))?.event).toBe(7)
  expect(turns).toBeGreaterThan(3)
})
