import { describe, expect, test } from 'vitest'
import type { DeliveryRow } from '../../../src/storage/rows.ts'
import { createTestClock } from '../../clock.ts'
import { DIALECT } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { deliveriesOf } from '../../hub.ts'
import { inFlight, type OpenStore, openStorage, waiting } from './open-store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('an endless aisle order', () => {
  test('When the platform sends it twice, late, or again from its log, then the shop has it once', async () => {
    await using storage = await openStorage()
    const { pos, faults } = storage.platform
    faults.set({ delayMs: 50 })
    faults.next('duplicate', 'delay', 'drop')
    pos.endlessAisle()
    pos.endlessAisle()
    pos.endlessAisle()
    await storage.quiet()
    expect(storage.shop.orders()).toHaveLength(2)

    await recoverLost(storage)
    await storage.quiet()
    const taken = storage.platform.posLog().map(({ txRef }) => txRef)
    expect(
      storage.shop
        .orders()
        .map(({ transactionId }) => transactionId)
        .sort(),
    ).toEqual(taken.sort())
    expect(storage.platform.failed()).toBe(0)
  })

  test('When a line is unknown to the shop, then the paid order is there all the same, and says which line', async () => {
    await using storage = await openStorage()
    storage.platform.pos.endlessAisle({ lines: [{ sku: 'BEANIE-RED' }], unknownLine: true })
    await storage.quiet()
    const [entry] = storage.platform.posLog()
    expect(storage.shop.orders()).toMatchObject([{ total: entry?.onlineTotal, lines: [{}, {}] }])
    expect(JSON.stringify(storage.shop.orders()[0]?.notes)).toContain('SAMPLE-ONE')
  })

  test('When the shop is down for a night, then nothing is dead, and in the morning every order is there once', async () => {
    const clock = createTestClock()
    await using storage = await openStorage({ clock })
    await storage.shop.faults.down(true)
    for (let order = 0; order < 5; order++) storage.platform.pos.endlessAisle()
    await storage.platform.settled()
    for (let hour = 0; hour < 9; hour++) {
      await eventually(async () => (await deliveriesOf(storage.hub)).every(isWaiting))
      clock.advance(HOUR)
    }
    expect(await deliveriesOf(storage.hub)).toHaveLength(5)
    expect((await deliveriesOf(storage.hub)).filter(({ state }) => state === 'dead')).toEqual([])
    expect(storage.shop.orders()).toEqual([])

    await storage.shop.faults.down(false)
    await eventually(async () => {
      if ((await inFlight(storage.hub)) === 0) clock.advance(MINUTE)
      return (await waiting(storage.hub)) === 0
    })
    const sold = storage.platform.posLog().map(({ txRef }) => txRef)
    expect(
      storage.shop
        .orders()
        .map(({ transactionId }) => transactionId)
        .sort(),
    ).toEqual(sold.sort())
  })
})

describe('a digital receipt', () => {
  test('When webhooks come twice, late, or are lost and recovered, then each receipt is sent once', async () => {
    await using storage = await openStorage()
    storage.platform.faults.set({ duplicate: 0.4, delay: 0.2, drop: 0.3, delayMs: 20 })
    for (let customer = 0; customer < 12; customer++)
      storage.platform.pos.sendReceipt({ channel: customer % 2 === 0 ? 'Email' : 'SMS' })
    await storage.quiet()
    storage.platform.faults.set({})
    await recoverLost(storage)
    await storage.quiet()
    expect(storage.mailbox.mails()).toHaveLength(6)
    expect(storage.texts.texts()).toHaveLength(6)
    expect(new Set(storage.mailbox.mails().map(({ messageId }) => messageId)).size).toBe(6)
  })

  test('When the mail server refuses one recipient for good, then that one is a dead letter without the address, and the others get theirs', async () => {
    await using storage = await openStorage()
    storage.mailbox.refuse('kari.nordmann@example.com', 'for-good')
    for (let customer = 0; customer < 12; customer++) storage.platform.pos.sendReceipt({ channel: 'Email' })
    await storage.platform.settled()
    await eventually(async () => (await waiting(storage.hub)) === 0)
    const sent = storage.platform.posLog().filter(({ what }) => what === 'receipt-email')
    const refused = sent.filter(({ recipient }) => recipient === 'kari.nordmann@example.com')
    expect(refused.length).toBeGreaterThan(0)
    expect(storage.mailbox.mails()).toHaveLength(sent.length - refused.length)
    const dead = (await deliveriesOf(storage.hub)).filter(({ state }) => state === 'dead')
    expect(dead).toHaveLength(refused.length)
    expect(JSON.stringify([dead, storage.hub.lines])).not.toContain('kari.nordmann')
  })

  test('When neither the channel nor the recipient says how a receipt is to go, then a person is asked', async () => {
    await using storage = await openStorage()
    const answer = await storage.hub.post('OmniChannelSendReceiptCreated', {
      sendReceipt: { receiptNo: '1', createdDateTime: '2026-11-20T10:00:00', store: { storeExtId: '101', posId: 3 } },
      channel: 'Pigeon',
      recipient: 'the old tower',
    })
    expect(answer.status).toBe(202)
    await eventually(async () =>
      expect(await deliveriesOf(storage.hub)).toMatchObject([{ flow: 'email-receipt', state: 'held' }]),
    )
  })
})

function isWaiting({ state }: DeliveryRow): boolean {
  return state === 'waiting'
}

/** What was lost comes again: the hub asks for it; where nobody shows how, the platform's own staff sends it. */
async function recoverLost({ hub, platform }: OpenStore): Promise<void> {
  await hub.admin('jobs/resend-failed/run', {})
  if (DIALECT === 'spec') await platform.sendFailedAgain()
}
