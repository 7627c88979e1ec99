import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { MirrorChange } from '../../domain/catalogue/mirror.ts'
import type { StoreRecord } from '../../domain/stores/store-index.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { pluralize, someOf } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform, PlatformStore } from '../../platform/platform.ts'
import { readStoreDetails } from '../../platform/resources/stock.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { HubJob } from '../engine/job.ts'
import { rejectedNote } from './days.ts'

interface Options {
  platform: Pick<Platform, 'stores'>
  save(records: StoreRecord[], now: Instant): Promise<void>
  known(): Promise<StoredStore[]>
  saveDetails(details: MirrorChange[], now: Instant): Promise<void>
  logger: Logger
}

const State = z
  .object({
    stores: z.number(),
    /** Since when the platform names fewer than half of them. */
    fewSince: z.number().nullable().default(null),
  })
  .catch({ stores: 0, fewSince: null })

const DOUBTED = 24 * 3_600_000

/** Stores the platform's stores (spec, GET /api/Stores), and names what they lack. */
export function storesJob({ platform, save, known, saveDetails, logger }: Options): HubJob {
  return {
    name: 'stores',
    atStart: true,
    async run({ now, signal, state, save: keep }) {
      const { rows, rejected } = await platform.stores.list(signal)
      const listed = [...Map.groupBy(rows, ({ storeId }) => storeId).values()].flatMap(([first]) => first ?? [])
      const { stores: before, fewSince } = State.parse(state)
      if (listed.length === 0 && before > 0)
        throw new RetryLaterError(`the platform names no store, but had ${before}; the records stay as they are`, {
          code: 'no-stores',
        })
      const few = listed.length + rejected.length < before / 2 ? Math.min(fewSince ?? now, now) : null
      if (few !== null && now - few < DOUBTED) {
        await keep({ stores: before, fewSince: few })
        throw new RetryLaterError(
          `the platform names ${pluralize(listed.length, 'store')}, but had ${before}: the records stay as they are until it has said so for a day`,
          { code: 'few-stores' },
        )
      }
      // They may be among the unreadable rows.
      const there = new Set(listed.map(({ storeId }) => storeId))
      const stay = ({ storeId, goneAt }: StoredStore) => goneAt === null && !there.has(storeId)
      const unread = rejected.length === 0 ? [] : (await known()).filter(stay)
      await save([...listed, ...unread].map(recordOf), now)
      await saveDetails(listed.map(detailsOf), now)
      const lacks = [...lacking(listed), ...named('listed again as another, which is left out', againOtherwise(rows))]
      if (lacks.length > 0) logger.warn({ lacks }, 'stores.incomplete')
      const stores = listed.length + unread.length
      const note = [`${listed.length} stores${rejectedNote(rejected.length)}`, ...lacks].join('; ')
      return { state: { stores, fewSince: null }, note }
    },
  }
}

function recordOf({ storeId, number, name, stockId, countryCode, currency, zone }: StoreRecord): StoreRecord {
  return { storeId, number, name, stockId, countryCode, currency, zone }
}

function detailsOf({ storeId, record = {} }: PlatformStore): MirrorChange {
  const row = { key: storeId, place: null, article: null, day: '', part: null, version: 0, tie: 0 }
  return { type: 'put', row: { set: 'store-details', ...row, body: { ...readStoreDetails(record) } } }
}

/** Stores listed twice with different data: the first one holds. */
function againOtherwise(rows: readonly StoreRecord[]): string[] {
  const byId = Map.groupBy(rows, ({ storeId }) => storeId)
  const isOther = ([first, ...others]: StoreRecord[]) =>
    first !== undefined && others.some((one) => !isDeepStrictEqual(recordOf(one), recordOf(first)))
  return [...byId].filter(([, same]) => isOther(same)).map(([storeId]) => storeId)
}

/** In words. */
function lacking(stores: readonly StoreRecord[]): string[] {
  const without = (what: string, lacks: (store: StoreRecord) => boolean) =>
    named(`without ${what}`, stores.filter(lacks).map(storeNameOf))
  const byNumber = Map.groupBy(stores, ({ number }) => number)
  const shared = [...byNumber].filter(([number, all]) => number !== null && all.length > 1)
  const twice = shared.map(([number, all]) => `${number} (${all.map(({ storeId }) => storeId).join(' and ')})`)
  return [
    ...without('number', ({ number }) => number === null),
    ...without('time zone', ({ zone }) => zone === null),
    ...without('country', ({ countryCode }) => countryCode === null),
    ...without('stock', ({ stockId }) => stockId === null),
    ...named('not distinguished by number', twice),
  ]
}

const NAMED = 5

function named(what: string, all: readonly string[]): string[] {
  return all.length === 0 ? [] : [`${all.length} ${what}: ${someOf(all, NAMED)}`]
}

function storeNameOf({ number, storeId, name }: StoreRecord): string {
  return number ?? (name === null ? storeId : `${storeId} ${name}`)
}
