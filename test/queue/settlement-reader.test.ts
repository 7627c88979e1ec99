import { expect, test } from 'vitest'
import type { RetryLaterError } from '../../src/domain/values/errors.ts'
import type { Unreadable } from '../../src/platform/http/read.ts'
import type { Settlement } from '../../src/platform/resources/sales.ts'
import { createSettlementReader } from '../../src/queue/order-reader.ts'

const { signal } = new AbortController()
const found = (settlementId: string) => ({ settlementId }) as Settlement
const rejected = (why: string): Unreadable => ({ row: 1, why, record: {} })

/** A platform that lists these settlements on each day. */
function reading(days: Record<string, { rows: Settlement[]; rejected?: Unreadable[] }>) {
  const asked: unknown[] = []
  const list = async ({ day }: { day: string }, given?: AbortSignal) => {
    asked.push([day, given === signal])
    return { rows: [], rejected: [], ...days[day] }
  }
  const read = createSettlementReader({ settlements: { list } })
  const ends = read({ settlementId: 'S7', days: ['2026-11-20', '2026-11-19'] }, signal).then(
    (settlement) => settlement,
    ({ code, message }: RetryLaterError) => `${code}: ${message}`,
  )
  return { asked, ends }
}

test('When the platform lists the settlement on a later day only, then that one is read, whole', async () => {
  const mine = found('S7')
  const { asked, ends } = reading({
    '2026-11-20': { rows: [found('S6')] },
    '2026-11-19': { rows: [found('S8'), mine] },
  })
  expect(await ends).toBe(mine)
  expect(asked).toEqual([
    ['2026-11-20', true],
    ['2026-11-19', true],
  ])
})

test('When it is found, then no other day is asked for, whatever could not be read', async () => {
  const { asked, ends } = reading({ '2026-11-20': { rows: [found('S7')], rejected: [rejected('has no id')] } })
  expect(await ends).toMatchObject({ settlementId: 'S7' })
  expect(asked).toHaveLength(1)
})

test('When it is not listed, then it is asked for later; where rows cannot be read, the first of these says why', async () => {
  expect(await reading({}).ends).toBe('not-listed: the platform does not list settlement S7 yet')
  const days = {
    '2026-11-20': { rows: [], rejected: [rejected('has no id')] },
    '2026-11-19': { rows: [], rejected: [rejected('has no day')] },
  }
  expect(await reading(days).ends).toBe(
    'not-readable: settlement S7 is not among those that can be read: 1 row cannot be read (row 1 has no id)',
  )
})

test('When the platform may not be asked, then nobody knows it', async () => {
  expect(await createSettlementReader(null)({ settlementId: 'S7', days: ['2026-11-20'] }, signal)).toBe(null)
})
