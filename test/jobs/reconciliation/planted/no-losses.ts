import { expect } from 'vitest'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openPlanted, type Planted, type Soil } from './planted-kit.ts'

/** Something that looks like a loss, and is none. */
export interface NoLoss {
  what: string
  soil?: Soil
  happens(the: Planted): Promise<void>
}

const sell = (the: Planted, pos = 1) => the.platform.actions.sell({ store: '101', pos, sku: 'TEE-BLK-M' })

const AUTUMN = '2026-10-23T22:00:00Z'
const SPRING = '2026-03-27T23:00:00Z'

/** Sells in the night, at minutes after midnight, and closes the POS behind each. */
async function sellAtNight(the: Planted, ...minutes: number[]): Promise<void> {
  const midnight = the.clock.now()
  for (const minute of minutes) {
    the.clock.advance(midnight + minute * MINUTE - the.clock.now())
    sell(the)
    the.clock.advance(5 * MINUTE)
    the.platform.closeDay('101')
    await the.quiet()
  }
  the.clock.advance(HOUR)
}

/** What happens to stores and POS, and is no loss. */
export const NO_LOSSES: readonly NoLoss[] = [
  {
    what: 'stores are closed for two days',
    async happens(the) {
      await the.learned()
      the.clock.advance(2 * DAY)
    },
  },
  {
    what: 'receipts are rung up to train somebody',
    async happens(the) {
      await the.learned()
      the.platform.posList.train(421, 120_000)
      await the.day(() => sell(the))
    },
  },
  {
    what: 'a POS only takes goods back',
    async happens(the) {
      await the.learned()
      await the.day(() => {
        the.platform.actions.returnGoods({ store: '101', pos: 1, sku: 'COFFEE' })
        the.platform.actions.returnGoods({ store: '101', pos: 2, payment: 'cash' })
      })
    },
  },
  {
    what: 'a POS is replaced, under the same id and under a new one',
    async happens(the) {
      await the.learned()
      the.platform.posList.replace(421)
      await the.day(() => {
        sell(the)
        sell(the, 3)
      })
      await the.scan()
      await the.day(() => sell(the, 3))
    },
  },
  {
    what: 'a bar sells and closes in the hour that comes twice',
    soil: { from: AUTUMN },
    async happens(the) {
      await the.learned()
      // 02:40 for the first time, and 02:15 for the second.
      the.clock.advance(Date.parse('2026-10-24T22:00:00Z') - the.clock.now())
      await sellAtNight(the, 160, 195)
    },
  },
  {
    what: 'a bar sells and closes around the hour that does not come',
    soil: { from: SPRING },
    async happens(the) {
      await the.learned()
      the.clock.advance(Date.parse('2026-03-28T23:00:00Z') - the.clock.now())
      await sellAtNight(the, 100, 130)
    },
  },
  {
    what: 'webhooks come twice, and after those that were sent later',
    soil: { kinds: ['SaleCreated', 'POSSettlementCreated', 'OmniChannelEndlessAisleOrderCreated'] },
    async happens(the) {
      await the.learned()
      await the.day(() => {
        the.platform.faults.next('duplicate', 'duplicate', 'delay', 'duplicate', 'delay')
        sell(the)
        sell(the)
        the.platform.actions.endlessAisle({ store: '101', pos: 1 })
      })
    },
  },
  {
    what: 'a store opens that nobody knew of, with a POS of its own',
    async happens(the) {
      await the.learned()
      the.platform.actions.sell({ store: '103', pos: 1 })
      the.platform.closeDay('103')
      await the.quiet()
      the.clock.advance(HOUR)
    },
  },
]

export async function expectNothingRaised({ soil, happens }: NoLoss, dialect?: DialectName): Promise<void> {
  await using the = await openPlanted({ ...(dialect && { dialect }), ...soil })
  await happens(the)
  await the.scan()
  await the.scan()

  expect(await the.gaps()).toEqual([])
  const { code, out } = await the.cli('complete')
  expect([code, out]).toEqual([0, expect.stringContaining('Nothing is missing.')])
  expect(the.hub.lines.filter(({ msg }) => msg === 'watermark.went-back')).toEqual([])
}
