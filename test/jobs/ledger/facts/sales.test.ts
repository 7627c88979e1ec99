import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createFolder, deliveriesOf } from '../../../hub.ts'
import { HOUR, MINUTE } from '../../kit.ts'
import { said } from '../../pulls/pull-kit.ts'
import { LAG, openCompared, SALE_COLUMNS } from './facts-kit.ts'

const SALE = 'SaleCreated'

test('when a sale was dropped and is gone from the log, then its lines tell of it, and it is accepted once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null, note: '4 kinds: 2 facts' })
  expect(await the.gaps()).toEqual([])

  the.lose(true)
  const { receiptNo, posId } = platform.till.sell({ store: '101', sku: 'COAT-NVY-M', quantity: 2 })
  const lostAt = clock.now()
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '4 kinds: 4 facts, 2 that no event told of' })
  expect(await the.gaps(SALE)).toMatchObject([
    {
      ...{ cause: 'untold', state: 'open', storeId: '42', day: '2026-11-20' },
      evidence: { facts: { list: 'odata Saleslines', receiptNo, posId: String(posId) } },
    },
  ])
  expect(Math.abs((await the.until(SALE)) - lostAt)).toBeLessThan(5_000)
  expect(the.events(SALE)).toHaveLength(1)

  clock.advance(HOUR)
  // The log may still bring the sale, and that says more.
  expect(await the.compare()).toMatchObject({
    note: '4 kinds: 4 facts, 1 that no event told of, 1 accepted from their lists',
  })
  await the.run('ledger')
  expect(await the.compare()).toMatchObject({ note: '4 kinds: 4 facts, 1 accepted from their lists' })
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'mended', ended: { by: 'hub', reason: 'accepted from the list, once' } },
  ])
  expect(Math.abs((await the.until(SALE)) - (clock.now() - LAG))).toBeLessThan(5_000)
  const [, taken] = the.events(SALE)
  expect(taken).toMatchObject({ subscription: 'pulled' })
  expect(said(taken as never)).toMatchObject({ receiptNo, orderLines: [{ quantity: 2 }] })
  // It is in the mirror, so that the till may balance; how it was paid nobody knows.
  const mirrored = (await the.mirror('sales')).map(({ body }) => body)
  expect(mirrored).toContainEqual(expect.objectContaining({ receiptNo, payments: null }))
  expect(mirrored.filter((body) => Array.isArray(body.payments))).toHaveLength(1)

  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '4 kinds: 4 facts' })
  await the.quiet()
  expect(the.got(SALE)).toHaveLength(2)
})

test('when the webhook of a sale comes before it is accepted, or after all, then it is still once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock, hub } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
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
  expect(await the.gaps(SALE)).toMatchObject([{ ended: { reason: 'an event has told of it' } }])
  expect(the.got(SALE)).toHaveLength(1)

  the.lose(true)
  platform.till.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  the.lose(false)
  const webhook = platform.events().findLast(({ kind }) => kind === SALE)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  await the.run('ledger')
  await the.compare()
  clock.advance(HOUR)
  await the.compare()
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'mended' },
    { ended: { reason: 'accepted from the list, once' } },
  ])
  await hub.post(SALE, webhook?.payload, { eventId: webhook?.webhookEventId ?? '' })
  await the.quiet()
  expect(the.events(SALE)).toHaveLength(2)
  expect(the.got(SALE)).toHaveLength(2)
})

test('when an order of the online store was never told, then nobody makes a plain sale of it, and it closes when it is told', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.till.endlessAisle({ store: '101' })
  await the.quiet()
  the.lose(false)
  for (const _ of [1, 2, 3]) {
    clock.advance(HOUR)
    await the.compare()
  }
  expect(await the.gaps(SALE)).toMatchObject([
    {
      cause: 'thin',
      state: 'open',
      evidence: { facts: { lacks: expect.stringContaining('order of the online store') } },
    },
  ])
  expect(the.events(SALE)).toEqual([])

  await platform.sendFailedAgain()
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps(SALE)).toMatchObject([{ state: 'mended' }])
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
})

test('when no columns name the receipt, then a sale that nobody told of is found by its lines, and is not made up', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z', {})
  const { platform, clock } = the
  clock.advance(MINUTE)
  for (const store of ['101', '201']) platform.till.sell({ store, sku: 'TEE-BLK-M' })
  platform.till.endlessAisle({ store: '101' })
  platform.till.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  clock.advance(MINUTE)
  the.lose(true)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(false)
  for (const _ of [1, 2]) {
    clock.advance(HOUR)
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  expect(await the.gaps(SALE)).toMatchObject([
    {
      cause: 'thin',
      state: 'open',
      storeId: '42',
      evidence: { facts: { lacks: expect.stringContaining('saleColumns') } },
    },
  ])
  expect(the.events(SALE)).toHaveLength(3)

  await platform.sendFailedAgain()
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps(SALE)).toMatchObject([{ state: 'mended', ended: { reason: 'an event has told of it' } }])
})

test('when a sale was taken from its lines, then the books hold it, since nobody says how it was paid', async () => {
  await using folder = await createFolder()
  const write = { sale: { name: 'sale-{key}', format: 'json' } }
  const erp = { adapter: 'files', folder: folder.path, write }
  await using the = await openCompared('2026-11-20T09:00:00Z', { saleColumns: SALE_COLUMNS }, { erp })
  const { platform, clock } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.till.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  the.lose(false)
  // Nobody knows yet whether the columns are the right ones.
  for (const _ of [1, 2, 3]) {
    clock.advance(HOUR)
    expect(await the.compare()).toMatchObject({ problem: expect.stringContaining('are they the right ones?') })
  }
  expect(the.events(SALE)).toEqual([])
  platform.till.sell({ store: '102', sku: 'COAT-NVY-M' })
  await the.quiet()
  platform.forgetEvents(clock.now())
  for (const _ of [1, 2]) {
    clock.advance(HOUR)
    await the.run('ledger')
    await the.compare()
  }
  await the.quiet()
  const booked = (await deliveriesOf(the.hub)).filter(({ destination }) => destination === 'erp')
  expect(booked).toMatchObject([
    { kind: SALE, state: 'held' },
    { kind: SALE, state: 'delivered' },
  ])
  expect((await readdir(folder.path)).filter((name) => name.startsWith('sale-'))).toHaveLength(1)
})
