import { fetch } from 'undici'
import { describe, expect, test } from 'vitest'
import type { MirrorFilter, StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import { createTestClock } from '../../clock.ts'
import { onlyIn } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { keptIn, type TestHub } from '../../hub.ts'
import { type OpenStore, openStorage, waiting } from '../days/open-store.ts'

const rowsOf = ({ hub }: TestHub, filter: MirrorFilter): Promise<StoredMirrorRow[]> =>
  hub.storage.mirrorPage(filter, null, 1_000)

/** Level of each article by stock, as the mirror has it. */
async function mirrored(hub: TestHub): Promise<Record<string, unknown>> {
  const rows = await rowsOf(hub, { set: 'stock' })
  return Object.fromEntries(rows.map(({ key, body }) => [key, body.level]))
}

/** The levels that the platform has of what the mirror has. */
async function atPlatform({ platform, hub }: OpenStore): Promise<Record<string, unknown>> {
  const levels: Record<string, unknown> = {}
  for (const key of Object.keys(await mirrored(hub))) {
    const [stockId = '', gtin = ''] = key.split('/')
    const answer = await fetch(`${platform.portalUrl}/api/Stock/gtin/${gtin}`, { headers: KEYS })
    const rows = (await answer.json()) as { stockId: number; quantity: number }[]
    levels[key] = String(rows.find((row) => String(row.stockId) === stockId)?.quantity)
  }
  return levels
}

const KEYS = { 'x-api-key': 'key-of-the-user', 'Ocp-Apim-Subscription-Key': 'key-of-the-company' }

describe('the mirror of what is pushed', () => {
  test('When goods are sold, returned, counted, received and sent, in any order and twice, then levels are those of the platform', async () => {
    const clock = createTestClock()
    await using storage = await openStorage({ mirror: 'all', clock })
    const { platform, hub } = storage
    await hub.admin('jobs/stores/run', {})
    platform.faults.set({ duplicate: 0.3, delay: 0.3, delayMs: 50 })
    const { actions } = platform
    for (const sku of ['TEE-BLK-M', 'SOCKS-GRY', 'BEANIE-RED'])
      for (const number of ['101', '201']) {
        actions.sell({ store: number, sku, quantity: 2 })
        actions.returnGoods({ store: number, sku })
        actions.countStock({ stock: number, sku, quantity: 17 })
        actions.sell({ store: number, sku })
      }
    actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 5, direct: true })
    actions.createTransfer({ from: '101', to: '201', sku: 'SOCKS-GRY', quantity: 3 })
    await platform.settled()
    await eventually(async () => {
      clock.advance(1_000)
      return (await waiting(hub)) === 0
    })
    const levels = await mirrored(hub)
    expect(Object.keys(levels)).toHaveLength(6)
    expect(levels).toEqual(await atPlatform(storage))
    const moved = keptIn(hub).filter(({ kind }) => kind === 'StockMovementCreated')
    expect(await rowsOf(hub, { set: 'movements' })).toHaveLength(moved.length)
  })

  onlyIn(['facts', 'frontsystems-v2'], 'the specification names a level at an instant, and no path to it')(
    'When the movement of a count is lost, then the level is read back as it was two seconds after the count',
    async () => {
      const clock = createTestClock()
      await using storage = await openStorage({ mirror: 'stock', clock })
      const { platform, hub } = storage
      await hub.admin('jobs/stores/run', {})
      platform.faults.next('drop')
      platform.actions.countStock({ stock: '101', sku: 'TEE-BLK-M', quantity: 23 })
      await platform.settled()
      expect(keptIn(hub).map(({ kind }) => kind)).toEqual(['StockCountReconciled'])
      await eventually(async () => {
        clock.advance(1_000)
        expect(await mirrored(hub)).toEqual({ '12/7090012340011': '23' })
      })
    },
  )
})
