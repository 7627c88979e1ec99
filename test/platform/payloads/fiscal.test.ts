import { expect, test } from 'vitest'
import { readFiscal } from '../../../src/platform/payloads/settlement.ts'
import { pulledSettlement } from '../../fixtures/payloads.ts'

test('when a settlement has a fiscal report, then its number, its counters and its counts are read', () => {
  const SAFT_ZReport = {
    reportID: '17',
    registerID: '421',
    reportReceiptNum: 40,
    reportReturnNum: '2',
    reportReturnAmnt: -349,
    reportTrainingAmnt: 120,
    reportGrandTotalSales: 10_500.5,
    reportGrandTotalReturn: '500.50',
    reportGrandTotalSalesNet: 10_000,
  }
  expect(readFiscal(pulledSettlement({ SAFT_ZReport }))).toEqual({
    number: '17',
    registerId: '421',
    counters: { sales: '10500.5', returns: '500.5', net: '10000' },
    counts: { receipts: 40, returns: 2 },
    returned: '349',
    training: '120',
  })
})

test('when a part of it cannot be read, then the rest is, and the settlement is none the worse', () => {
  const SAFT_ZReport = {
    reportID: '17',
    reportReceiptNum: 1.5,
    reportGrandTotalSales: '10.500,50',
    reportReturnNum: {},
  }
  expect(readFiscal(pulledSettlement({ SAFT_ZReport }))).toEqual({
    number: '17',
    registerId: null,
    counters: { sales: null, returns: null, net: null },
    counts: { receipts: null, returns: null },
    returned: null,
    training: null,
  })
  for (const nothing of [undefined, null, 'none', 7]) expect(readFiscal({ SAFT_ZReport: nothing })).toBeNull()
})
