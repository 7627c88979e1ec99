import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyHasher } from '../../src/storage/search-index.ts'

const SECRET = 'b7'.repeat(32)

test.each(['R-1', 'zoë@example.com', '', 'x'.repeat(200)])(
  'When %j is hashed, then it is as HMAC-SHA-256 has it',
  (value) => {
    const hmac = createHmac('sha256', Buffer.from(SECRET, 'hex')).update(`email\0${value}`).digest('hex')

    expect(keyHasher(SECRET)({ sort: 'email', value })).toBe(hmac.slice(0, 32))
  },
)
