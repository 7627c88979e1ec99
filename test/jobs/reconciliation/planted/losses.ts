import { expect } from 'vitest'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import { CAUSES } from '../../../../src/domain/completeness/gap.ts'
import { OF_THE_TILLS } from './of-pos.ts'
import { OF_THE_LISTS } from './of-the-lists.ts'
import { OF_THE_LOG } from './of-the-log.ts'
import { openPlanted } from './planted-kit.ts'
import type { Loss } from './row.ts'

export const LOSSES: readonly Loss[] = [...OF_THE_LOG, ...OF_THE_LISTS, ...OF_THE_TILLS]

/** The first loss that each source tells of, or each cause. */
export function oneOfEach(what: 'source' | 'cause'): Loss[] {
  return LOSSES.filter((one, index) => LOSSES.findIndex((other) => other[what] === one[what]) === index)
}

/** Plants it in a platform and a hub of its own: one scan finds and names it, and by the end of the next it is repaired. */
export async function expectFoundAndMended(loss: Loss, dialect?: DialectName): Promise<void> {
  const { source, cause, kind, soil, plant, repair, ends, because } = loss
  await using the = await openPlanted({ ...(dialect && { dialect }), ...soil })
  await plant(the)
  await the.scan()

  const found = (await the.gaps()).filter((gap) => gap.source === source && gap.cause === cause && gap.kind === kind)
  expect(found, JSON.stringify(await the.gaps())).toHaveLength(1)
  const [gap] = found as [StoredGap]
  const listed = await the.cli('gaps', 'list', '--source', source, '--cause', cause, '--state', gap.state)
  expect(listed.out).toContain(` ${cause} `)
  const shown = (await the.cli('gaps', 'show', String(gap.id))).out
  expect(shown).toContain(CAUSES[cause].words)
  if (gap.state === 'open') expect(shown).toContain(CAUSES[cause].remedy.replace('<id>', String(gap.id)))

  await repair?.(the, gap.id)
  await the.scan()
  const [after] = await the.hub.hub.storage.gaps({ id: gap.id }, 0, 1)
  expect(after?.state).toBe(ends)
  if (because !== undefined) expect(after?.ended?.reason).toBe(because)
  // Something that was repaired may be news to another source, which then takes its own two scans.
  await the.scan()
  expect((await the.gaps()).filter(({ state }) => state === 'open')).toEqual([])
}
