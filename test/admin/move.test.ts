import { expect, test } from 'vitest'
import { asking } from '../cli/run.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

const texts = { adapter: 'sms-http', url: 'http://127.0.0.1:1/', body: '{"to": "{{to}}", "text": "{{text}}"}' }

test('When a destination cannot execute what is moved to it, then that stays where it is, and is named', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/'), texts } })
  await enqueuing(hub, 'bus')
  const run = asking(hub)
  const dry = await run('deliveries', 'move', '--from', 'bus', '--to', 'texts', '--dry-run')
  expect(dry.out).toMatch(/^move would touch 0 deliveries\. Nothing was changed\.$/m)
  expect(dry.out).toMatch(/^texts cannot execute publish: 3 deliveries stay with bus\.$/m)
  const done = await run('deliveries', 'move', '--from', 'bus', '--to', 'texts', '--reason', 'renamed')
  expect(done.out).toMatch(/^texts cannot execute publish: 3 deliveries stay with bus\.$/m)
  expect((await deliveriesOf(hub)).map(({ destination, state }) => [destination, state])).toEqual(
    Array(3).fill(['bus', 'waiting']),
  )
  expect([dry.code, done.code]).toEqual([2, 2])
})

test('When the other destination is owed the same of its own, then that stays, and a person is told why, and what ends it', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/'), other: busTo(sink.url) } })
  await enqueuing(hub, 'bus')
  const run = asking(hub)
  const done = await run('deliveries', 'move', '--from', 'bus', '--to', 'other', '--reason', 'renamed')
  expect([done.code, done.out]).toEqual([
    1,
    expect.stringMatching(
      /^other has the same of its own already: 3 deliveries stay with bus\. To do: tillbridge deliveries list --destination bus /m,
    ),
  ])
  await run('deliveries', 'skip', '--destination', 'bus', '--reason', 'other has it')
  expect((await deliveriesOf(hub)).filter(({ state }) => state === 'skipped')).toHaveLength(3)
})

test('When only a kind or a flow is moved, then the others stay', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({
    destinations: { bus: busTo('http://127.0.0.1:1/'), other: busTo(sink.url, { publish: ['InvoiceCreated'] }) },
  })
  await enqueuing(hub, 'bus')
  const run = asking(hub)

  const none = await run('deliveries', 'move', '--from', 'bus', '--to', 'other', '--flow', 'email-receipt', '--dry-run')
  expect(none.out).toMatch(/^move would touch 0 deliveries\./m)
  const sales = [
    'deliveries',
    'move',
    '--from',
    'bus',
    '--to',
    'other',
    '--kind',
    'SaleCreated',
    '--reason',
    'only these',
  ]
  expect((await run(...sales, '--dry-run')).out).toMatch(/^move would touch 1 delivery\./m)
  expect(await run(...sales)).toMatchObject({ code: 0, out: expect.stringMatching(/^move: 1 of 1 delivery \(/m) })
  await sink.until(1)
  expect((await deliveriesOf(hub)).filter(({ destination }) => destination === 'bus')).toHaveLength(2)
  const { out } = await run('audit', 'list', '--action', 'move')
  expect(out).toContain('{"from":"bus","to":"other","kind":"SaleCreated"}')
})

test('When from is a slip, or the same as to, then it is refused', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  {
    await using hub = await startTestHub({ folder: folder.path, destinations: { old: busTo('http://127.0.0.1:1/') } })
    await enqueuing(hub, 'old')
  }
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })
  const run = asking(hub)
  const wrong = async (from: string) => {
    const { code, err } = await run('deliveries', 'move', '--from', from, '--to', 'bus', '--dry-run')
    return [code, err]
  }
  expect(await wrong('nope')).toEqual([
    2,
    expect.stringMatching(/^from: config has no destination "nope", and nothing is owed/),
  ])
  expect(await wrong('bus')).toEqual([2, expect.stringMatching(/^from: it is the same as to/)])
  expect(await run('deliveries', 'move', '--from', 'old', '--to', 'bus')).toMatchObject({ code: 0 })
  await allDelivered(hub, 3)
  // All has been moved: config does not name it, and nothing is owed to it any more.
  expect(await wrong('old')).toEqual([2, expect.stringMatching(/nothing is owed/)])
})

/** Three deliveries that wait for a destination: two movements and a sale. */
async function enqueuing(hub: TestHub, name: string): Promise<void> {
  await hub.admin(`destinations/${name}/pause`, {})
  for (const movementId of [1, 2]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
  await hub.post('SaleCreated', sale())
}
