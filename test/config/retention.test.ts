import { expect, test } from 'vitest'
import { daysLeft } from '../../src/admin/retention.ts'
import { Retention } from '../../src/config/sections.ts'
import { ageOf, agesOf } from '../../src/domain/retention.ts'

const DAY = 24 * 3_600_000
const SFTP = {
  host: 'backup',
  user: 'pos',
  privateKey: '-----BEGIN RSA PRIVATE KEY-----',
  hostKey: 'any',
  folder: 'in',
}

test('When config says nothing, then everything has its time, and state of the mirror has none', () => {
  const ages = Retention.parse({})
  expect(ages).toMatchObject({ enabled: true, payloads: 90 * DAY, events: 400 * DAY, keys: 400 * DAY })
  expect(Object.keys(ages.mirror).sort()).toEqual(
    ['goods-deliveries', 'movements', 'orders-over', 'reservations', 'sales', 'sales-lines', 'settlements'].sort(),
  )
})

test('When a kind is kept otherwise, then nothing of it outlives its event', () => {
  const ages = Retention.parse({ kinds: { SaleCreated: { payloads: '30d' }, StockMovementCreated: { events: '60d' } } })
  expect(ageOf(ages, 'payloads', 'SaleCreated')).toBe(30 * DAY)
  expect(ageOf(ages, 'events', 'SaleCreated')).toBe(400 * DAY)
  expect(ageOf(ages, 'payloads', 'StockMovementCreated')).toBe(60 * DAY)
  expect(ageOf(ages, 'payloads', 'constructor')).toBe(90 * DAY)
  expect(agesOf(ages, 'payloads')).toEqual([90, 60, 30].map((days) => days * DAY))
})

test.each([
  [{ keys: '6d', events: '5d', payloads: '5d', attempts: '5d' }, ['keys'], "the platform's event log"],
  [{ keys: '399d' }, ['keys'], 'at least as long as events'],
  [{ payloads: '401d' }, ['payloads'], 'at most as long as events'],
  [{ attempts: '401d' }, ['attempts'], 'at most as long as events'],
  [{ kinds: { SaleCreated: { events: '500d' } } }, ['kinds', 'SaleCreated', 'events'], 'at most as long as keys'],
  [{ archive: {} }, ['archive', 'folder'], 'either folder or sftp'],
  [{ archive: { folder: '/srv/a', sftp: SFTP } }, ['archive', 'folder'], 'either folder or sftp'],
  [{ archive: { sftp: { ...SFTP, password: 'p' } } }, ['archive', 'sftp', 'password'], 'either password or privateKey'],
  [{ kinds: { SaleCreated: { events: '5d', payloads: '6d' } } }, ['kinds', 'SaleCreated', 'payloads'], 'at most as'],
])('When config says %o, then it is refused, and told why', (written, path, says) => {
  const { error } = Retention.safeParse(written)
  expect(error?.issues).toEqual([expect.objectContaining({ path, message: expect.stringContaining(says) })])
})

test('When the store grows, then it is known how long the disk lasts', () => {
  const seen = { at: 0, bytes: 1_000, reusable: 0, free: 1_000 }
  const after = { at: 2 * DAY, bytes: 1_400, reusable: 200, free: 600 }
  expect(daysLeft([seen, after])).toBe(8)
  expect(daysLeft([seen])).toBeNull()
  expect(daysLeft([seen, { ...after, free: null }])).toBeNull()
  expect(daysLeft([seen, { ...after, bytes: 900 }])).toBeNull()
})
