import { expect, test } from 'vitest'
import { createOrderPoll } from '../../src/adapters/shared/order-poll.ts'

const BEGIN = Date.UTC(2026, 10, 28, 12)
const PAGE = 50

/** As Vendure on PostgreSQL dates changes: finer than a second. */
const ORDERS = Array.from({ length: 120 }, (_, index) => ({ id: String(index), changedAt: BEGIN + index * 13 }))

test('When more orders than two pages hold change within two seconds, then a poll comes to the last of them', async () => {
  const poll = createOrderPoll<(typeof ORDERS)[number]>(
    {
      async read(after, page) {
        const left = ORDERS.filter(({ changedAt }) => changedAt >= after)
        return { orders: left.slice((page - 1) * PAGE, page * PAGE), more: left.length > page * PAGE }
      },
      changedAt: ({ changedAt }) => changedAt,
      itemsOf: ({ id }) => [{ resource: 'orders', key: id, theirId: id, place: null, value: {} }],
    },
    () => BEGIN + 60_000,
  )
  const found = new Set<string>()
  let cursor: string | null = null
  for (let page = 1; page <= 20; page += 1) {
    const answer: Awaited<ReturnType<typeof poll>> = await poll(cursor, { signal: AbortSignal.timeout(20_000) })
    for (const { key } of answer.items) found.add(key)
    cursor = answer.cursor
    if (!answer.more) break
  }
  expect(found.size).toBe(ORDERS.length)
})
