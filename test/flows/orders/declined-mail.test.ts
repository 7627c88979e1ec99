import { expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { orderUpdate } from '../../fixtures/payloads.ts'
import { openCounter, order } from '../../http/submissions/given.ts'
import { settled } from '../days/open-store.ts'

const GTIN = '7040000010017'
async function mailsAfter(...levels: number[]) {
  await using opened = new AsyncDisposableStack()
  const mailbox = opened.use(await startMailbox())
  const shop = opened.use(
    await openCounter({
      config: { platform: { trustWebhooks: true } },
      destinations: {
        mail: { adapter: 'smtp', url: mailbox.smtpUrl, from: 'N <no-reply@shop.example>', messages: ['declined'] },
      },
    }),
  )
  const line = { gtin: GTIN, price: '100', quantity: '3', name: 'Genser' }
  await shop.submit(
    'orders',
    order('W-3', { customer: { email: 'kari@example.com', firstName: 'Kari', phone: null }, orderLines: [line] }),
  )
  await settled(shop.hub)
  for (const quantity of levels) {
    await shop.hub.post(
      'OmniChannelOrderUpdated',
      orderUpdate({
        orderNo: 'W-3',
        status: 'UnHandled',
        orderLines: [{ quantity, gtin: GTIN, rowId: '1', status: 'Declined' }],
      }),
    )
    await settled(shop.hub)
  }
  return mailbox.mails().flatMap(({ text }) => /(\d+) × Genser/.exec(text)?.[1] ?? [])
}

test('When one of three is declined and then another, then the mails tell of two missing pieces in all, not of three', async () => {
  expect(await mailsAfter(1, 2)).toEqual(['1', '1'])
})

test('When the update with fewer declined comes late, then the customer is not told of it again', async () => {
  expect(await mailsAfter(2, 1)).toEqual(['2'])
})
