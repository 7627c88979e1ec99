import { HOUR } from '../../kit.ts'
import type { Planted } from './planted-kit.ts'
import type { Loss } from './row.ts'

const SALE = 'SaleCreated'
const sell = (the: Planted, sku = 'TEE-BLK-M') => the.platform.actions.sell({ store: '101', pos: 1, sku })

/** A day of which the report is kept back, and the one behind it. */
async function hideReport(the: Planted): Promise<void> {
  await the.learned()
  the.platform.posList.hide(true)
  await the.day(() => sell(the))
  the.platform.posList.hide(false)
  await the.day(() => sell(the, 'COFFEE'))
}

/** A day on which one receipt of a POS is lost. */
async function loseReceipt(the: Planted): Promise<void> {
  await the.day(() => {
    sell(the, 'COFFEE')
    the.platform.faults.next('drop')
    sell(the)
  })
}

export const OF_THE_TILLS: readonly Loss[] = [
  {
    what: 'a Z report',
    ...{ source: 'pos', cause: 'z-missing', kind: null },
    plant: hideReport,
    async repair(the) {
      the.platform.posList.show()
    },
    ends: 'repaired',
  },
  {
    what: 'the memory of a POS, in the place of which comes an older one',
    ...{ source: 'pos', cause: 'z-again', kind: null },
    async plant(the) {
      await the.learned()
      await the.day(() => sell(the))
      await the.scan()
      the.platform.posList.restore(421)
      await the.day(() => sell(the))
    },
    repair: (the, id) => the.explain(id),
    ends: 'explained',
  },
  {
    what: 'a receipt of a POS that has counted it',
    ...{ source: 'pos', cause: 'uncounted', kind: SALE },
    async plant(the) {
      await the.learned()
      await loseReceipt(the)
    },
    ends: 'repaired',
  },
  {
    what: 'a receipt, and that of another sum is forged in its place',
    ...{ source: 'pos', cause: 'unbalanced', kind: SALE },
    // By the specification alone the numbers of receipts tell how many there are, and a strange number is none of them.
    soil: { dialect: 'frontsystems-v2' },
    async plant(the) {
      await the.learned()
      await loseReceipt(the)
      const event = the.platform.events().findLast(({ kind }) => kind === SALE)
      const forged = { ...Object(event?.payload), receiptNo: '99001', total: 1 }
      await the.hub.post(SALE, forged, { eventId: 'forged-1', subscription: 'all' })
      await the.quiet()
    },
    repair: (the, id) => the.explain(id),
    ends: 'explained',
  },
  {
    what: 'the close of a POS that has sold',
    ...{ source: 'pos', cause: 'unclosed', kind: SALE },
    async plant(the) {
      await the.learned()
      sell(the)
      the.clock.advance(74 * HOUR)
      await the.quiet()
    },
    async repair(the) {
      the.platform.closeDay('101')
      await the.quiet()
    },
    ends: 'repaired',
  },
]
