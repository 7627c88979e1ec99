import { expect, test } from 'vitest'
import { shownReading } from '../../src/payloads/schema/shown-reading.ts'
import { sale } from '../fixtures/payloads.ts'

test.each([
  ['2026-11-20T10:00:01', "2026-11-20T10:00:01 (the store's time)"],
  ['2026-11-20T10:00:01Z', '2026-11-20T10:00:01Z'],
  ['2026-11-20T10:00:01+01:00', '2026-11-20T10:00:01+01:00'],
])('When a payload says %s, then it is shown with whose time that is', (createdDateTime, shown) => {
  const fields = shownReading('SaleCreated', sale({ createdDateTime }))
  expect(fields.find(({ field }) => field === 'createdAt')?.values).toEqual([shown])
})
