import { request } from 'undici'
import { expect } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import type { Planted } from './planted-kit.ts'
import type { Loss } from './row.ts'

const SALE = 'SaleCreated'
const RECEIPT = 'OmniChannelSendReceiptCreated'
const MOVED = 'StockMovementCreated'
const DELIVERY = 'DeliveryUpdated'

const sell = (the: Planted) => () => the.platform.actions.sell({ store: '101', pos: 1, sku: 'TEE-BLK-M' })
const sendReceipt = (the: Planted) => () => the.platform.actions.sendReceipt({ store: '101', pos: 1 })

/** The log has shown something of before, and has erased all of three hours when it is asked again. */
async function expire(the: Planted, entry: () => unknown): Promise<void> {
  entry()
  await the.quiet()
  the.clock.advance(30 * MINUTE)
  await the.run('reconcile-log')
  the.clock.advance(3 * HOUR)
  the.erase()
  entry()
  await the.quiet()
  the.clock.advance(HOUR)
}

export const OF_THE_LOG: readonly Loss[] = [
  {
    what: 'a sale that the platform could not deliver',
    ...{ source: 'log', cause: 'failed', kind: SALE },
    plant: async (the) => void (await the.lose('drop', sell(the))),
    ...{ ends: 'repaired', because: 'taken from the log' },
  },
  {
    what: 'a sale that the platform could not deliver, and is told to send again',
    ...{ source: 'log', cause: 'failed', kind: SALE },
    plant: async (the) => void (await the.lose('drop', sell(the))),
    repair: (the) => the.run('resend-failed'),
    ...{ ends: 'repaired', because: 'it has come' },
  },
  {
    what: 'a sale, while the log answers for hours that there is nothing at all',
    ...{ source: 'log', cause: 'failed', kind: SALE },
    soil: { kinds: [SALE] },
    async plant(the) {
      sell(the)()
      await the.quiet()
      the.clock.advance(HOUR)
      await the.run('reconcile-log')
      the.platform.strange.isMute = true
      await the.lose('drop', sell(the))
      for (const _ of [1, 2, 3, 4, 5, 6]) {
        the.clock.advance(30 * MINUTE)
        await the.run('reconcile-log')
      }
      expect((await the.cli('complete')).out).toContain('Unknown:')
      the.platform.strange.isMute = false
    },
    ...{ ends: 'repaired', because: 'taken from the log' },
  },
  {
    what: 'a movement of goods that somebody else has taken delivery of',
    ...{ source: 'log', cause: 'claimed', kind: MOVED },
    soil: { kinds: [MOVED] },
    plant: async (the) => void (await the.lose('foreign', () => the.platform.pos.moveStock({ store: '101' }))),
    ...{ ends: 'repaired', because: 'taken from the log' },
  },
  {
    what: 'a delivery that was pulled, and of whose change somebody else has been told',
    ...{ source: 'log', cause: 'claimed', kind: DELIVERY },
    async plant(the) {
      const { announceDelivery, receiveDelivery } = the.platform.actions
      announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 8, cost: 50 })
      await the.quiet()
      await the.lose('foreign', () => receiveDelivery({ part: true }))
      await the.run('goods-deliveries')
    },
    soil: { dialect: 'facts', kinds: [DELIVERY] },
    ...{ ends: 'repaired', because: 'taken from the log' },
  },
  {
    what: 'a receipt that somebody else was told to send, and of which the log keeps no payload for a while',
    ...{ source: 'log', cause: 'unobtainable', kind: RECEIPT },
    soil: { kinds: [RECEIPT] },
    async plant(the) {
      await the.lose('foreign', sendReceipt(the))
      the.platform.strange.keepsPayloads = false
    },
    async repair(the) {
      the.platform.strange.keepsPayloads = true
    },
    ...{ ends: 'repaired', because: 'taken from the log' },
  },
  {
    what: 'the log of sales, which has gone before it was asked',
    ...{ source: 'log', cause: 'not-looked-at', kind: SALE },
    soil: { kinds: [SALE] },
    plant: (the) => expire(the, sell(the)),
    ...{ ends: 'repaired', because: 'proven by lists' },
  },
  {
    what: 'the log of receipts to send, which no list tells of',
    ...{ source: 'log', cause: 'not-looked-at', kind: RECEIPT },
    soil: { kinds: [SALE, RECEIPT] },
    plant: (the) => expire(the, sendReceipt(the)),
    repair: (the, id) => the.explain(id),
    ends: 'explained',
  },
  {
    what: 'sales of two hours in which nobody had subscribed',
    ...{ source: 'log', cause: 'not-looked-at', kind: SALE },
    soil: { kinds: [SALE] },
    async plant(the) {
      sell(the)()
      await the.quiet()
      the.clock.advance(HOUR)
      await the.run('reconcile-log')
      const [subscription] = the.platform.subscriptions()
      await request(`${the.platform.portalUrl}/api/Webhooks/${subscription?.id}`, {
        method: 'DELETE',
        headers: { 'x-api-key': 'key-of-the-user', 'ocp-apim-subscription-key': 'key-of-the-company' },
      })
      sell(the)()
      the.clock.advance(2 * HOUR)
      // An empty list is believed the second time.
      await the.run('subscriptions')
      await the.run('subscriptions')
      await the.run('reconcile-log')
      the.clock.advance(HOUR)
    },
    // What was sold then is taken from its list after a day.
    repair: async (the) => the.clock.advance(DAY),
    ...{ ends: 'repaired', because: 'proven by lists' },
  },
  {
    what: 'days of the log of receipts to send, of which one record cannot be read for a while',
    ...{ source: 'log', cause: 'not-looked-at', kind: RECEIPT },
    soil: { kinds: [RECEIPT] },
    async plant(the) {
      sendReceipt(the)()
      await the.quiet()
      the.platform.strange.undated = the.platform.events().map(({ webhookEventId }) => webhookEventId)
      the.clock.advance(4 * DAY)
      sendReceipt(the)()
      await the.quiet()
      the.clock.advance(HOUR)
    },
    async repair(the) {
      the.platform.strange.undated = []
    },
    ...{ ends: 'repaired', because: 'the log was read' },
  },
]
