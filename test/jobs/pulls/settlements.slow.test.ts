import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, HOUR } from '../kit.ts'
import { openPulled, type Pulled, said } from './pull-kit.ts'

const KIND = 'POSSettlementCreated'

// The night before clocks go back.
let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-10-24T20:00:00Z', { days: 1 })
})
afterAll(() => the[Symbol.asyncDispose]())

test('when a day is over, then its settlements that were lost are taken once, and those that were pushed are known', async () => {
  const { platform, clock } = the
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
  platform.actions.sell({ store: '201', sku: 'SOCKS-GRY' })
  const [pushed] = platform.closeDay('101')
  await the.quiet()
  expect(await the.run('settlements')).toBe('2 days: 1 settlement, 0 new')
  the.lose(true)
  const [lost] = platform.closeDay('201')
  the.lose(false)
  await platform.settled()
  expect(the.events(KIND)).toHaveLength(1)

  clock.advance(2 * HOUR + 20 * 60_000)
  // 00:20 in Oslo.
  expect(await the.run('settlements')).toBe('3 days: 2 settlements, 1 new')
  await the.quiet()

  expect(the.events(KIND).map(({ identity }) => identity)).toEqual([
    String(pushed?.SETTLEMENTID),
    String(lost?.SETTLEMENTID),
  ])
  const mirrored = await the.mirror('settlements')
  expect(mirrored.map(({ key, day, place }) => ({ key, day, place }))).toEqual([
    { key: String(pushed?.SETTLEMENTID), day: '2026-10-24', place: '101' },
    { key: String(lost?.SETTLEMENTID), day: '2026-10-24', place: '201' },
  ])
  expect(await the.run('settlements')).toBe('3 days: 2 settlements, 0 new')
})

test('when a settlement was pushed in part, then it is whole in the mirror once it is pulled, and stays so', async () => {
  const { platform } = the
  platform.actions.sell({ store: '202', pos: 1 })
  const [settled] = platform.closeDay('202')
  const key = String(settled?.SETTLEMENTID)
  const mirrored = async () => (await the.mirror('settlements')).find((row) => row.key === key)?.body
  await the.quiet()
  expect(await mirrored()).toMatchObject({ payments: null, grandTotal: String(settled?.GrandTotal) })
  const reads = the.events('SettlementRead').length

  await the.run('settlements')
  await the.quiet()
  expect(await mirrored()).toMatchObject({ payments: [{ type: 'Card' }], from: settled?.DateTimeFrom })
  expect(the.events('SettlementRead')).toHaveLength(reads + 1)

  await the.run('settlements')
  await the.quiet()
  expect(the.events('SettlementRead')).toHaveLength(reads + 1)
  expect(the.events(KIND).filter(({ identity }) => identity === key)).toHaveLength(1)
})

test('when a settlement was pulled, and is pushed then, then it is one event', async () => {
  const { platform, clock, hub } = the
  clock.advance(DAY)
  the.lose(true)
  platform.actions.sell({ store: '102', sku: 'COAT-NVY-M' })
  const [settled] = platform.closeDay('102')
  await platform.settled()
  the.lose(false)
  clock.advance(DAY)
  expect(await the.run('settlements')).toMatch('1 new')

  await hub.admin('jobs/resend-failed/run', {})
  await the.quiet()

  const same = the.events(KIND).filter(({ identity }) => identity === String(settled?.SETTLEMENTID))
  expect(same).toHaveLength(1)
  expect(same.map(said)).toMatchObject([{ SETTLEMENTID: settled?.SETTLEMENTID, StoreNo: '102', PaymentTypes: [{}] }])
})

test('when the last day that was read is known, then the two days before it are asked for again', async () => {
  the.clock.advance(5 * DAY)
  const asked: string[] = []
  const job = the.beside('settlements', ({ settlements }) => ({
    settlements: {
      list(query, signal) {
        asked.push(query.day)
        return settlements.list(query, signal)
      },
    },
  }))
  job.state = { begin: '2026-03-28', day: '2026-04-01', again: {} }
  await job.run()
  expect(asked[0]).toBe('2026-03-30')
})
