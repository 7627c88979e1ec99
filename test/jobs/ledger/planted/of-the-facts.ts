import { DAY } from '../../kit.ts'
import type { Planted } from './planted-kit.ts'
import type { Loss } from './row.ts'

async function loseForGood(the: Planted, deed: () => unknown): Promise<void> {
  the.platform.till.sell({ store: '102', sku: 'COFFEE' })
  await the.quiet()
  await the.lose('drop', deed)
  the.forget()
}

const ACCEPTED = {
  mend: async (the: Planted) => the.clock.advance(DAY),
  ...({ ends: 'mended', because: 'accepted from the list, once' } as const),
}

export const OF_THE_FACTS: readonly Loss[] = [
  {
    what: 'a sale that the log has forgotten',
    ...{ road: 'facts', cause: 'untold', kind: 'SaleCreated' },
    plant: (the) => loseForGood(the, () => the.platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })),
    ...ACCEPTED,
  },
  {
    what: 'a movement of goods that the log has forgotten',
    ...{ road: 'facts', cause: 'untold', kind: 'StockMovementCreated' },
    soil: { kinds: ['StockMovementCreated'] },
    plant: (the) => loseForGood(the, () => the.platform.till.moveStock({ store: '101' })),
    ...ACCEPTED,
  },
  {
    what: 'the settlement of a till that the log has forgotten',
    ...{ road: 'facts', cause: 'untold', kind: 'POSSettlementCreated' },
    async plant(the) {
      the.platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
      await loseForGood(the, () => the.platform.closeDay('101'))
    },
    // The job that pulls settlements brings it.
    mend: async (the) => the.clock.advance(DAY),
    ...{ ends: 'mended', because: 'it has come' },
  },
  {
    what: 'an order of the online store, of which its lines do not say enough',
    ...{ road: 'facts', cause: 'thin', kind: 'SaleCreated' },
    soil: { kinds: ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated'] },
    plant: (the) => loseForGood(the, () => the.platform.till.endlessAisle({ store: '101' })),
    mend: (the) => the.sendForgotten('OmniChannelEndlessAisleOrderCreated'),
    ...{ ends: 'mended', because: 'it has come' },
  },
  {
    what: 'the list of a day that will never have a settlement of which somebody has told',
    ...{ road: 'facts', cause: 'not-looked-at', kind: 'POSSettlementCreated' },
    async plant(the) {
      the.platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
      the.platform.closeDay('101')
      await the.quiet()
      const event = the.platform.events().findLast(({ kind }) => kind === 'POSSettlementCreated')
      await the.hub.post(
        'POSSettlementCreated',
        // Of no till: none is held against it.
        { ...Object(event?.payload), settlementId: 990_001, posId: null },
        { eventId: 'forged-1', subscription: 'all' },
      )
      await the.quiet()
      the.clock.advance(3 * DAY)
    },
    mend: (the, id) => the.explain(id),
    ends: 'explained',
  },
]
