import { join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, createFolder, keptIn, openFile, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

/* The disk with the storage is lost; an older copy of it takes its place, and the hub is complete again by itself. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
export const HOUR = 3_600_000

/** A platform that tells a hub of sales; the hub is started as often as a story wants, always on the same folder. */
export async function openStory() {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  const folder = opened.use(await createFolder())
  const sink = opened.use(await startSink())
  const platform = opened.use(await startPlatform({ ...KEYS, seedCatalogue: false, now: clock.now }))
  const port = await freePort()
  let sold = 0
  const open = opened.move()
  return {
    ...{ clock, sink, folder: folder.path, file: join(folder.path, 'tillbridge.db') },
    startHub: (): Promise<TestHub> =>
      startTestHub({
        clock,
        folder: folder.path,
        destinations: { bus: busTo(sink.url) },
        config: {
          server: { port, publicUrl: `http://127.0.0.1:${port}` },
          platform: { baseUrl: platform.apiUrl, preset: 'spec', ...KEYS },
          webhooks: { kinds: ['SaleCreated'] },
        },
      }),
    async subscribed() {
      await eventually(() => platform.subscriptions().length === 1)
    },
    async sell(count: number) {
      for (let sale = 0; sale < count; sale += 1) platform.pos.sell()
      sold += count
      await platform.settled()
    },
    get sold() {
      return sold
    },
    /** Until the hub, by its own schedule alone, has and has delivered all that was ever sold. */
    async complete(hub: TestHub) {
      await eventually(async () => {
        // A slow machine needs longer for a job than the clock for a week, after which the platform's log has forgotten.
        expect(jobsUnderWay(hub)).toBe(0)
        clock.advance(HOUR / 4)
        await platform.settled()
        expect(salesIn(hub).size).toBe(sold)
        expect(waitingIn(hub)).toBe(0)
      }, 60_000)
      expect(new Set(sink.received.map(({ body }) => String(body))).size).toBe(sold)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function salesIn(hub: TestHub): Set<string | null> {
  return new Set(keptIn(hub).map(({ identity }) => identity))
}

export function waitingIn({ file }: TestHub): number {
  using db = openFile(file)
  return Number(db.prepare("select count(*) from deliveries where state <> 'delivered'").pluck().get())
}

function jobsUnderWay({ file }: TestHub): number {
  using db = openFile(file)
  return Number(db.prepare('select count(*) from jobs where under_way').pluck().get())
}
