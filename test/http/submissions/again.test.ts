import { expect, test } from 'vitest'
import { sale, shareCounter } from './given.ts'

const counter = shareCounter()

interface Status {
  lines: number | null
  refused: number | null
  items: number
}

test('when a copy of an earlier sale is sent again and again, then the earlier submission stays as it ended', async () => {
  const first = await counter().lines('sales', [sale('AG-1'), { orderNo: 'AG-2' }], { key: 'ag-first' })
  const copy = () => counter().lines('sales', [sale('AG-1')], { key: 'ag-copy' })
  for (const answer of [await copy(), await copy()])
    expect(answer).toMatchObject({ status: 200, body: { status: 'duplicate', id: first.body.id } })
  expect((await counter().get<Status>(`submissions/${first.body.id}`)).body).toMatchObject({ lines: 2, refused: 1 })
})

test('when a file that begins with a copy is sent again, longer, then it is its own submission that goes on and ends', async () => {
  const first = await counter().submit('sales', sale('AG-3'))
  const begun = await counter().lines('sales', [sale('AG-3'), sale('AG-4')], { key: 'ag-file' })
  const whole = await counter().lines('sales', [sale('AG-3'), sale('AG-4'), sale('AG-5')], { key: 'ag-file' })
  const again = await counter().lines('sales', [sale('AG-3'), sale('AG-4'), sale('AG-5')], { key: 'ag-file' })
  expect(begun.body.id).not.toBe(first.body.id)
  expect(whole).toMatchObject({ status: 202, body: { id: begun.body.id, accepted: 1, duplicates: 2 } })
  expect(again).toMatchObject({ status: 200, body: { id: begun.body.id, duplicates: 3 } })
  expect((await counter().get<Status>(`submissions/${begun.body.id}`)).body).toMatchObject({ lines: 3, items: 2 })
  expect((await counter().get<Status>(`submissions/${first.body.id}`)).body).toMatchObject({ lines: 1, items: 1 })
})
