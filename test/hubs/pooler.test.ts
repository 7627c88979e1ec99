import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { busTo, type Given, startTestHub } from '../hub.ts'
import { saleNo } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'
import { NO_POOLER, startOwnPooler } from '../storage/postgres/own-pooler.ts'
import { temporarySchema } from '../storage/postgres/schema.ts'

test.skipIf(NO_POOLER !== null)(
  `When hubs reach their server through a pooler in transaction mode, then they make the schema once, and each event goes out once, whichever took it (${NO_POOLER ?? 'PgBouncer'})`,
  async () => {
    await using schema = await temporarySchema()
    await using pooler = await startOwnPooler()
    await using sink = await startSink()
    const given: Given = {
      destinations: { bus: busTo(sink.url) },
      config: { store: { url: pooler.through(schema.url) } },
    }
    const hubs = await Promise.all([startTestHub(given), startTestHub(given)])
    await using _ = hubs[0]
    await using __ = hubs[1]
    const numbers = Array.from({ length: 40 }, (_, nth) => nth + 1)
    const taken = await Promise.all(numbers.flatMap((no) => hubs.map((hub) => hub.post('SaleCreated', saleNo(no)))))
    expect(taken.map(({ status }) => status).sort()).toEqual([...Array(40).fill(200), ...Array(40).fill(202)])
    await sink.until(40)
    await eventually(async () => expect(await hubs[1].hub.storage.deliveries({ state: 'delivered' })).toHaveLength(40))
    expect(sink.received).toHaveLength(40)
    expect(
      (await hubs[0].admin<{ items: { state: string }[] }>('health')).body.items.map(({ state }) => state),
    ).not.toContain('problem')
  },
)
