import { type LevelRead, levelIn, stockKey } from '../../domain/catalogue/mirror.ts'
import type { StockDifference } from '../../domain/catalogue/stock-difference.ts'
import { addDays } from '../../domain/values/day.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import { partsOf } from '../../lib/parts.ts'
import { stockNow } from '../../platform/areas/stock/stock-now.ts'
import type { ReconcileOptions } from './reconcile-options.ts'

/** The most rows that are looked up in the mirror at once. */
const ROWS_PER_READ = 500

/** Movements of so many days are looked through for one that was missed. */
const DAYS = 7

/** The platform's levels of a stock now, against the mirror. */
export async function compareStock(
  options: ReconcileOptions,
  stockId: string,
  run: string,
  signal: AbortSignal,
): Promise<StockDifference[]> {
  const { platform, store, clock } = options
  const readAt = clock.now()
  // Nothing was read of it yet: the job stock-levels will.
  const isNew = (await store.mirrorPage({ set: 'stock', place: stockId }, null, 1)).length === 0
  if (isNew) return []
  const { rows, suspect } = await stockNow(platform, stockId, signal)
  if (suspect) throw new RetryLaterError(`the platform lists nothing for stock ${stockId}`, { code: 'suspect' })
  const levels = new Map(rows.flatMap(({ gtin, quantity }) => (gtin === null ? [] : [[gtin, quantity] as const])))
  const found: StockDifference[] = []
  for (const some of partsOf([...levels], ROWS_PER_READ)) {
    signal.throwIfAborted()
    const mirrored = await store.mirrorRows(
      'stock',
      some.map(([gtin]) => stockKey(stockId, gtin)),
    )
    const byArticle = new Map(mirrored.map((row) => [row.article, row]))
    for (const [gtin, right] of some) {
      const row = byArticle.get(gtin)
      const level = row ? levelIn(row) : ZERO
      if (level === right) continue
      // The level has moved since the platform was asked.
      const cause = !row ? 'missed-event' : row.version > readAt ? 'in-transit' : 'unknown'
      const sku = (row?.body.sku as string | undefined) ?? null
      const detail = row ? null : 'the mirror never had it'
      found.push({ run, of: { stockId }, gtin, sku, right, found: level, cause, ...NEW, detail, readAt })
    }
  }
  return await withMissed(options, stockId, found, signal)
}

const ZERO = '0' as LevelRead['level']

const NEW = { state: 'proposed', approved: null } as const

/** The differences, those told apart whose movements the mirror never got, by the platform's list of them. */
async function withMissed(
  { platform, store, movementId, clock }: ReconcileOptions,
  stockId: string,
  found: StockDifference[],
  signal: AbortSignal,
): Promise<StockDifference[]> {
  if (movementId === undefined || !found.some(({ cause }) => cause === 'unknown')) return found
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  const query = { from: addDays(today, -DAYS), to: addDays(today, 1), stock: stockId, select: [movementId] }
  const missed = new Map<string, string[]>()
  const differing = new Set(found.map(({ gtin }) => gtin))
  for await (const { rows } of platform.stockMovements.list(query, signal)) {
    const ofArticle = rows.filter(({ gtin }) => gtin !== null && differing.has(gtin))
    const ids = ofArticle.flatMap(({ gtin, record }) => {
      const id = text(record, movementId)
      return id === null || gtin === null ? [] : [{ id, gtin }]
    })
    for (const some of partsOf(ids, ROWS_PER_READ)) {
      const known = await store.mirrorRows(
        'movements',
        some.map(({ id }) => id),
      )
      const has = new Set(known.map(({ key }) => key))
      for (const { id, gtin } of some) {
        if (has.has(id)) continue
        const ids = missed.get(gtin) ?? []
        missed.set(gtin, ids)
        if (ids.length < NAMED) ids.push(id)
      }
    }
  }
  return found.map((one) => {
    const ids = missed.get(one.gtin)
    if (one.cause !== 'unknown' || !ids) return one
    return { ...one, cause: 'missed-event', detail: `movements that never came: ${ids.join(', ')}` }
  })
}

/** The most rows that are named. */
const NAMED = 5
