import { expect, test } from 'vitest'
import { HOUR } from '../../kit.ts'
import { renumber } from '../renumber.ts'
import { openPos, type PosRules, STORE } from './pos-kit.ts'

const DIALECTS = ['frontsystems-v2', 'facts'] as const

/** A day on which a POS of a store sells twice, and is closed. */
async function dayOf(the: PosRules, store: string, lost?: 'lost'): Promise<void> {
  const { sell } = the.platform.actions
  the.clock.advance(9 * HOUR)
  sell({ store, pos: 1 })
  if (lost) the.platform.faults.next('drop')
  sell({ store, pos: 1, sku: 'COFFEE' })
  the.clock.advance(10 * HOUR)
  the.platform.closeDay(store)
  the.clock.advance(5 * HOUR)
  await the.quiet()
}

async function marksOfPos(the: PosRules) {
  const marks = await the.hub.hub.storage.watermarks()
  return marks.filter(({ level }) => level === 'pos').map(({ storeId }) => storeId)
}

for (const dialect of DIALECTS)
  test(`when a store gets another number (${dialect}), then its POS go on: nothing is raised, and what is lost is found`, async () => {
    await using the = await openPos({ dialect })
    for (const _ of [1, 2, 3]) {
      await dayOf(the, '101')
      await the.look('log')
    }
    using _ = renumber(42, '112')
    await the.run('stores')
    for (const _ of [1, 2, 3, 4, 5]) {
      await dayOf(the, '112')
      expect(await the.look('log')).toBe('1 POS')
      expect(await the.gaps()).toEqual([])
      expect(await marksOfPos(the)).toEqual([STORE])
      expect((await the.mark())?.until).toBeGreaterThan(the.clock.now() - HOUR)
    }
    await dayOf(the, '112', 'lost')
    expect(await the.look()).toBe('1 POS, 1 difference')
    expect(await the.gaps()).toMatchObject([
      { cause: 'uncounted', state: 'open', storeId: STORE, evidence: { pos: { store: '112', missingReceipts: '1' } } },
    ])
  })
