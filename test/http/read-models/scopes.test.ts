import { describe, expect, test } from 'vitest'
import { SET_NAMES } from '../../../src/domain/scope.ts'
import { READ_SETS } from '../../../src/http/read-models/sets.ts'
import { NDJSON, shareDesk } from './given.ts'

const desk = shareDesk({ config: { mirror: 'all', lookups: { customers: { tokens: ['token-of-the-pos'] } } } })

test('Each set that can be read has a scope, and each scope a set', () => {
  expect(READ_SETS.map(({ name }) => name)).toEqual(SET_NAMES)
})

test('When a key has every scope but that of a set, then the answer is 403, as a page and as a stream, and says which is missing', async () => {
  const others = SET_NAMES.filter((name) => name !== 'sales').map((name) => `read:${name}`)
  const as = await desk().keyOf(['products', 'sales', 'goods-deliveries', 'customers', ...others].join(','))
  for (const asked of [{ as }, { as, accept: NDJSON }]) {
    const { status, body, text } = await desk().get('sales', asked)
    expect([status, body.code]).toEqual([403, 'key-may-not'])
    expect(body.detail).toMatch(/lacks the scope read:sales; .*"tillbridge keys create bi --may .*read:sales/)
    expect(text).not.toContain('items')
  }
})

describe('personal data', () => {
  test.each([
    ['read:sales', 403],
    ['read:*', 403],
    ['customers', 403],
    ['read:customers,sales', 403],
    ['customers,read:sales', 200],
    ['customers,read:*', 200],
  ])('When a key may %s, then sales with personal data are answered %i', async (may, status) => {
    const read = () => desk().hub.lines.filter(({ msg }) => msg === 'mirror.personal-read').length
    const before = read()
    expect((await desk().get('sales?personal=true', { as: await desk().keyOf(may) })).status).toBe(status)
    expect(read() - before).toBe(status === 200 ? 1 : 0)
  })
})
