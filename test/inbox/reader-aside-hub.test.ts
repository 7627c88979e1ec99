import { expect, test } from 'vitest'
import { sale, settlement } from '../fixtures/payloads.ts'
import { busTo, keptAs, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

function large(receiptNo: string, lines = 3_000) {
  return sale({
    receiptNo,
    orderLines: Array.from({ length: lines }, (_, n) => ({ gtin: `590${n}`, note: 'x'.repeat(80) })),
  })
}

test('when a large sale comes, then it is taken and sent on, and other webhooks are answered meanwhile', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })

  const [first, small] = await Promise.all([
    hub.post('SaleCreated', large('H-1', 15_000)),
    hub.post('SaleCreated', sale({ receiptNo: 'H-2' })),
  ])

  expect([first, small]).toMatchObject([{ status: 202 }, { status: 202 }])
  expect(keptAs(hub, first.body.id)).toMatchObject({ state: 'routed', problem: null })
  const received = await sink.until(2)
  expect(received.map(({ body }) => JSON.parse(body).receiptNo).sort()).toEqual(['H-1', 'H-2'])
})

test('when two settlements of one identity differ in the case of many names, then others are answered meanwhile', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:9') } })
  await hub.admin('destinations/bus/pause', {})
  const names = Array.from({ length: 4_500 }, (_, n) => `A field with a rather long name, number ${n}`)
  const fields = (mean: (name: string) => string) => Object.fromEntries(names.map((name) => [mean(name), 1]))

  const [first, second] = [
    await hub.post('POSSettlementCreated', { ...settlement(), ...fields((name) => name) }),
    await hub.post('POSSettlementCreated', { ...settlement(), ...fields((name) => name.toUpperCase()), more: 1 }),
  ]

  expect([first, second]).toMatchObject([{ status: 202 }, { status: 200, body: { id: 1 } }])
  expect(JSON.parse(keptAs(hub, 1).body.toString())).toHaveProperty('more')
})
