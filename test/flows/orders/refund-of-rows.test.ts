import { expect, test } from 'vitest'
import { readOrderReturn } from '../../../src/platform/payloads/order-update.ts'
import { refundUpdate } from '../../fixtures/payloads.ts'

const linesOf = (...statuses: string[]) => {
  const orderLines = statuses.map((status) => ({ quantity: 1, gtin: '7090012340011', id: null, status }))
  return readOrderReturn(refundUpdate({ orderLines }))?.lines.map(({ status, quantity }) => `${quantity} ${status}`)
}

test('When rows of one article without a row id differ in status, then none of them counts as returned: a person is asked', () => {
  expect(linesOf('Returned', 'UnHandled')).toEqual(['2 Returned and UnHandled'])
  expect(linesOf('Rejected', 'Returned', 'Returned')).toEqual(['3 Rejected and Returned'])
  expect(linesOf('Returned', 'Returned')).toEqual(['2 Returned'])
})
