import { expect, test } from 'vitest'
import { daysLeft } from '../../src/admin/retention.ts'
import { Completeness, duration, Retention, size } from '../../src/config/sections.ts'
import { ageOf, agesOf } from '../../src/domain/retention.ts'
import { suggest } from '../../src/lib/suggest.ts'

const Duration = duration('0s', '999999999d')
const Size = size('0b', '999999999gb')

test.each([
  ['800ms', Duration, 800],
  ['20s', Duration, 20_000],
  ['5m', Duration, 300_000],
  ['24h', Duration, 86_400_000],
  ['90d', Duration, 7_776_000_000],
  ['0s', Duration, 0],
  ['512b', Size, 512],
  ['10kb', Size, 10_240],
  ['64mb', Size, 67_108_864],
  ['1GB', Size, 1_073_741_824],
])('%s is so many milliseconds or bytes', (text, amount, value) => {
  expect(amount.parse(text)).toBe(value)
})

test.each([
  ['duration', Duration, ['', '20', 's', '1.5h', '-1s', '20 s', '20S', '1w', '1s2', '9999999999s']],
  ['size', Size, ['', '64', 'mb', '1.5mb', '64 mb', '64m', '-1kb']],
])('what is no %s is refused', (_, amount, texts) => {
  for (const text of texts) expect(amount.safeParse(text).success, text).toBe(false)
})

test.each([
  ['prot', 'port'],
  ['adminTokn', 'adminToken'],
  ['admintoken', 'adminToken'],
  ['publicURL', 'publicUrl'],
  ['hots', 'host'],
  ['timeout', null],
  ['x', null],
])('when %s is written, then %s was meant', (written, meant) => {
  expect(suggest(written, ['port', 'host', 'publicUrl', 'adminToken', 'maxBody'])).toBe(meant)
})

test('when a field of a settlement means something else, then that alone is written', () => {
  const { pos } = Completeness.parse({ pos: { returns: 'among', patience: '2h' } })
  expect(pos).toEqual({
    patience: 7_200_000,
    meanings: { number: 'report', returns: 'among', receipts: 'consecutive' },
  })
})

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
