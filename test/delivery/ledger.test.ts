import { expect, test } from 'vitest'
import { standingOf } from '../../src/delivery/ledger.ts'
import type { Link } from '../../src/domain/orders/link.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'

const REFUND = {
  kind: 'returned',
  id: 'A1/R1/row-1',
  level: parseDecimal(2),
  effects: 'order/A1/returned/R1/row-1/',
  article: null,
} as const

/** What a destination was told before; nobody skipped anything. */
function booksOf(links: readonly Link[]) {
  return {
    links: async (destination: string, kind: string, ids: readonly string[]) =>
      links.filter((link) => link.destination === destination && link.kind === kind && ids.includes(link.id)),
    effectsOf: async () => [],
  }
}

test('When a shop gives money back, then what it was told and that it paid are handed on to who takes over from it', async () => {
  const { told, paid, kept } = await standingOf({ ...REFUND, pays: true }, 'shop', booksOf([]))
  expect({ told, paid }).toEqual({ told: '0', paid: false })
  expect(kept.map(({ kind, theirId, isLevel }) => [kind, theirId, isLevel])).toEqual([
    ['paid', '2', true],
    ['returned', '2', true],
  ])
})

test('When the one before it has paid a part, then that counts, and the rest is told', async () => {
  const before = (kind: string): Link => ({ destination: 'office', kind, id: REFUND.id, theirId: '1', isLevel: true })
  const { told, paid } = await standingOf(REFUND, 'office', booksOf([before('paid'), before('returned')]))
  expect({ told, paid }).toEqual({ told: '1', paid: true })
})
