import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { asking as commands } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { startPlatformServer } from '../platform/server.ts'
import { logged } from '../queue/kit/kit.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../small-disk.ts'
import { asking, toldBy } from './health-kit.ts'

const MB = 1024 * 1024

test('When the store takes nothing for a time, then status and doctor say so, and what was refused is fetched as soon as it does', async () => {
  const clock = createTestClock()
  await using platform = await startPlatformServer()
  platform.play({ body: [] })
  await using hub = await startTestHub({
    config: {
      platform: asking(platform.url),
      server: { publicUrl: 'https://hub.example.com' },
      jobs: { 'resend-failed': '0 0 1 1 *' },
    },
    clock,
  })
  const run = commands(hub)
  const fetched = () => logged(hub, 'job.done').filter(({ job }) => job === 'resend-failed')
  // What came while no hub was there.
  await eventually(() => expect(fetched()).toHaveLength(1))
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 503 })

  const status = await run('status')
  expect(status.code).toBe(1)
  expect(status.out).toMatch(
    /^problem {2}store: The store cannot write: another process holds the lock .*Every webhook is refused/,
  )
  expect(status.out).not.toContain('Nothing needs a person.')
  const doctor = JSON.parse((await run('doctor', '--json')).out)
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({
      check: 'hub',
      state: 'problem',
      says: expect.stringMatching(/^store: .*holds the lock/),
    }),
  )
  expect((await hub.ask('/health/ready')).status).toBe(503)
  expect(fetched()).toHaveLength(1)

  other.close()
  clock.advance(5_000)
  await eventually(() => expect(fetched()).toHaveLength(2))
  expect(logged(hub, 'store.takes-again')).toHaveLength(1)
  expect((await toldBy(hub)).filter(({ area }) => area === 'store')).toEqual([])
})

test.skipIf(noSmallDisk !== null)(
  `When the disk is full, then that is a problem, and the hub is not ready${whyNoDisk}`,
  async () => {
    await using disk = mountSmallDisk(18 * MB)
    await using hub = await startTestHub({ folder: disk.path })
    await disk.ballast(18 * MB)
    const large = sale({ comment: 'x'.repeat(64 * 1024) })

    await eventually(async () => expect((await hub.post('SaleCreated', large)).status).toBe(503))

    const { code, out } = await commands(hub)('status')
    expect(code).toBe(1)
    expect(out).toMatch(/^problem {2}store: The store cannot write: no room left for /m)
    expect(out).toMatch(/^problem {2}disk .*: 0 MB are left in /m)
    expect((await hub.ask('/health/ready')).status).toBe(503)
  },
)
