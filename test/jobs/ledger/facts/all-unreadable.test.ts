import { expect, test } from 'vitest'
import { linesOf } from '../../../../src/jobs/ledger/facts/sales-source.ts'

test('when a column has another name, so that none of a chain’s lines can be read, then that is said', async () => {
  const aside = Array.from({ length: 200_000 }, (_, row) => ({ row: row + 1, why: 'has no Qty', record: null }))
  const platform = {
    salesLines: {
      async *list() {
        yield { from: '2026-11-22', to: '2026-11-22', rows: [], aside, suspect: false, days: new Map() }
      },
    },
  } as unknown as Parameters<typeof linesOf>[0]['platform']

  const { lines, why } = await linesOf({ platform }, '2026-11-22', new AbortController().signal)

  expect([lines, why]).toEqual([[], '200000 rows cannot be read (row 1 has no Qty)'])
})
