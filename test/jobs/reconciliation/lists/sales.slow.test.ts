import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createFolder, deliveriesOf } from '../../../hub.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { said } from '../../pulls/pull-kit.ts'
import { LAG, openCompared, SALE_COLUMNS } from './lists-kit.ts'

const SALE = 'SaleCreated'

test('when a sale was dropped and is gone from the log, then its lines tell of it, and it is accepted once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null, note: '3 kinds: 2 records' })
  expect(await the.gaps()).toEqual([])

  the.lose(true)
  const { receiptNo, posId } = platform.pos.sell({ store: '101', sku: 'COAT-NVY-M', quantity: 2 })
  const lostAt = clock.now()
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 records, 2 listed, and not here' })
  expect(await the.gaps(SALE)).toMatchObject([
    {
      ...{ cause: 'missing', state: 'open', storeId: '42', day: '2026-11-20' },
      evidence: { lists: { list: 'odata Saleslines', receiptNo, posId: String(posId) } },
    },
  ])
  expect(Math.abs((await the.until(SALE)) - lostAt)).toBeLessThan(5_000)
  expect(the.events(SALE)).toHaveLength(1)

  clock.advance(23 * HOUR)
  // The webhook, or the log, may still bring the sale, and that says more.
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 records, 2 listed, and not here' })
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 records, 2 accepted from their lists' })
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'repaired', ended: { by: 'hub', reason: 'accepted from the list, once' } },
  ])
  expect(Math.abs((await the.until(SALE)) - (clock.now() - LAG))).toBeLessThan(5_000)
  const [, taken] = the.events(SALE)
  expect(taken).toMatchObject({ subscription: 'pulled' })
  expect(said(taken as never)).toMatchObject({ receiptNo, orderLines: [{ quantity: 2 }] })
  // It is in the mirror, so that the POS may balance; how it was paid nobody knows.
  const mirrored = (await the.mirror('sales')).map(({ body }) => body)
  expect(mirrored).toContainEqual(expect.objectContaining({ receiptNo, payments: null }))
  expect(mirrored.filter((body) => Array.isArray(body.payments))).toHaveLength(1)

  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null, note: '3 kinds: 4 records' })
  await the.quiet()
  expect(the.got(SALE)).toHaveLength(2)
})

test('when the webhook of a sale comes before it is accepted, or after all, then it is still once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock, hub } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps(SALE)).toMatchObject([{ state: 'open' }])
  await platform.sendFailedAgain()
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([{ ended: { reason: 'it has come' } }])
  expect(the.got(SALE)).toHaveLength(1)

  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  the.lose(false)
  const webhook = platform.events().findLast(({ kind }) => kind === SALE)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  await the.compare()
  clock.advance(DAY)
  await the.compare()
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'repaired' },
    { ended: { reason: 'accepted from the list, once' } },
  ])
  await hub.post(SALE, webhook?.payload, { eventId: webhook?.webhookEventId ?? '' })
  await the.quiet()
  expect(the.events(SALE)).toHaveLength(2)
  expect(the.got(SALE)).toHaveLength(2)
})

test('when a sale was taken from its lines, then the books hold it, since nobody says how it was paid', async () => {
  await using folder = await createFolder()
  const write = { sale: { name: 'sale-{key}', format: 'json' } }
  const erp = { adapter: 'files', folder: folder.path, write }
  await using the = await openCompared('2026-11-20T09:00:00Z', { saleColumns: SALE_COLUMNS }, { erp })
  const { platform, clock } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  clock.advance(DAY)
  await the.compare()
  await the.quiet()
  const booked = (await deliveriesOf(the.hub)).filter(({ destination }) => destination === 'erp')
  expect(booked).toMatchObject([{ kind: SALE, state: 'held' }])
  expect((await readdir(folder.path)).filter((name) => name.startsWith('sale-'))).toEqual([])
})

test('when config names the wrong columns, then the list proves nothing, and nothing is made of it', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z', {
    saleColumns: { receiptNo: 'SALESLINEID', posId: 'POSID_FK', orderNo: 'ORDERNO' },
  })
  const { platform, clock } = the
  clock.advance(MINUTE)
  for (const _ of [1, 2, 3, 4]) platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  for (const pause of [HOUR, DAY, DAY]) {
    clock.advance(pause)
    expect(await the.compare()).toMatchObject({ problem: expect.stringContaining('the right ones?') })
  }
  expect(the.events(SALE)).toHaveLength(4)
  expect(await the.until(SALE)).toBeLessThan(clock.now() - DAY)
})

test('when a day is compared, then what the list and the hub have is counted and summed by store', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock, hub } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  const { body } = await hub.admin<{ counts: object[] }>('completeness?store=101&day=2026-11-20')
  expect(body.counts).toContainEqual({
    ...{ kind: SALE, day: '2026-11-20', storeId: '42', listed: 2, listedSum: '698', here: 1, hereSum: '349' },
  })
})
