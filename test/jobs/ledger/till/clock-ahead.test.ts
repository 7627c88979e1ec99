import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../kit.ts'
import { openTills } from './tills-kit.ts'

test('when the clock was ahead for a look at the tills, then what is sold since is found once it is put back', async () => {
  await using the = await openTills()
  const { clock, hub, platform } = the
  const sell = () => platform.actions.sell({ store: '101', till: 1 })
  await the.day(sell)
  await the.look()
  clock.advance(5 * DAY)
  await the.run('till-counters')
  clock.advance(-5 * DAY)
  clock.advance(10 * HOUR)
  sell()
  await the.quiet()
  await the.run('till-counters')

  const row = (await hub.hub.store.jobs()).find(({ name }) => name === 'till-counters')
  const { tills } = JSON.parse(row?.state ?? '{}') as { tills: Record<string, { openSince: number | null }> }
  const [openSince] = Object.values(tills).flatMap((till) => till.openSince ?? [])
  expect(Math.abs((openSince ?? 0) - clock.now())).toBeLessThan(HOUR)
})
