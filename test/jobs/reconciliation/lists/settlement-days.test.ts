import { expect, test } from 'vitest'
import type { KeptRow } from '../../../../src/domain/catalogue/mirror.ts'
import { createPlaces, settlementsList } from '../../../../src/jobs/reconciliation/list.ts'
import type { Settlement } from '../../../../src/platform/resources/sales.ts'
import { listed } from '../../../listed.ts'

/** Its last sale was late on the 20th, and it was made after midnight. */
const LATE = { settlementId: '7', settledAt: '2026-11-21T00:30:00', to: '2026-11-20T22:00:00' }

/** A platform that lists it under one day, and a mirror that has it by the day of its sales. */
function source(under: string, isMirrored = true) {
  const asked: string[] = []
  const row = { key: LATE.settlementId, day: '2026-11-20', place: null, body: { settledAt: LATE.settledAt } }
  const { read } = settlementsList({
    platform: {
      settlements: {
        list: async ({ day }: { day: string }) => {
          asked.push(day)
          const one = { ...LATE, storeId: null, storeNo: null, posId: '1', batchNumber: null, record: {} }
          return listed(day === under ? [one as unknown as Settlement] : [])
        },
      } as never,
    },
    storage: {
      known: async () => [],
      formerPlaces: async () => [],
      bodies: async () => [],
      mirrorPage: async ({ from, to }, after) =>
        isMirrored && after === null && from !== undefined && to !== undefined && from <= row.day && row.day <= to
          ? [row as unknown as KeptRow]
          : [],
    },
    places: createPlaces([]),
    lacks: () => null,
    mirrored: true,
  })
  return { asked, look: (day: string) => read(day, Date.parse('2026-11-25'), new AbortController().signal) }
}

test('when it is listed on the day on which it was made, then it is judged on that day, and both days are whole', async () => {
  const { look } = source('2026-11-21')
  expect(await look('2026-11-20')).toMatchObject({ records: [], why: null })
  expect(await look('2026-11-21')).toMatchObject({ records: [{ subject: '7', day: '2026-11-21' }], why: null })
})

test('when it is listed on the day of its sales, then it is judged on that one, and both days are whole', async () => {
  const { look } = source('2026-11-20')
  expect(await look('2026-11-20')).toMatchObject({ records: [{ subject: '7', day: '2026-11-21' }], why: null })
  expect(await look('2026-11-21')).toMatchObject({ records: [], why: null })
})

test('when no list has it, then the day on which it was made proves nothing', async () => {
  const { look, asked } = source('2026-11-01')
  expect(await look('2026-11-20')).toMatchObject({ why: null })
  expect(await look('2026-11-21')).toMatchObject({ why: expect.stringContaining('lacks 1 of 1') })
  expect(asked).toEqual(['2026-11-20', '2026-11-21', '2026-11-20'])
})

test('when the mirror has none, then only the list of the day is asked', async () => {
  const { look, asked } = source('2026-11-21', false)
  await look('2026-11-21')
  expect(asked).toEqual(['2026-11-21'])
})
