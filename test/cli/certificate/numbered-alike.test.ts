import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Certificate } from '../../../src/domain/ledger/certificate/certificate.ts'
import { eventually } from '../../eventually.ts'
import { sale, saleLine, store } from '../../fixtures/payloads.ts'
import { ADMIN_TOKEN, createFolder } from '../../hub.ts'
import { openDesk, STORES, storeRecord } from '../../receiver/mirror/given.ts'
import { tillbridge } from '../run.ts'

/* A chain in two countries, each of which has a store 7. */

const DAY = '2026-11-20'
const OSLO = storeRecord('70', { number: '7', name: 'Oslo', stockId: '170' })
const MALMO = storeRecord('71', { number: '7', name: 'Malmö', stockId: '171', countryCode: 'SE', currency: 'SEK' })

function soldIn(countryCode: string, currency: string, posId: number, total: number) {
  return sale({
    receiptNo: '1',
    createdDateTime: `${DAY}T12:00:00`,
    total,
    vatTotal: total / 5,
    orderLines: [saleLine({ price: total, fullPrice: total, vat: total / 5 })],
    paymentLines: [{ type: 'Card', subType: null, currency, amount: total }],
    store: store({ storeExtId: '7', posId, currency, address: { countryCode } }),
  })
}

test('When an auditor asks for a day of one of two stores that have one number, then the certificate has what that one sold', async () => {
  await using folder = await createFolder()
  await using desk = await openDesk({}, [...STORES, OSLO, MALMO])
  await desk.hub.post('SaleCreated', soldIn('NO', 'NOK', 31, 100))
  await desk.hub.post('SaleCreated', soldIn('SE', 'SEK', 32, 250))
  await eventually(async () => {
    expect(await desk.hub.hub.store.mirrorPage({ set: 'sales' }, null, 10)).toHaveLength(2)
  })

  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, TILLBRIDGE_OPERATOR: 'kari' }
  const sold = async (id: string) => {
    const file = join(folder.path, `${id}.json`)
    expect(await tillbridge(['certificate', 'make', '--store', id, '--day', DAY, '--out', file], env)).toMatchObject({
      code: 0,
    })
    const { rows } = JSON.parse(await readFile(file, 'utf8')) as Certificate
    return rows.sales.map(([, total, currency]) => `${total} ${currency}`)
  }
  expect([await sold('70'), await sold('71')]).toEqual([['100 NOK'], ['250 SEK']])
})
