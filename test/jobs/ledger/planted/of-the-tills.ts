import { HOUR } from '../../kit.ts'
import type { Planted } from './planted-kit.ts'
import type { Loss } from './row.ts'

const SALE = 'SaleCreated'
const sell = (the: Planted, sku = 'TEE-BLK-M') => the.platform.actions.sell({ store: '101', till: 1, sku })

/** A day of which the report is kept back, and the one behind it. */
async function hideReport(the: Planted): Promise<void> {
  await the.learned()
  the.platform.tills.hide(true)
  await the.day(() => sell(the))
  the.platform.tills.hide(false)
  await the.day(() => sell(the, 'COFFEE'))
}

/** A day on which one receipt of a till is lost. */
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
    ...{ road: 'till', cause: 'z-missing', kind: null },
    plant: hideReport,
    async mend(the) {
      the.platform.tills.show()
    },
    ends: 'mended',
  },
  {
    what: 'the memory of a till, in the place of which comes an older one',
    ...{ road: 'till', cause: 'z-again', kind: null },
    async plant(the) {
      await the.learned()
      await the.day(() => sell(the))
      await the.sweep()
      the.platform.tills.restore(421)
      await the.day(() => sell(the))
    },
    mend: (the, id) => the.explain(id),
    ends: 'explained',
  },
  {
    what: 'a receipt of a till that has counted it',
    ...{ road: 'till', cause: 'uncounted', kind: SALE },
    async plant(the) {
      await the.learned()
      await loseReceipt(the)
    },
    ends: 'mended',
  },
  {
    what: 'a receipt, and that of another sum is forged in its place',
    ...{ road: 'till', cause: 'unbalanced', kind: SALE },
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
    mend: (the, id) => the.explain(id),
    ends: 'explained',
  },
  {
    what: 'the close of a till that has sold',
    ...{ road: 'till', cause: 'unclosed', kind: SALE },
    async plant(the) {
      await the.learned()
      sell(the)
      the.clock.advance(74 * HOUR)
      await the.quiet()
    },
    async mend(the) {
      the.platform.closeDay('101')
      await the.quiet()
    },
    ends: 'mended',
  },
]
