import { expect, test } from 'vitest'
import type { Exported } from '../../../src/privacy/report.ts'
import { asking } from '../../cli/run.ts'
import { sale, saleLine } from '../../fixtures/payloads.ts'
import { settled } from '../days/open-store.ts'
import { aHubThatKnowsZeb, ZEB } from './zeb.ts'

/* Who asks for what is kept of them gets what they bought, too, and nothing of others. */

const KARI = { ...sale().customer, customerId: 31, email: 'kari@example.com', firstName: 'Kari', customerExtId: '' }

test('When a person asks for what is kept of them, then they are handed what they bought and how they paid', async () => {
  await using hub = await aHubThatKnowsZeb()
  const { out } = await asking(hub)('people', 'export', ZEB.email, '--reason', 'asked')
  const { events } = JSON.parse(out) as Exported
  expect(events.find(({ kind }) => kind === 'SaleCreated')?.payload).toMatchObject({
    receiptNo: '1001',
    total: 349,
    orderLines: [{ name: saleLine().name, price: 349 }],
    paymentLines: [{ type: 'Card', amount: 349 }],
    customer: { email: ZEB.email },
  })
  expect(events.map(({ payload }) => payload === null)).toEqual(events.map(() => false))
})

test('When others stand in what is handed out, then nothing of theirs is, nor who worked in the store', async () => {
  await using hub = await aHubThatKnowsZeb()
  const zeb = { ...KARI, ...ZEB }
  const [his, hers] = [
    { buyer: zeb, what: 'a tent' },
    { buyer: KARI, what: 'a ring' },
  ]
  const own = { store: { salesPerson: 'Siri Storm', posName: 'POS 3' }, shippingAddress: KARI, big: 1 }
  const body = JSON.stringify({ ...own, sales: [his, hers] }).replace('"big":1', '"big":90071992547409931')
  await hub.post('LoyaltyBatchCreated', body, { eventId: 'L-1' })
  await settled(hub)
  const { body: exported } = await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })
  expect(exported.events.find(({ kind }) => kind === 'LoyaltyBatchCreated')?.payload).toMatchObject({
    store: { salesPerson: '(another person)', posName: 'POS 3' },
    shippingAddress: { email: '(another person)', firstName: '(another person)' },
    big: '90071992547409931',
    sales: [{ what: 'a tent', buyer: { email: ZEB.email } }, '(another person)'],
  })
  expect(JSON.stringify(exported)).not.toMatch(/kari@|siri storm|a ring/i)
})
