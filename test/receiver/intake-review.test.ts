import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { deliveriesOf, keptAs, keptIn } from '../hub.ts'
import { cancelItem, OWN_SHOP, orderItem, push } from './intake-given.ts'
import { shareCounter } from './submissions/given.ts'

const counter = shareCounter({
  destinations: {
    shop: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' } } },
    outlet: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' } } },
  },
})
const hub = () => counter().hub

function kindsOf(orderNo: string): string[] {
  return keptIn(hub())
    .filter(({ identity }) => identity === orderNo)
    .map(({ kind }) => kind)
}

const receipt = (no: number) => ({ receiptUrl: `https://shop.example/receipts/${no}` })

test('When an older state of an order comes after a newer one, then the newer one stays', async () => {
  const at = (minute: number) => ({ changedAt: `2026-11-21T10:0${minute}:00Z` })
  await push(hub(), [orderItem('R-1', receipt(1), at(1))])
  expect((await push(hub(), [orderItem('R-1', receipt(3), at(3))])).body.status).toBe('accepted')

  expect((await push(hub(), [orderItem('R-1', receipt(2), at(2))])).body).toEqual({ status: 'nothing', ids: [] })
  expect((await push(hub(), [{ ...cancelItem('R-1'), ...at(2) }])).body.status).toBe('nothing')
  // Of the same second: which came last is the best that is known.
  expect((await push(hub(), [orderItem('R-1', receipt(4), at(3))])).body.status).toBe('accepted')
  expect((await push(hub(), [orderItem('R-1', receipt(5))])).body.status).toBe('accepted')
  expect((await push(hub(), [{ ...cancelItem('R-1'), ...at(4) }])).body.status).toBe('accepted')
  expect(kindsOf('R-1').filter((kind) => kind === 'OrderChangeSubmitted')).toHaveLength(3)
})

test('When two shops give one number, then neither changes or cancels the order of the other, and a person sees it', async () => {
  await push(hub(), [orderItem('R-2')])

  const same = await push(hub(), [orderItem('R-2')], 'outlet')
  const other = await push(hub(), [orderItem('R-2', receipt(9))], 'outlet')
  const off = await push(hub(), [cancelItem('R-2')], 'outlet')

  expect(same.body.status).toBe('nothing')
  for (const { body } of [other, off]) {
    expect(body.status).toBe('quarantined')
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order R-2 was submitted by shop')
  }
  expect(kindsOf('R-2')).toEqual(['OrderSubmitted'])
})

test('When the shop deletes an order whose id is the number of another one, then that one stays, and a person sees it', async () => {
  await push(hub(), [orderItem('57', {}, { theirId: '31' })])

  const { body } = await push(hub(), [{ ...cancelItem('57'), theirId: '57' }])

  expect(body.status).toBe('quarantined')
  expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order 57 has the id 31')
  expect((await push(hub(), [{ ...cancelItem('57'), theirId: '31' }])).body.status).toBe('accepted')
})

test('When an older state of a customer comes after a newer one, then the newer one stays', async () => {
  const told = (city: string, minute: number) => ({
    ...orderItem(`customer-${minute}`),
    resource: 'customers' as const,
    changedAt: `2026-11-21T10:0${minute}:00Z`,
    value: { extId: 'C-9', email: 'late@example.com', city },
  })
  const done = (count: number) =>
    eventually(async () => {
      const rows = (await deliveriesOf(hub())).filter(
        ({ flow, entity }) => flow === 'save-customer' && entity?.endsWith('C-9'),
      )
      expect(rows.filter(({ settledAt }) => settledAt !== null)).toHaveLength(count)
      return rows
    })
  await push(hub(), [told('Voss', 3)])
  await done(1)
  await push(hub(), [told('Oslo', 2)])
  const [late, first] = await done(2)
  expect(first?.state).toBe('delivered')
  expect(late).toMatchObject({ state: 'superseded', code: 'outdated' })
})
