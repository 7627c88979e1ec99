import { expect, test } from 'vitest'
import { DAY } from '../../kit.ts'
import { openTills } from './tills-kit.ts'

const DIALECTS = ['frontsystems-v2', 'facts'] as const

/* What happens to tills, and is no loss: nothing is raised, and the watermark goes on. */

test.each(DIALECTS)(
  'when tills are replaced, trained on, closed for a day or only take goods back (%s), then nothing is raised',
  async (dialect) => {
    await using the = await openTills({ dialect })
    const { sell, returnGoods } = the.platform.actions
    const both = () => {
      sell({ store: '101', till: 1, payment: 'cash' })
      sell({ store: '101', till: 2 })
    }
    await the.day(both)
    await the.look('log')
    // Training, and a till that only takes goods back.
    the.platform.tills.train(421, 120_000)
    await the.day(() => {
      sell({ store: '101', till: 1 })
      returnGoods({ store: '101', till: 2, sku: 'COFFEE' })
      returnGoods({ store: '101', till: 2, payment: 'cash' })
    })
    await the.look('log')
    // A day on which the store is closed.
    the.clock.advance(DAY)
    expect(await the.look('log')).toBe('2 tills')
    await the.day(both)
    await the.look('log')
    // Another till under the same id, and one under a new id.
    the.platform.tills.replace(421)
    await the.day(() => {
      sell({ store: '101', till: 1 })
      sell({ store: '101', till: 3 })
    })
    await the.look('log')
    const closed = await the.day(() => {
      sell({ store: '101', till: 1 })
      sell({ store: '101', till: 3 })
    })

    expect(await the.look('log')).toBe('3 tills')
    expect(await the.gaps()).toEqual([])
    // Nothing was sold since, by the log.
    expect((await the.mark())?.until).toBeGreaterThan(closed)
    expect(the.hub.lines.filter(({ msg }) => msg === 'watermark.went-back')).toEqual([])
  },
)

test.each(DIALECTS)('when a bar closes in the hour that comes twice (%s), then nothing is raised', async (dialect) => {
  // Midnight in Oslo, before clocks go back at three.
  await using the = await openTills({ dialect, start: '2026-10-23T22:00:00Z' })
  const { sell } = the.platform.actions
  await the.day(() => sell({ store: '101', till: 1 }))
  await the.look()
  const minutes = (count: number) => the.clock.advance(count * 60_000)
  const sellAndClose = () => {
    sell({ store: '101', till: 1 })
    minutes(5)
    sell({ store: '101', till: 1, sku: 'COFFEE' })
    the.platform.closeDay('101')
  }
  // 02:40 and 02:45 for the first time, and then 02:10 and 02:15 for the second.
  minutes(160)
  sellAndClose()
  minutes(25)
  sellAndClose()
  minutes(30)
  await the.quiet()
  await the.look()
  expect(await the.gaps()).toEqual([])
  const closed = await the.day(() => sell({ store: '101', till: 1 }))
  await the.look()

  expect(await the.gaps()).toEqual([])
  expect((await the.mark())?.until).toBe(closed)
  expect(the.hub.lines.filter(({ msg }) => msg === 'watermark.went-back')).toEqual([])
})
