import request, { type Response } from 'supertest'
import type { SandboxPlatform } from '../../../../sandbox/platform/platform.ts'
import { HEADERS } from '../given.ts'

export const TEE = { gtin: '7090012340011', sku: 'TEE-BLK-M', extId: '10234-01' }

export const SCARF = {
  extId: '60001-RED',
  createProductSpecificSize: true,
  name: 'Scarf',
  number: '60001',
  variant: 'RED',
  groupName: 'Scarves',
  color: 'Cherry',
  season: 'SS27',
  brand: 'Sørvind',
  price: 249.5,
  images: ['https://images.example/scarf.jpg', 'https://images.example/scarf-back.jpg'],
  productSizes: [{ externalSKU: 'SCARF-RED', gtin: '7090012350010', label: '180 cm', labelSortIndex: '0,1' }],
}

export async function call(
  platform: SandboxPlatform,
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  body?: object,
): Promise<Response> {
  const asked = request(platform.url)[method](path).set(HEADERS)
  return body === undefined ? asked : asked.send(body)
}

/** The stock level of a GTIN, as the API tells it; null: it has no row. */
export async function levelOf(platform: SandboxPlatform, stockId: number, gtin: string): Promise<number | null> {
  const { body } = await call(platform, 'post', '/api/Stock', { stockIds: [stockId], useGTIN: true })
  const row = (body as { id: string; quantity: number }[]).find(({ id }) => id === gtin)
  return row?.quantity ?? null
}
