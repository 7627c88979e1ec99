import { expect, test } from 'vitest'
import { sale } from '../fixtures/payloads.ts'
import { busTo, keptAs, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { largeSale } from './inbox-of.ts'

test('when a large sale comes, then it is taken and sent on, and other webhooks are answered meanwhile', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })

  const [first, small] = await Promise.all([
    hub.post('SaleCreated', largeSale('H-1', 15_000)),
    hub.post('SaleCreated', sale({ receiptNo: 'H-2' })),
  ])

  expect([first, small]).toMatchObject([{ status: 202 }, { status: 202 }])
  expect(keptAs(hub, first.body.id)).toMatchObject({ state: 'routed', problem: null })
  const received = await sink.until(2)
  expect(received.map(({ body }) => JSON.parse(body).receiptNo).sort()).toEqual(['H-1', 'H-2'])
})
