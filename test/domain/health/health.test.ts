import { describe, expect, test } from 'vitest'
import type { HealthItem, JobStatus } from '../../../src/domain/health/health.ts'
import {
  clockHealth,
  clockJumpHealth,
  type HealthSnapshot,
  health,
  jumpBetween,
  newestHealth,
  type QueueSnapshot,
} from '../../../src/domain/health/hub-health.ts'
import { type DiskSnapshot, diskHealth, storageHealth } from '../../../src/domain/health/storage-health.ts'
import { jobDelay } from '../../../src/domain/queue/retry.ts'
import { NOTHING_YET } from './well.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const MB = 1024 * 1024
const NOW = Date.UTC(2026, 10, 22, 12)

const LANE: QueueSnapshot = {
  name: 'shop',
  urgency: 'prompt',
  waiting: 0,
  held: 0,
  dead: 0,
  oldestWaiting: null,
  oldestHeld: null,
  outage: null,
  failing: null,
  tookAt: null,
  callsPerSecond: null,
  paused: null,
  configured: true,
}

const JOB: JobStatus = {
  name: 'stores',
  schedule: '11 3 * * *',
  atStart: true,
  running: false,
  elsewhere: false,
  cutOff: false,
  overdue: false,
  nextRunAt: NOW + HOUR,
  lastStartedAt: NOW - HOUR,
  lastSucceededAt: NOW - HOUR,
  lastFailedAt: null,
  problem: null,
  note: '12 stores',
  failures: 0,
  code: null,
}

function diskWith(free: number, sizeMb = 20_000): DiskSnapshot {
  return { free, size: sizeMb * MB, folder: '/data', file: '/data/hub.db', wal: 0, isGone: false }
}

const WELL: HealthSnapshot = { ...NOTHING_YET, disk: diskWith(5_000 * MB), queues: [LANE], jobs: [JOB] }

const reported = (seen: Partial<HealthSnapshot>) =>
  health({ ...WELL, ...seen }, NOW).filter(({ state }) => state !== 'ok')
const queue = (more: Partial<QueueSnapshot>) => reported({ queues: [{ ...LANE, ...more }] })
const job = (more: Partial<JobStatus>) => reported({ jobs: [{ ...JOB, ...more }] })
const outage = (code: string, since: number) =>
  queue({
    waiting: 3,
    outage: { since, failures: 2, until: NOW + MINUTE, notBefore: null, code, why: 'shop: it said no' },
  })

test('When all is well, then each thing says so, and nothing needs a person', () => {
  const items = health(WELL, NOW)

  expect(items.map(({ area, name, state }) => `${area} ${name} ${state}`)).toEqual([
    'store store ok',
    'disk /data ok',
    'clock clock ok',
    'destination shop ok',
    'queue shop prompt ok',
    'event all ok',
    'job stores ok',
  ])
})

