import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import type { DeliveryRow } from '../../src/storage/rows.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { movement } from '../queue/kit/kit.ts'
import { SERVER, temporarySchema } from '../storage/postgres/schema.ts'
import { type HubProcess, startHubProcess } from './hub-process.ts'

const ADAPTER = fileURLToPath(new URL('./stalling-adapter.ts', import.meta.url))
const ENTRY = fileURLToPath(new URL('./hub-that-stalls.ts', import.meta.url))

/** How long a loaded machine may take to start a program, or to answer (milliseconds). */
const LONG = 40_000

/** How long a hub that answers nobody has before its supervisor kills it (milliseconds). */
const TIMEOUT_MS = 1_500

describe.each(['file', ...(SERVER ? ['server'] : [])])('a hub whose storage is a %s', (kind) => {
  test('holds a payload that stalls it by name at the third time, and delivers the others in order', async () => {
    await using place = await createPlace(kind, '2s')
    {
      await using hub = await place.start(4)
      for (const [index, article] of ['wait-a', 'wait-poison', 'wait-b', 'a'].entries())
        await hub.post('StockMovementCreated', movement(1 + index, article))
      await eventually(async () => expect((await hub.queues()).map(({ inFlight }) => inFlight)).toContain(3))
      await place.go()
      await place.killWhenStalled(hub, 1)
    }
    // Beside others, then alone.
    for (const time of [2, 3]) {
      await using hub = await place.start(4, true)
      await place.killWhenStalled(hub, time)
    }
    await using hub = await place.start(4)
    const rows = await eventually(async () => {
      const found = await deliveriesOf(hub)
      expect(found.map(({ state }) => state)).toEqual(['delivered', 'held', 'delivered', 'delivered'])
      return found
    }, LONG)
    expect(rows[1]?.why).toMatch(
      /^it was in flight 3 times when the hub died or stalled, the last time alone \(flow publish to bus\): look at it with "events show 2"; release it with "deliveries retry 2"$/,
    )
    // They may be repeated, and were where the process was killed before it could write down that they were done.
    expect([...new Set(await place.done())].toSorted()).toEqual([1, 3, 4])
    await eventually(() => hub.log().includes('poison-message'))
  }, 240_000)
})

test('When a hub dies at once over a payload, then it is held in the same way, if not at the third time, then at the fourth', async () => {
  await using place = await createPlace('file', '30s')
  await using first = await place.start(4)
  await first.post('StockMovementCreated', movement(1, 'deadly'))
  await eventually(() => expect(first.exited).toBe(true), LONG)
  for (let deaths = 1; ; deaths += 1) {
    expect(deaths).toBeLessThan(5)
    await using hub = await place.start(4, true)
    const isHeld = async () => (await deliveriesOf(hub))[0]?.state === 'held'
    await eventually(async () => hub.exited || (await isHeld()), LONG)
    if (!hub.exited) return
  }
}, 240_000)

/** A folder with a hub whose destination can be stalled. */
async function createPlace(kind: string, timeout: string) {
  const folder = await createFolder()
  const schema = kind === 'server' ? await temporarySchema() : null
  const go = join(folder.path, 'go')
  const port = await freePort()
  return {
    start: (concurrency: number, isHopeless?: true): Promise<HubProcess> =>
      startHubProcess({
        ...(isHopeless && { isHopeless }),
        folder: folder.path,
        port,
        entry: ENTRY,
        destinations: {
          bus: { adapter: ADAPTER, folder: folder.path, publish: 'all', queue: { concurrency, timeout } },
        },
        ...(schema && { store: schema.url }),
      }),
    go: () => writeFile(go, ''),
    /** Does what a supervisor does that asks for the health of a hub; `time`: how often it has stalled by then. */
    async killWhenStalled(hub: HubProcess, time: number): Promise<void> {
      await eventually(async () => expect(await readFile(join(folder.path, 'begun'), 'utf8')).toHaveLength(time), LONG)
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      await expect(request(`http://127.0.0.1:${port}/health/live`, { signal })).rejects.toThrow()
      await hub.stop('SIGKILL')
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
