import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { backUp, restoreStorage } from '../../src/storage/backup.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, createFolder, keptIn, openFile, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

/* The disk with the storage is lost; an older copy of it takes its place, and the hub is complete again by itself. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const HOUR = 3_600_000

/** A platform that tells a hub of sales; the hub is started as often as a story wants, always on the same folder. */
async function openStory() {
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

test('When a backup of this morning is restored in the evening, then the hub fetches the sales of the day by itself', async () => {
  await using story = await openStory()
  const saved = join(story.folder, 'saved.db')
  {
    await using hub = await story.startHub()
    await story.subscribed()
    await story.sell(20)
    await eventually(() => salesIn(hub).size === 20)
    await backUp(`file:${story.file}`, saved)
    story.clock.advance(8 * HOUR)
    await story.sell(30)
    await eventually(() => salesIn(hub).size === 50 && waitingIn(hub) === 0)
  }
  restoreStorage(`file:${story.file}`, saved, Date.now())

  await using hub = await story.startHub()
  expect(salesIn(hub).size).toBe(20)
  await story.complete(hub)
})

test('When the disk is lost while sales come, then a copy by Litestream lacks ten seconds at most, and the hub fetches what it lacks', async () => {
  await using story = await openStory()
  const replica = `file://${join(story.folder, 'replica')}`
  let lostAt = 0
  {
    await using _hub = await story.startHub()
    await story.subscribed()
    const litestream = runLitestream('replicate', story.file, replica)
    for (let second = 0; second < 8; second += 1) {
      await story.sell(25)
      await pause(1_000)
    }
    lostAt = Date.now()
    await kill(litestream)
    await story.sell(25)
  }
  for (const end of ['', '-wal', '-shm']) rmSync(story.file + end, { force: true })

  const began = performance.now()
  const restoring = runLitestream('restore', '-o', story.file, replica)
  expect((await once(restoring, 'exit'))[0]).toBe(0)
  using db = openFile(story.file)
  const last = Number(db.prepare('select max(received_at) from events').pluck().get())
  expect(lostAt - last, 'ms before the loss').toBeLessThan(10_000)
  expect(db.prepare('select count(*) from events').pluck().get()).toBeGreaterThan(25)

  await using hub = await story.startHub()
  process.stdout.write(
    `lost: ${lostAt - last} ms; restored and started in ${Math.round(performance.now() - began)} ms\n`,
  )
  await story.complete(hub)
})

function salesIn(hub: TestHub): Set<string | null> {
  return new Set(keptIn(hub).map(({ identity }) => identity))
}

function waitingIn({ file }: TestHub): number {
  using db = openFile(file)
  return Number(db.prepare("select count(*) from deliveries where state <> 'delivered'").pluck().get())
}

/** Its package only starts the program of the machine's kind, which lies in a package of its own. */
const PACKAGE = import.meta.resolve('@flydotio/litestream')
const PROGRAM = createRequire(PACKAGE).resolve(`@flydotio/litestream-${process.platform}-${process.arch}/litestream`)

function runLitestream(...args: string[]): ChildProcess {
  return spawn(PROGRAM, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
