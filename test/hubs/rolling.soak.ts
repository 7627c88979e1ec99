import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { busTo, createFolder } from '../hub.ts'
import { type HubProcess, startHubProcess } from '../kill/hub-process.ts'
import { tell } from '../kill/tell.ts'
import { startSink } from '../sink.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'
import { startLoad } from './load.ts'

const RATE = 200

test.skipIf(SERVER === undefined)(
  `When two hubs are restarted one after the other under 200 events/s, then each webhook is taken, or its connection refused (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using folder = await createFolder()
    await using schema = await temporarySchema()
    await using sink = await startSink()
    const start = (name: string, port?: number) =>
      startHubProcess({
        folder: folder.path,
        name,
        store: schema.url,
        destinations: { bus: busTo(sink.url) },
        ...(port && { port }),
      })
    await using hubs = new AsyncDisposableStack()
    const pair: HubProcess[] = await Promise.all([start('one'), start('two')])
    for (const hub of pair) hubs.use(hub)
    await using load = startLoad(
      pair.map(({ url }) => url),
      RATE,
    )
    await eventually(() => load.taken.size > RATE)

    for (const [index, name] of ['one', 'two'].entries()) {
      const before = pair[index]
      if (!before) throw new Error('There are two.')
      expect(await before.stop('SIGTERM')).toBe(0)
      const from = load.taken.size
      await eventually(() => load.taken.size > from + RATE / 2)
      pair[index] = hubs.use(await start(name, Number(new URL(before.url).port)))
      const back = load.taken.size
      await eventually(() => load.taken.size > back + RATE)
    }
    await load[Symbol.asyncDispose]()
    await pair[0]?.untilIdle()

    const delivered = new Set(sink.received.map(({ body }) => JSON.parse(body).movementId as number))
    tell({ taken: load.taken.size, refusedConnections: load.refused(), perSecond: load.perSecond() })
    expect(load.others).toEqual([])
    expect([...load.taken].filter((n) => !delivered.has(n))).toEqual([])
    expect(load.perSecond()).toBeGreaterThan(RATE * 0.9)
  },
)
