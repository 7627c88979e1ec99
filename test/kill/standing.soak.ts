import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import type { Note } from '../../src/delivery/standing/note.ts'
import type { DeliveryRow } from '../../src/store/screens.ts'
import { movement } from '../delivery/kit/kit.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { SERVER, temporarySchema } from '../store/postgres/schema.ts'
import { type HubProcess, startHubProcess } from './hub-process.ts'

const ADAPTER = fileURLToPath(new URL('./standing-adapter.ts', import.meta.url))
const ENTRY = fileURLToPath(new URL('./hub-that-stands.ts', import.meta.url))

/** How long a loaded machine may take to start a program, or to see one stand still (milliseconds). */
const LONG = 40_000

describe.each(['file', ...(SERVER ? ['server'] : [])])('in a hub whose store is a %s', (kind) => {
  test('When a payload stands the loop and the process is killed, then it is held by name after the restart, and the others arrive in order', async () => {
    await using place = await createPlace(kind, '2s')
    {
      await using hub = await place.start(1)
      await hub.post('StockMovementCreated', movement(1, 'wait'))
      await hub.post('StockMovementCreated', movement(2, 'poison'))
      for (const [index, article] of ['a', 'poison', 'b', 'a'].entries())
        await hub.post('StockMovementCreated', movement(3 + index, article))
      await place.go()
      const note = await eventually(place.note, LONG)
      expect(note).toEqual({ certain: [{ delivery: 2, ms: expect.any(Number) }], suspects: [] })
      expect(note.certain[0]?.ms).toBeGreaterThanOrEqual(1_000)
      await hub.stop('SIGKILL')
    }

    await using hub = await place.start(1)
    // What was out when the process died may come twice: it is repeatable.
    await eventually(async () => expect([...new Set(await place.done())]).toEqual([1, 3, 5, 6]), LONG)
    const settled = ['delivered', 'held', 'delivered', 'waiting', 'delivered', 'delivered']
    const rows = await eventually(async () => {
      const found = await deliveriesOf(hub)
      expect(found.map(({ state }) => state)).toEqual(settled)
      return found
    }, LONG)
    expect(rows[1]?.why).toMatch(
      /^its payload kept the hub standing for [\d.]+ s \(flow publish to bus\): look at it with "events show 2"; release it with "deliveries retry 2"$/,
    )
    await eventually(() => hub.log().includes('delivery.stood-the-hub'))
    await eventually(async () => expect(await place.note()).toBe(false))
    expect(await hub.stop('SIGTERM').then(() => readdir(place.folder))).not.toContainEqual(
      expect.stringContaining('standing'),
    )
  }, 120_000)
})

test('When it cannot be told which of several the loop stands still over, then they go out one by one, and the second time names it', async () => {
  await using place = await createPlace('file', '30s')
  {
    await using hub = await place.start(4)
    for (const [index, article] of ['wait-a', 'wait-poison', 'wait-b'].entries())
      await hub.post('StockMovementCreated', movement(1 + index, article))
    await eventually(async () => expect((await hub.lanes()).map(({ inFlight }) => inFlight)).toContain(3))
    await place.go()
    const { certain, suspects } = await eventually(place.note, LONG)
    expect(certain).toEqual([])
    expect(suspects).toContain(2)
    await hub.stop('SIGKILL')
  }
  {
    // It stands still again before it can say that it is ready.
    await using hub = await place.start(4, true)
    await eventually(
      async () => expect((await place.note()) || null).toMatchObject({ certain: [{ delivery: 2 }] }),
      LONG,
    )
    await hub.stop('SIGKILL')
  }
  await using hub = await place.start(4)
  await eventually(async () => {
    const states = (await deliveriesOf(hub)).map(({ state }) => state)
    expect(states).toEqual(['delivered', 'held', 'delivered'])
  }, LONG)
  // They may be repeated, and were where the process was killed before it could write down that they were done.
  expect([...new Set(await place.done())].toSorted()).toEqual([1, 3])
  await eventually(async () => expect(await place.note()).toBe(false))
}, 120_000)

/** A folder with a hub whose destination can be stood. */
async function createPlace(kind: string, timeout: string) {
  const folder = await createFolder()
  const schema = kind === 'server' ? await temporarySchema() : null
  const go = join(folder.path, 'go')
  const port = await freePort()
  return {
    folder: folder.path,
    start: (concurrency: number, isHopeless?: true): Promise<HubProcess> =>
      startHubProcess({
        ...(isHopeless && { isHopeless }),
        folder: folder.path,
        port,
        entry: ENTRY,
        destinations: {
          bus: { adapter: ADAPTER, folder: folder.path, publish: 'all', lane: { concurrency, timeout } },
        },
        ...(schema && { store: schema.url }),
      }),
    go: () => writeFile(go, ''),
    /** What is noted; false: nothing is. */
    async note(): Promise<Note | false> {
      const name = (await readdir(folder.path)).find((one) => one.endsWith('.standing.json'))
      if (name === undefined) return false
      const path = join(folder.path, name)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      return JSON.parse(await readFile(path, 'utf8'))
    },
    async done(): Promise<number[]> {
      const path = join(folder.path, 'done')
      if (!existsSync(path)) return []
      return (await readFile(path, 'utf8')).trim().split('\n').map(Number)
    },
    async [Symbol.asyncDispose]() {
      await schema?.[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function deliveriesOf(hub: HubProcess): Promise<DeliveryRow[]> {
  return (await hub.admin<{ deliveries: DeliveryRow[] }>('deliveries?limit=100')).deliveries.reverse()
}
