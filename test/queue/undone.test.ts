import { expect, test } from 'vitest'
import type { Flow } from '../../src/flows/flow.ts'
import { mayBeUndone, remainder } from '../../src/queue/inputs.ts'
import type { DeliveryFilter, DeliveryRow } from '../../src/storage/rows.ts'
import { claimOf, eventOf, flowOf, NOW } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

/* What is left of an event after what came later, and has been made. */

const CLAIM = claimOf({ entity: 'count:12', firstTriedAt: NOW }, { event: { ...eventOf({ n: 0 }), id: 10 } })

/** Rows of deliveries, the newest first, of events from this one down. */
function rows(from: number, count: number, state: DeliveryRow['state'] = 'delivered'): DeliveryRow[] {
  return Array.from({ length: count }, (_, n) => ({ id: from - n, event: from - n, state, code: null }) as DeliveryRow)
}

async function left(given: DeliveryRow[], supersededBy: Partial<NonNullable<Flow['supersededBy']>> = {}) {
  const asked: DeliveryFilter[] = []
  const { sources } = sourcesOf({
    event: (async (id: number) => ({ body: Buffer.from(JSON.stringify({ n: id })) })) as never,
    deliveries: async (filter) => {
      asked.push(filter)
      return given.filter(({ id }) => id < (filter.before ?? Number.POSITIVE_INFINITY)).slice(0, filter.limit)
    },
  })
  const flow = flowOf('publish', {
    supersededBy: {
      flows: ['set-stock'],
      elsewhere: () => null,
      leaves: (event, { body }) => ({ ...event, body }),
      ...supersededBy,
    },
  })
  return { left: await remainder(CLAIM, flow, sources), asked }
}

test('When later ones say otherwise, then the last of them holds, and older ones are not asked', async () => {
  const found = await left([...rows(14, 3), ...rows(9, 3)])
  expect(JSON.parse(String(found.left?.event?.body))).toEqual({ n: 14 })
  expect(found.left?.by).toBe(14)
})

test('When nothing later was made, then all of it is left', async () => {
  expect((await left([...rows(14, 4, 'waiting'), ...rows(9, 3)])).left).toBeNull()
})

test('When many were made before it, or wait, then they are looked through, and it goes on', async () => {
  const found = await left([...rows(3_010, 2_999, 'waiting'), ...rows(11, 5)])
  expect(found.left?.by).toBe(11)
  expect(found.asked).toHaveLength(4)
  expect((await left([...rows(10, 10)])).left).toBeNull()
})

test('When a thousand were made since, then it is refused: it must be submitted anew', async () => {
  await expect(left(rows(1_500, 1_400))).rejects.toMatchObject({ code: 'long-since' })
})

test('When it was never tried, or begins no schedule anew and has a line of its own, then nobody looks', () => {
  const supersededBy = { flows: ['x'], leaves: () => null }
  const may = (delivery: object, more: object = {}) =>
    mayBeUndone(
      claimOf({ entity: 'a', ...delivery }),
      flowOf('publish', { supersededBy: { ...supersededBy, ...more } }),
    )
  expect(may({ firstTriedAt: null })).toBe(false)
  expect(may({ firstTriedAt: NOW, tries: 0 })).toBe(true)
  expect(may({ firstTriedAt: NOW, tries: 2 })).toBe(false)
  expect(may({ firstTriedAt: NOW, tries: 2 }, { elsewhere: () => null })).toBe(true)
})
