import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { DIALECTS, type DialectName } from '../../../sandbox/platform/dialects/dialect.ts'
import { SUBMIT_SCOPES } from '../../../src/domain/scope.ts'
import type { DeliveryRow } from '../../../src/storage/rows.ts'
import { eventually } from '../../eventually.ts'
import { type BookedStore, openBooked } from '../accounting/books-given.ts'
import { inFlight, LINGER, waiting } from '../days/open-store.ts'

const WEBHOOK_SECRET = 'secret-of-the-webhooks'
const WEB = 900

/** A store of one dialect, with a shop that hands its orders over, and an ERP. */
export interface DialectStore extends BookedStore {
  /** Deliveries of a filter: `state=dead`. */
  rows(query: string): Promise<DeliveryRow[]>
  /** Submits one item as the ERP, and waits until the hub has done all that is due. Gives its deliveries to the platform. */
  submit(path: string, item: object | null, method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'): Promise<DeliveryRow[]>
}

/** Tells the same stories of a platform of each dialect; `tell` gets its name, and what gives the store in a test. */
export function inEveryDialect(tell: (dialect: DialectName, store: () => DialectStore) => void): void {
  describe.each(DIALECTS)('a platform that speaks %s', (dialect) => {
    let storage: DialectStore & AsyncDisposable
    beforeAll(async () => {
      storage = await openDialect(dialect)
    })
    afterAll(() => storage[Symbol.asyncDispose]())
    tell(dialect, () => storage)
  })
}

const HOUR = 3_600_000

/** Waits until nothing is owed any more: what the platform refuses, and other calls do not tell whose fault it is, is tried for a day. */
async function settled({ hub, clock, quiet }: BookedStore): Promise<void> {
  const isRefused = async () => {
    const found = await hub.hub.storage.deliveries({ state: 'waiting' })
    return found.length > 0 && found.every(({ code }) => /^(http-4|not-|too-late)/.test(code ?? ''))
  }
  await eventually(async () => {
    if ((await waiting(hub)) === 0) return true
    if ((await inFlight(hub)) === 0) clock.advance((await isRefused()) ? HOUR : LINGER)
    return false
  })
  await quiet()
}

async function openDialect(dialect: DialectName): Promise<DialectStore & AsyncDisposable> {
  const storage = await openBooked({
    dialect,
    seedCatalogue: false,
    shop: {
      webhookSecret: WEBHOOK_SECRET,
      storeMeta: 'store',
      intake: { stores: { 'Oslo City': '101', 'Bergen Torg': '102' }, country: 'NO' },
      stocks: { [WEB]: 'web' },
    },
    mirror: 'all',
  })
  const { hub, shop } = storage
  shop.sendWebhooksTo({ url: `${hub.url}/intake/shop`, secret: WEBHOOK_SECRET })
  const { body: erp } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: SUBMIT_SCOPES.join(',') })
  const rows = async (query: string) =>
    (await hub.admin<{ deliveries: DeliveryRow[] }>(`deliveries?limit=500&${query}`)).body.deliveries
  return {
    ...storage,
    rows,
    async submit(path, item, method = 'POST') {
      const before = new Set((await rows('destination=platform')).map(({ id }) => id))
      const { status, text } = await hub.ask(`/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${erp.key}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
        },
        body: item && JSON.stringify(item),
      })
      expect({ status, text }).toMatchObject({ status: 202 })
      await settled(storage)
      return (await rows('destination=platform')).filter(({ id }) => !before.has(id))
    },
  }
}