describe('a destination', () => {
  test('When it refuses our key, then that is a problem at once, with when it is tried next and what to type', () => {
    expect(outage('http-401', NOW - 1)).toEqual([
      {
        area: 'destination',
        name: 'shop',
        state: 'problem',
        fault: 'outage',
        since: NOW - 1,
        next: NOW + MINUTE,
        means: 'Down: credentials refused: it refuses our key or password, whatever is sent (http-401: it said no).',
        todo: expect.stringMatching(/^tillbridge probe shop tries it now\./),
        says: expect.objectContaining({ id: 'health.down' }),
        asks: expect.objectContaining({ id: 'todo.probe' }),
      },
    ])
  })

  test('a destination of which calls fail is named with the cause from the first, and a problem after a quarter of an hour of three', () => {
    const failing = (calls: number, minutes: number, waiting = 2) => {
      const since = NOW - minutes * MINUTE
      return queue({ waiting, tookAt: null, failing: { since, calls, code: 'no-answer', why: 'shop: it was cut' } })
    }
    expect(failing(1, 0)).toMatchObject([
      {
        state: 'note',
        fault: 'outage',
        means:
          'The last call of a kind failed, and none got through since: it takes calls and does not answer (no-answer: it was cut).',
        todo: expect.stringContaining('hangs'),
      },
    ])
    expect(failing(3, 16)).toMatchObject([{ state: 'problem' }])
    expect(failing(2, 16)).toMatchObject([{ state: 'note' }])
    expect(failing(3, 16, 0)).toEqual([])
  })

  test('a destination down that is owed nothing any more needs nobody', () => {
    const down = { since: NOW - 60 * MINUTE, failures: 9, until: NOW, notBefore: null, code: 'http-503', why: 'no' }
    expect(queue({ waiting: 0, outage: down })).toEqual([])
  })

  test('When it is away, then that is a problem after a quarter of an hour only', () => {
    expect(outage('unreachable', NOW - 15 * MINUTE)).toMatchObject([{ state: 'note', name: 'shop' }])
    expect(outage('unreachable', NOW - 16 * MINUTE)).toMatchObject([{ state: 'problem', name: 'shop' }])
  })

  test('When it refuses more, or a person paused it, then that is worth knowing, and nobody needs to act', () => {
    expect(queue({ callsPerSecond: 2.5 })).toMatchObject([{ area: 'destination', state: 'note' }])
    expect(queue({ waiting: 4, paused: { until: null, why: 'paused by Kari' } })).toMatchObject([
      { area: 'queue', name: 'shop prompt', state: 'note', means: 'Paused by Kari: nothing is sent, 4 wait.' },
    ])
  })

  test('When config does not have it any more, then that is one problem with all that is owed to it', () => {
    const gone = { ...LANE, configured: false, waiting: 2, dead: 1 }
    expect(reported({ queues: [gone, { ...gone, urgency: 'bulk' }] })).toMatchObject([
      {
        area: 'destination',
        state: 'problem',
        means: expect.stringContaining('6 deliveries are owed'),
        todo: expect.stringContaining('tillbridge deliveries move --from shop'),
      },
    ])
  })

  test('When deliveries are dead or held, then each is a problem of its queue with the command that lists them', () => {
    expect(queue({ dead: 1, held: 2, oldestHeld: NOW - HOUR })).toMatchObject([
      {
        state: 'problem',
        means: expect.stringMatching(/^1 delivery is dead/),
        todo: expect.stringContaining('--state dead'),
      },
      { state: 'problem', since: NOW - HOUR, todo: expect.stringContaining('--state held --destination shop') },
    ])
  })

  test('When something has waited for more than a day and two hours, then somebody has to look', () => {
    expect(queue({ waiting: 1, oldestWaiting: NOW - 25 * HOUR })).toEqual([])
    expect(queue({ waiting: 1, oldestWaiting: NOW - 27 * HOUR })).toMatchObject([
      { state: 'problem', since: NOW - 27 * HOUR },
    ])
  })
})

describe('a job', () => {
  test('When it is soon tried again by itself, then it is worth knowing; when it goes on failing, a problem', () => {
    for (const failures of [1, 2, 3, 4, 20]) {
      const state = jobDelay(failures) === null ? 'problem' : 'note'
      expect(job({ failures, problem: '503' })).toMatchObject([
        { area: 'job', name: 'stores', state, next: NOW + HOUR },
      ])
    }
  })

  test.each([
    ['it refuses our key', { failures: 1, problem: '401', code: 'http-401' }, 'credentials refused: 401.'],
    ['it is overdue', { overdue: true }, 'It has not succeeded for two of its turns.'],
    ['it is overdue and fails', { overdue: true, failures: 1, problem: '503' }, 'It failed: 503.'],
  ])('When %s, then that is a problem at once', (_, more, says) => {
    expect(job(more)).toMatchObject([
      { state: 'problem', means: expect.stringContaining(says), todo: expect.stringContaining('jobs history stores') },
    ])
  })
})

test('When subscriptions are missing, then each is a problem since it is so; what only comes twice is not', () => {
  const fault = { name: 'all SaleCreated', why: 'It is not subscribed.', since: NOW - HOUR, harmless: false }
  const jobs = [{ ...JOB, name: 'subscriptions' }]

  expect(reported({ jobs, subscriptions: [fault, { ...fault, harmless: true }] })).toMatchObject([
    { area: 'subscription', name: 'all SaleCreated', state: 'problem', since: NOW - HOUR },
    { area: 'subscription', state: 'note', todo: null },
  ])
  expect(health({ ...WELL, jobs }, NOW)).toContainEqual(
    expect.objectContaining({ area: 'subscription', name: 'all', state: 'ok' }),
  )
})

test('When events are out of place, late, or in rows that cannot be read, then each is a problem with its command', () => {
  const reusedKeys = { count: 3, last: NOW - HOUR }
  const items = reported({
    events: { unrouted: 1, quarantined: 2, conflicts: 1, reusedKeys },
    late: [{ clock: 'captured', count: 2, since: NOW - HOUR }],
    rejected: [{ operation: 'webhooks.list', why: 'has no url', rows: 1, about: [], since: NOW }],
  })

  expect(items.map(({ area, name, state }) => `${area} ${name} ${state}`)).toEqual([
    'event unrouted problem',
    'event quarantined problem',
    'event conflict problem',
    'event reused ids problem',
    'event late: captured problem',
    'list webhooks.list problem',
  ])
  const old = { unrouted: 0, quarantined: 0, conflicts: 0, reusedKeys: { count: 3, last: NOW - 25 * HOUR } }
  expect(reported({ events: old })).toEqual([])
})

