import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Config } from '../../src/config/config.ts'
import { seedStore } from '../../src/hub/rehearsal/seed.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { openReading } from '../../src/store/reading/open-reading.ts'
import { createFolder } from '../hub.ts'
import { createArrivals } from '../store/arrivals.ts'

test('When a rehearsal begins, then its store knows the stores that are, and the newest word on the orders that the day tells of', async () => {
  await using folder = await createFolder()
  const [live, made] = ['live', 'made'].map((name) => `file:${join(folder.path, `${name}.db`)}`)
  const { arrival } = createArrivals(systemClock)
  const order = (entity: string, identity: string, note: string) =>
    arrival({ kind: 'OrderSubmitted', origin: 'oms', entity, identity, payload: { orderNo: identity, note } })
  const store = (storeId: string) => ({
    storeId,
    number: storeId,
    name: null,
    stockId: null,
    countryCode: 'NO',
    currency: null,
    zone: null,
  })
  const hub = await openStore(live ?? '', { sameBytesWindow: 1_000 })
  await hub.saveStores([store('1'), store('2')], 1)
  await hub.saveStores([store('2')], 2)
  await hub.accept([order('order:A1', 'A1', 'first'), order('order:A2', 'A2', 'of another day')])
  await hub.accept([{ ...order('order:A1', 'A1/2', 'second') }])
  await hub[Symbol.asyncDispose]()
  const platform = { webhooks: { tokens: ['a-token-of-the-tests'] } }
  const config = await Config.parseAsync({ server: { adminToken: 'a-token-of-the-tests' }, platform })

  await using reading = await openReading(live ?? '')
  const day = new Set(['order:A1', 'sale:1'])
  const { orders } = await seedStore(made ?? '', config, reading, day, new AbortController().signal)

  await using there = await openReading(made ?? '')
  expect(orders).toBe(1)
  expect((await there.stores()).map(({ storeId }) => storeId)).toEqual(['2'])
  const events = await there.events({})
  expect(events).toMatchObject([{ kind: 'OrderSubmitted', origin: 'oms', entity: 'order:A1', identity: 'A1/2' }])
  expect(await there.deliveries({})).toEqual([])
  expect(Buffer.from((await there.event(events[0]?.id ?? 0))?.body ?? []).toString()).toContain('second')
})

test('When Ctrl-C comes while the store of a rehearsal is filled, then no further order is looked for', async () => {
  await using folder = await createFolder()
  const interrupt = new AbortController()
  const asked: unknown[] = []
  const reading = {
    stores: async () => [],
    event: async () => null,
    events: async ({ entity }: { entity?: string }) => {
      asked.push(entity)
      interrupt.abort()
      return []
    },
  }
  const day = new Set(['order:A1', 'order:A2', 'order:A3'])
  const platform = { webhooks: { tokens: ['a-token-of-the-tests'] } }
  const config = await Config.parseAsync({ server: { adminToken: 'a-token-of-the-tests' }, platform })

  const filling = seedStore(`file:${join(folder.path, 'made.db')}`, config, reading, day, interrupt.signal)

  await expect(filling).rejects.toThrow(interrupt.signal.reason)
  expect(new Set(asked)).toEqual(new Set(['order:A1']))
})
