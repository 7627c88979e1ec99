import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS } from './given.ts'

const NOON = Date.parse('2026-11-20T12:00:00.120Z')
const NOVEMBER = "from='2026-11-01'&to='2026-11-30'"

describe('Saleslines', () => {
  // Facts, §5 traps 10, 13 and 14.
  test('When a day was sold, then its lines have decimals as text and the store’s time without a zone', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.pos.sell({
      store: '101',
      lines: [
        { sku: 'SOCKS-GRY', quantity: 3 },
        { sku: 'COFFEE', quantity: -1 },
      ],
    })
    const { body } = await read(platform, `Saleslines?${NOVEMBER}`).expect(200)
    expect(body['odata.metadata']).toContain('/odata/$metadata#Saleslines')
    expect(body.value).toMatchObject([
      { STOREID_FK: 42, EAN: '7090012340059', Qty: '3.00', FullPrice: '149.90', VATPercent: '0.250', Currency: 'NOK' },
      { Qty: '-1.00', FullPrice: '45.50', VATPercent: '0.150', SaleDateTime: '2026-11-20T13:00:00.12' },
    ])
    expect(Number(body.value[1].Price)).toBeGreaterThan(0)
  })

  // Facts, §5 trap 6.
  test('When no days are given, then only the current month is shown, and nobody says so', async () => {
    let now = Date.parse('2026-10-31T12:00:00Z')
    await using platform = await givenPlatform({ now: () => now })
    platform.pos.sell({ lines: [{ sku: 'COFFEE' }] })
    now = NOON
    platform.pos.sell({ lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, 'Saleslines')).toBe(1)
  })

  // Facts, §5 trap 3.
  test('When a joined column is filtered, then there are no rows, and no error', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.pos.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=Store eq 'Oslo City'`)).toBe(0)
    const day = "SaleDate ge datetime'2026-11-20T00:00:00' and SaleDate lt datetime'2026-11-21T00:00:00'"
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=STOCKID_FK eq 12 and ${day}`)).toBe(1)
  })
})

function read(platform: SandboxPlatform, path: string) {
  return request(platform.url)
    .get(`/odata/${path.replaceAll(' ', '%20')}`)
    .set({ ...HEADERS, accept: 'application/json' })
}

async function count(platform: SandboxPlatform, path: string): Promise<number> {
  const { body } = await read(platform, path).expect(200)
  return body.value.length
}
