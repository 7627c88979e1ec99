import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestStore } from '../empty-store.ts'
import { writtenConfig } from '../hub/written.ts'
import { ADMIN_TOKEN, createFolder, startTestHub } from '../hub.ts'
import { openJobs, playedJob } from '../jobs/kit.ts'
import { serveJobs } from '../jobs/serving.ts'
import { createArrivals } from '../store/arrivals.ts'
import { interrupted } from './interrupt.ts'
import { asking, tillbridge } from './run.ts'

test.each([[[]], [['--json']]])(
  'When a backup is stopped by Ctrl-C (%j), then it says so, ends with 130, and leaves nothing of the copy',
  async (json) => {
    await using config = await writtenConfig()
    const store = await openTestStore(join(config.folder, 'hub.db'))
    await store[Symbol.asyncDispose]()
    const copy = join(config.folder, 'copy.db')

    const ended = await interrupted(() => tillbridge(['backup', copy, ...json], config.env))

    expect(ended.code).toBe(130)
    const says = 'Stopped. Nothing of the copy is left.'
    if (json.length === 0) expect(ended).toMatchObject({ out: '', err: `${says}\n` })
    else expect([JSON.parse(ended.out), ended.err]).toEqual([{ problems: [{ says }] }, ''])
    expect(existsSync(copy)).toBe(false)
  },
)

test.each([[[]], [['--json']]])(
  'When nobody waits any more for a job (%j), then the command says that it goes on, and ends with 130',
  async (json) => {
    const job = playedJob()
    await using the = await openJobs([job])
    await using served = await serveJobs(the)
    await the.scheduler.start()
    const env = { TILLBRIDGE_URL: served.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    const run = () => tillbridge(['jobs', 'run', 'stores', ...json], env)

    const ended = await interrupted(run, () => job.runs.length > 0)

    expect(ended.code).toBe(130)
    const says = 'Not waited for. stores goes on in the hub: "tillbridge jobs history stores" tells how it ends.'
    if (json.length === 0) expect(ended).toMatchObject({ out: '', err: `${says}\n` })
    else expect([JSON.parse(ended.out), ended.err]).toEqual([{ problems: [{ says }] }, ''])
    job.runs[0]?.succeed('12 stores')
  },
)

test('When many events are dismissed and a person presses Ctrl-C, then it ends between two parts, and the rest can follow', async () => {
  await using hub = await startTestHub()
  const { arrival } = createArrivals({ now: Date.now })
  const stray = () => arrival({ kind: 'BrandNewKind', deliveries: [] })
  await hub.hub.store.accept(Array.from({ length: 1_100 }, stray))
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

test.each([
  [
    ['people', 'erase', 'ola@example.com', '--reason', 'asked', '--proof-to'],
    'If it was begun, it goes on: say the same command again, and it gives the proof.',
  ],
  [['people', 'erase', 'ola@example.com', '--dry-run', '--proof-to'], 'Stopped. Nothing was changed.'],
])(
  'When nobody waits any more for what %j is to write, then it says how it stands, and leaves no empty file',
  async (args, says) => {
    await using folder = await createFolder()
    let asked = false
    const silent = createServer(() => {
      asked = true
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const env = { TILLBRIDGE_URL: `http://127.0.0.1:${port}`, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    const file = join(folder.path, 'made.json')

    const ended = await interrupted(
      () => tillbridge([...args, file], env),
      () => asked,
    )

    expect(ended).toEqual({ code: 130, out: '', err: expect.stringContaining(says) })
    expect(existsSync(file)).toBe(false)
    silent.closeAllConnections()
    silent.close()
  },
)
