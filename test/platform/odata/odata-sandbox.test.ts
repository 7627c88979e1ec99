import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { multiplyMoney, sumDecimals, sumMoney } from '../../../src/domain/values/money.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'

/* The client and the sandbox were written apart, both from the spec: they check each other. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

async function all<T>(windows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const window of windows) found.push(window)
  return found
}

test.each(['spec', 'frontsystems-v2'] as const)(
  'When tills sold on three days far apart and were settled, then what is read by %s adds up to what they took',
  async (preset) => {
    let now = 0
    await using sandbox = await startPlatform({ ...KEYS, now: () => now })
    await using platform = createPlatform({ preset, baseUrl: sandbox.url, ...KEYS })
    // The 29th of February; the night clocks go forward (in Oslo it is already the 26th); the last day of a window.
    const instants = ['2028-02-29T12:00:00Z', '2028-03-25T23:30:00Z', '2028-04-02T08:00:00Z']
    const receipts = instants.map((instant) => {
      now = Date.parse(instant)
      return sandbox.till.sell({ store: '101' })
    })
    sandbox.closeDay('101')

    const windows = await all(platform.salesLines.list({ from: '2028-01-01', to: '2028-04-30', store: '42' }))
    expect(windows.map(({ suspect }) => suspect)).toEqual([true, false, false, true])
    const lines = windows.flatMap(({ rows }) => rows)
    expect(lines).toHaveLength(receipts.flatMap((receipt) => receipt.lines).length)
    expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(lines.length)
    expect([...new Set(lines.map(({ soldAt }) => soldAt.slice(0, 10)))]).toEqual([
      '2028-02-29',
      '2028-03-26',
      '2028-04-02',
    ])
    expect(JSON.stringify(lines)).not.toMatch(/FirstName|Email|Employee|CUSTOMERID/)

    const settlements = (await platform.settlements.list({ day: '2028-04-02' })).rows
    const revenue = sumMoney(
      lines.map((line) => multiplyMoney({ amount: line.unitPrice, currency: 'NOK' }, line.quantity)),
      'NOK',
    )
    const paid = sumMoney(
      settlements.flatMap(({ payments }) => payments?.map(({ amount }) => amount) ?? []),
      'NOK',
    )
    expect(paid).toEqual(revenue)

    const movements = await all(
      platform.stockMovements.list({ from: '2028-02-01', to: '2028-04-30', stock: '12', select: ['MoveType'] }),
    )
    const moved = movements.flatMap(({ rows }) => rows)
    expect(sumDecimals(moved.map(({ quantity }) => quantity))).toBe(
      `-${sumDecimals(lines.map(({ quantity }) => quantity))}`,
    )
    expect(moved[0]?.record).toHaveProperty('MoveType', 1)

    const before = await platform.stockStatus.list({ at: '2028-02-01 00:00:00' })
    const after = await platform.stockStatus.list({ stockId: '12' })
    const [gtin] = moved.map((movement) => movement.gtin)
    const levelIn = ({ rows }: typeof before) =>
      sumDecimals(rows.filter((row) => row.stockId === '12' && row.gtin === gtin).map(({ quantity }) => quantity))
    const difference = moved.filter((movement) => movement.gtin === gtin).map(({ quantity }) => quantity)
    expect(levelIn(after)).toBe(sumDecimals([levelIn(before), ...difference]))
  },
)
