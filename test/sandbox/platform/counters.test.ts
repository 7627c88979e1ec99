import request from 'supertest'
import { expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS } from './given.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

interface Reported {
  PosId: number
  BatchNumber: number
  GrandTotal: number
  SAFT_ZReport: Record<string, number | string>
}

/** The settlements of the day that are listed, oldest first. */
async function listed(platform: SandboxPlatform): Promise<Reported[]> {
  const asked = request(platform.url).get('/api/Possettlementv2').set(HEADERS)
  return (await asked.query({ date: '2026-11-20' }).expect(200)).body
}

test('when a till is closed again and again, then its numbers run on, and its counters grow by what it sold', async () => {
  await using platform = await givenPlatform({ now: () => NOON })
  const { sell, returnGoods } = platform.actions
  platform.tills.train(421, 50_000)
  for (const _ of [1, 2, 3]) {
    sell({ store: '101', till: 1, payment: 'cash' })
    sell({ store: '101', till: 1 })
    returnGoods({ store: '101', till: 1, sku: 'COFFEE' })
    platform.closeDay('101')
  }
  const reports = await listed(platform)
  expect(reports.map(({ BatchNumber }) => BatchNumber)).toEqual([1, 2, 3])
  let net = 0
  for (const { GrandTotal, BatchNumber, SAFT_ZReport: z } of reports) {
    net += GrandTotal
    expect(z).toMatchObject({ reportID: String(BatchNumber), reportReceiptNum: 2, reportReturnNum: 1 })
    expect(z.reportGrandTotalSalesNet).toBeCloseTo(net, 6)
    expect(Number(z.reportGrandTotalSales) - Number(z.reportGrandTotalReturn)).toBeCloseTo(net, 6)
  }
  expect(reports.map(({ SAFT_ZReport: z }) => z.reportTrainingAmnt)).toEqual([500, 0, 0])
})

test('when a till is replaced, restored, or its report hidden, then its counters and the list say so', async () => {
  await using platform = await givenPlatform({ now: () => NOON })
  const close = () => {
    platform.actions.sell({ store: '101', till: 1, sku: 'COFFEE' })
    platform.closeDay('101')
  }
  close()
  close()
  platform.tills.restore(421)
  close()
  platform.tills.replace(421)
  close()
  platform.tills.hide(true)
  close()
  platform.tills.hide(false)
  close()
  const numbers = async () => (await listed(platform)).map(({ BatchNumber }) => BatchNumber)
  expect(await numbers()).toEqual([1, 2, 2, 1, 3])
  platform.tills.show()
  expect(await numbers()).toEqual([1, 2, 2, 1, 2, 3])
})
