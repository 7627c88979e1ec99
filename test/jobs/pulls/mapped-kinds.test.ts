import { afterAll, beforeAll, expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import { DAY, HOUR } from '../kit.ts'
import { openPulled, type Pulled } from './pull-kit.ts'

const PAYLOADS = {
  POSSettlementCreated: { settlementId: 'ZReport.Id', currency: 'ZReport.Currency', settledAt: 'ZReport.MadeAt' },
  StockMovementCreated: { movementId: 'MoveId', quantity: 'Change', at: 'MovedAt' },
  DeliveryUpdated: { deliveryId: 'GoodsId', lines: 'Rows', 'lines.received': 'Came' },
}

let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-11-18T10:00:00Z', { days: 2 }, { payloads: PAYLOADS })
})
afterAll(() => the[Symbol.asyncDispose]())

const quarantined = () => the.hub.hub.storage.events({ state: 'quarantined' })

test('a mapping of webhooks leaves settlements, movements and goods deliveries that are pulled readable', async () => {
  const { platform, clock } = the
  the.lose(true)
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
  const [settled] = platform.closeDay('101')
  platform.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 4, reference: 'PO-1', cost: 120 })
  await platform.settled()
  the.lose(false)
  clock.advance(DAY)

  expect(await the.run('settlements')).toMatch(/1 settlement, 1 new$/)
  expect(await the.run('stock-movements')).toMatch(/[1-9] new$/)
  expect(await the.run('goods-deliveries')).toMatch(/1 delivery, 1 with news$/)
  await the.quiet()

  expect(await quarantined()).toEqual([])
  expect((await the.mirror('settlements')).map(({ key }) => key)).toEqual([String(settled?.SETTLEMENTID)])
  expect(await the.mirror('movements')).not.toEqual([])
  expect((await the.mirror('goods-deliveries')).map(({ body }) => body.reference)).toEqual(['PO-1'])
})

function closesDay(): void {
  the.platform.actions.sell({ store: '102' })
  the.platform.closeDay('102')
}

test.each([
  ['settlements', closesDay],
  ['stock-movements', (): void => void the.platform.pos.moveStock({ store: '102', sku: 'COAT-NVY-M' })],
  [
    'goods-deliveries',
    (): void =>
      void the.platform.actions.announceDelivery({ stock: '102', sku: 'COAT-NVY-M', quantity: 1, reference: 'PO-2' }),
  ],
] as const)('what %s pull, and what ends in quarantine, is handed over once it can be read', async (name, happens) => {
  const { platform, clock } = the
  the.lose(true)
  happens()
  await platform.settled()
  the.lose(false)
  clock.advance(DAY)
  let broken = true
  const job = the.beside(name, undefined, (event) => {
    if (broken) throw new PermanentError('A reader that has a fault.', { code: 'broken' })
    return event.kind === '' ? [] : []
  })
  const before = (await quarantined()).length

  const first = await job.run()
  expect(first).toMatch(/, 0 (new|with news), [1-9] rows? rejected$/)
  const rejected = (await quarantined()).length - before
  expect(rejected).toBeGreaterThan(0)
  // The same record, asked for again an hour later, is no second one.
  clock.advance(HOUR)
  expect(await job.run()).toMatch(/rejected$/)
  expect(await quarantined()).toHaveLength(before + rejected)

  broken = false
  clock.advance(HOUR)
  expect(await job.run()).toMatch(/, [1-9] (new|with news)$/)
  expect(await job.run()).toMatch(/, 0 (new|with news)$/)
})
