import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writtenConfig } from '../app/written.ts'
import { openTestStore } from '../empty-store.ts'
import { startTestHub } from '../hub.ts'
import { createArrivals } from '../storage/arrivals.ts'
import { interrupted } from './interrupt.ts'
import { asking, tillbridge } from './run.ts'

test.each([[[]], [['--json']]])(
  'When a backup is stopped by Ctrl-C (%j), then it says so, ends with 130, and leaves nothing of the copy',
  async (json) => {
    await using config = await writtenConfig()
    const storage = await openTestStore(join(config.folder, 'hub.db'))
    await storage[Symbol.asyncDispose]()
    const copy = join(config.folder, 'copy.db')
    const ended = await interrupted(() => tillbridge(['backup', copy, ...json], config.env))
    expect(ended.code).toBe(130)
    const says = 'Stopped. Nothing of the copy is left.'
    if (json.length === 0) expect(ended).toMatchObject({ out: '', err: `${says}\n` })
    else expect([JSON.parse(ended.out), ended.err]).toEqual([{ problems: [{ says }] }, ''])
    expect(existsSync(copy)).toBe(false)
  },
)

test('When many events are dismissed and a person presses Ctrl-C, then it ends between two parts, and the rest can follow', async () => {
  await using hub = await startTestHub()
  const { arrival } = createArrivals({ now: Date.now })
  const stray = () => arrival({ kind: 'BrandNewKind', deliveries: [] })
  await hub.hub.storage.accept(Array.from({ length: 1_100 }, stray))
  const run = asking(hub)
  const dismiss = () => run('events', 'dismiss', '--kind', 'BrandNewKind', '--reason', 'nobody wants that kind')
  const ended = await interrupted(dismiss)
  expect(ended).toMatchObject({
    code: 130,
    out: expect.stringMatching(/^dismiss: 1000 of 1100 events \(audit entry 1\)/),
  })
  expect(ended.err).toMatch(/^Stopped\. What is done stays done; it is audit entry 1\./m)
  expect(await dismiss()).toMatchObject({ code: 0, out: expect.stringMatching(/^dismiss: 100 of 100 events/) })
})
