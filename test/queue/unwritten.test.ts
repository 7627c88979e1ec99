import { expect, test } from 'vitest'
import type { StartThread } from '../../src/lib/thread.ts'
import { receipt, sale } from '../fixtures/payloads.ts'
import { allDelivered, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { startWarmThread } from '../warm-threads.ts'
import { movement } from './kit/kit.ts'

const CONCURRENCY = 2

/** A disk that takes results only when it is told to, and everything else at once. */
function createSlowDisk() {
  const { promise: reported, resolve: write } = Promise.withResolvers<void>()
  const startThread: StartThread = (file, data, heap) => {
    const thread = startWarmThread(file, data, heap)
    return {
      ...thread,
      async run(operations, transfer) {
        if (operations.some(({ method }) => method === 'settle')) await reported
        return await thread.run(operations, transfer)
      },
    }
  }
  return { write, startThread }
}

test('When results are not on the disk yet, then no more texts are under way than the queue has slots for both: so many at most go twice after a kill', async () => {
  await using sink = await startSink()
  const texts = {
    adapter: 'sms-http',
    url: sink.url,
    body: { to: '{{to}}', text: '{{text}}' },
    queue: { concurrency: CONCURRENCY },
  }
  const { write, startThread } = createSlowDisk()
  await using hub = await startTestHub({ destinations: { texts }, startThread })
  for (let no = 1; no <= 10; no += 1)
    await hub.post(
      'OmniChannelSendReceiptCreated',
      receipt({ channel: 'Sms', recipient: '+4791234567', sendReceipt: sale({ receiptNo: `${no}` }) }),
    )
  await sink.until(CONCURRENCY)
  // The hub has had time for many more: it took these, one after the other.
  for (let no = 1; no <= 10; no += 1)
    expect(await hub.post('StockMovementCreated', movement(no, 'TEE'))).toMatchObject({ status: 202 })
  expect(sink.received).toHaveLength(CONCURRENCY)

  write()
  await sink.until(10)
  await allDelivered(hub, 10)
  expect(sink.received).toHaveLength(10)
})