test('When the store cannot write, then that is a problem, and what only it knows is unknown', () => {
  const away = { queues: null, events: null, late: null, jobs: null, subscriptions: null }
  const items = reported({
    ...away,
    store: { problem: 'The store cannot write: no room left for /data/tillbridge.db.', since: NOW - MINUTE },
  })

  expect(items[0]).toMatchObject({
    area: 'store',
    state: 'problem',
    since: NOW - MINUTE,
    means: expect.stringContaining('no room left for'),
    todo: expect.stringMatching(/^df -h: make room/),
  })
  const server = { problem: 'PostgreSQL at db/shop cannot be used now.', since: null }
  expect(reported({ store: server, disk: null })[0]?.todo).toMatch(/^start the database, (?!.*df -h)/)
  expect(items.slice(1).map(({ state }) => state)).toEqual(Array(5).fill('unknown'))
  expect(storageHealth({ problem: null, since: null }).state).toBe('ok')
})

test('When the disk is nearly full, or a clock is off, then that is said before it does harm', () => {
  const states = (items: HealthItem[]) => items.map(({ state }) => state)

  expect([2_000, 1_000, 50].map((mb) => states(diskHealth(diskWith(mb * MB, 4_000))))).toEqual([
    ['ok'],
    ['note'],
    ['problem'],
  ])
  expect(diskHealth(null)).toEqual([])
  expect([0, -10_000, 120_000].map((ahead) => clockHealth(ahead).state)).toEqual(['ok', 'note', 'problem'])
})

test.each([
  ['half empty', 10_000, 20_000, 'ok', 'MB are left in /data (50 % is taken).'],
  ['15 % free', 2_900, 20_000, 'note', 'MB are left'],
  ['as full, and large', 290_000, 2_000_000, 'ok', 'MB are left'],
  ['5 % free', 990, 20_000, 'problem', 'Bulk deliveries and pulls wait until there is more.'],
  ['2 % free', 390, 20_000, 'problem', 'Only webhooks are taken'],
] as const)('When a disk is %s, then status says what the hub still does', (_, free, size, state, means) => {
  expect(diskHealth(diskWith(free * MB, size))).toMatchObject([{ state, means: expect.stringContaining(means) }])
})

test('When the log beside the file grows, or the file is gone, then status says what to do', () => {
  const disk = diskWith(10_000 * MB)
  expect(diskHealth({ ...disk, wal: 300 * MB })[1]).toMatchObject({
    state: 'note',
    name: 'wal',
    todo: expect.stringContaining('lsof /data/hub.db'),
  })
  expect(diskHealth({ ...disk, wal: 3_000 * MB })[1]).toMatchObject({ state: 'problem' })
  expect(diskHealth({ ...disk, isGone: true })[0]).toMatchObject({
    state: 'problem',
    todo: expect.stringContaining('Do not stop the hub'),
  })
})

test('When the clock is set, then status says by how much, for an hour', () => {
  const before = { wall: NOW, steady: 5 }
  expect(jumpBetween(before, { wall: NOW + 10_040, steady: 10_005 })).toBeNull()
  const ahead = jumpBetween(before, { wall: NOW + 3_610_000, steady: 10_005 })
  expect(ahead).toEqual({ at: NOW + 3_610_000, by: 3_600_000 })
  expect(jumpBetween(before, { wall: NOW - 20_000, steady: 10_005 })).toMatchObject({ by: -30_000 })
  expect(newestHealth(NOW + HOUR, NOW)).toMatchObject([
    { state: 'problem', means: expect.stringContaining('still to come') },
  ])
  expect([null, NOW + 1_000, NOW - HOUR].flatMap((newest) => newestHealth(newest, NOW))).toEqual([])
  const [item] = clockJumpHealth(ahead, NOW + 3_610_000)
  expect(item).toMatchObject({ state: 'problem', means: expect.stringContaining('went 3,600 s ahead at') })
  expect(clockJumpHealth({ at: NOW, by: -30_000 }, NOW)).toMatchObject([
    { state: 'note', means: expect.stringContaining('30 s back') },
  ])
  expect(clockJumpHealth(ahead, NOW + 3_610_000 + HOUR + 1)).toEqual([])
})

describe('schemas of the platform', () => {
  const change = { kind: 'SaleCreated', at: NOW - HOUR, text: 'total is gone', breaks: true, flows: ['book-sale'] }

  test('When fields are gone, then that is a problem with the flows that it touches; where some are only new, a note', () => {
    expect(reported({ schemas: [change] })).toMatchObject([
      {
        area: 'schema',
        name: 'SaleCreated',
        state: 'problem',
        means: 'The platform changed its schema: total is gone. It touches book-sale.',
      },
    ])
    expect(reported({ schemas: [{ ...change, breaks: false }] })).toMatchObject([{ state: 'note', todo: null }])
  })
})
