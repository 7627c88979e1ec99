import { DAY } from '../../kit.ts'
import type { Planted } from './planted-kit.ts'
import type { Loss } from './row.ts'

async function loseForGood(the: Planted, entry: () => unknown): Promise<void> {
  the.platform.pos.sell({ store: '102', sku: 'COFFEE' })
  await the.quiet()
  await the.lose('drop', entry)
  the.erase()
}

const ACCEPTED = {
  repair: async (the: Planted) => the.clock.advance(DAY),
  ...({ ends: 'repaired', because: 'accepted from the list, once' } as const),
}

export const OF_THE_LISTS: readonly Loss[] = [
  {
    what: 'a sale that the log has erased',
    ...{ source: 'lists', cause: 'missing', kind: 'SaleCreated' },
    plant: (the) => loseForGood(the, () => the.platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })),
    ...ACCEPTED,
  },
  {
    what: 'a movement of goods that the log has erased',
    ...{ source: 'lists', cause: 'missing', kind: 'StockMovementCreated' },
    soil: { kinds: ['StockMovementCreated'] },
    plant: (the) => loseForGood(the, () => the.platform.pos.moveStock({ store: '101' })),
    ...ACCEPTED,
  },
  {
    what: 'the settlement of a POS that the log has erased',
    ...{ source: 'lists', cause: 'missing', kind: 'POSSettlementCreated' },
    async plant(the) {
      the.platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
      await loseForGood(the, () => the.platform.closeDay('101'))
    },
    // The job that pulls settlements brings it.
    repair: async (the) => the.clock.advance(DAY),
    ...{ ends: 'repaired', because: 'it has come' },
  },
  {
    what: 'an order of the online store, of which its lines do not say enough',
    ...{ source: 'lists', cause: 'thin', kind: 'SaleCreated' },
    soil: { kinds: ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated'] },
    plant: (the) => loseForGood(the, () => the.platform.pos.endlessAisle({ store: '101' })),
    repair: (the) => the.sendErased('OmniChannelEndlessAisleOrderCreated'),
    ...{ ends: 'repaired', because: 'it has come' },
  },
  {
    what: 'the list of a day that will never have a settlement of which somebody has told',
    ...{ source: 'lists', cause: 'not-looked-at', kind: 'POSSettlementCreated' },
    async plant(the) {
      the.platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
      the.platform.closeDay('101')
      await the.quiet()
      const event = the.platform.events().findLast(({ kind }) => kind === 'POSSettlementCreated')
      await the.hub.post(
        'POSSettlementCreated',
        // Of no POS: none is held against it.
        { ...Object(event?.payload), settlementId: 990_001, posId: null },
        { eventId: 'forged-1', subscription: 'all' },
      )
      await the.quiet()
      the.clock.advance(3 * DAY)
    },
    repair: (the, id) => the.explain(id),
    ends: 'explained',
  },
]
