import { startMailbox } from '../../sandbox/mailbox/mailbox.ts'
import { flows } from '../../src/flows/index.ts'
import { createTestClock } from '../clock.ts'
import { openTestStore } from '../empty-store.ts'
import { receipt, sale } from '../fixtures/payloads.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { flowOf, HOUR, middle, SECOND, through } from '../queue/kit/kit.ts'
import { createShop } from '../queue/kit/shop.ts'

/** So long nobody touches what was on the wire. */
export const LEASE = 40 * SECOND

const refund = flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })

/**
 * A hub that was killed, and is started again: it had begun a refund that must happen once (delivery 1), and to mail a receipt
 * (delivery 2), and knows of neither how it ended.
 */
export async function startKilled(recipient: string) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const mailbox = opened.use(await startMailbox())
  const clock = createTestClock()
  const given = {
    destinations: {
      bank: through(createShop().port),
      mail: { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Shop <no-reply@example.com>' },
    },
    flows: [...flows, refund],
    folder: folder.path,
    clock,
    random: middle,
  }
  const queues = ['bank', 'mail'].map((destination) => ({ destination, urgency: 'prompt' as const }))
  {
    await using hub = await startTestHub(given)
    for (const { destination } of queues) await hub.admin(`destinations/${destination}/pause`, {})
    await hub.post('SaleCreated', sale())
    await hub.post('OmniChannelSendReceiptCreated', receipt({ recipient }))
  }
  {
    // A process that gets as far as the intent, and no further.
    const options = { sameBytesWindow: HOUR, clock: clock.now, onOpening: () => {} }
    await using storage = await openTestStore(`${folder.path}/tillbridge.db`, options)
    const room = { calls: 10, yielding: 10, bytes: 1_000_000, batch: { items: 10, bytes: 1_000_000, linger: 0 } }
    for (const queue of queues) {
      await storage.resume(queue)
      await storage.claim(queue, room, LEASE)
    }
  }
  const hub = opened.use(await startTestHub(given))
  const all = opened.move()
  return { hub, mailbox, clock, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
