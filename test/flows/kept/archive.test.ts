import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JobStatus } from '../../../src/domain/health/job-status.ts'
import type { EventDetail } from '../../../src/store/screens.ts'
import { tillbridge } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { ADMIN_TOKEN, startTestHub } from '../../hub.ts'
import { temporaryFolder } from '../../store/sqlite-file.ts'

const DAY = 24 * 3_600_000

test('When config names an archive, then what goes lies there first, is found there, and is read only as it was written', async () => {
  using folder = temporaryFolder()
  const archived = join(folder.path, 'archive')
  const config = join(folder.path, 'tillbridge.yaml')
  writeFileSync(
    config,
    `server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { webhooks: { tokens: ["\${ADMIN_TOKEN}"] } }
retention: { archive: { folder: "${archived}" } }
`,
  )
  const ask = (...args: string[]) => tillbridge(args, { TILLBRIDGE_CONFIG: config, ADMIN_TOKEN })
  const clock = createTestClock()
  await using hub = await startTestHub({ clock, config: { retention: { archive: { folder: archived } } } })
  const run = async () => (await hub.admin<JobStatus>('jobs/retention/run', {})).body
  const { body: taken } = await hub.post('SaleCreated', { receiptNo: '77001', customer: { email: 'ola@example.com' } })
  const { body: broken } = await hub.post('SaleCreated', Buffer.from([0x7b, 0xff, 0xfe]))
  await hub.admin('events/dismiss', { filter: { id: taken.id }, reason: 'x' })
  clock.advance(91 * DAY)

  // What cannot be kept elsewhere does not go.
  writeFileSync(archived, 'no folder')
  expect((await run()).problem).toMatch(/EEXIST|ENOTDIR/)
  expect((await hub.admin<EventDetail>(`events/${taken.id}`)).body.body).not.toBeNull()
  rmSync(archived)

  expect((await run()).problem).toBeNull()
  expect((await hub.admin<EventDetail>(`events/${taken.id}`)).body.body).toBeNull()
  expect((await ask('archive', 'search', '77001')).out).toMatch(new RegExp(`^ *${taken.id} +SaleCreated `, 'm'))
  expect((await ask('archive', 'search', 'OLA@example.com', '77001', '--json')).out).toContain(`"event": ${taken.id}`)
  expect((await ask('archive', 'search', 'nobody')).out).toContain('none that says so')
  const restored = JSON.parse((await ask('archive', 'restore', String(taken.id))).out)
  expect(restored).toMatchObject({ id: taken.id, kind: 'SaleCreated' })
  expect(JSON.parse(restored.body)).toMatchObject({ receiptNo: '77001' })
  expect((await ask('archive', 'restore', '4711')).err).toContain('The archive has no event 4711')

  // What had to stay then is archived when it goes.
  await hub.admin('events/dismiss', { filter: { id: broken.id }, reason: 'x' })
  expect((await run()).problem).toBeNull()
  const manifest = readFileSync(join(archived, 'manifest.ndjson'), 'utf8').trim().split('\n')
  expect(manifest.map((line) => JSON.parse(line).first)).toEqual([taken.id, broken.id])

  const { file } = JSON.parse(manifest[0] ?? '')
  writeFileSync(join(archived, file), 'something else')
  expect((await ask('archive', 'restore', file)).err).toContain('is not what was written')
})
