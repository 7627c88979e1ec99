import { asc, inArray } from 'drizzle-orm'
import type { Tables } from '../schema.ts'
import type { DeliveryDetail, DeliveryRow } from '../screens.ts'
import { createDeeds } from './act-screens.ts'
import { deliveryColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'

export function detailColumns(tables: Tables) {
  const { effect, released, tookMs, tookNote } = tables.deliveries
  return { ...deliveryColumns(tables), effect, released, tookMs, tookNote }
}

type DetailRow = DeliveryRow & {
  effect: string | null
  released: string | null
  tookMs: number | null
  tookNote: string | null
}

/** The attempt stored in the row of one delivered at once. */
function firstOf(
  { firstTriedAt, code }: DeliveryRow,
  ms: number | null,
  note: string | null,
): DeliveryDetail['attempts'] {
  if (ms === null || firstTriedAt === null) return []
  return [{ at: firstTriedAt, ms, outcome: 'delivered', code: code ?? 'delivered', note }]
}

/** Adds attempts and operator actions in two queries. */
export function createDetails(db: Db, dialect: Dialect) {
  const { tables, attemptsOfInstant } = dialect
  const { attempts } = tables
  const { ofDeliveries: deedsOf } = createDeeds(db, dialect)

  async function attemptsOf(ids: number[]) {
    const { deliveryId, at, ms, outcome, code, note } = attempts
    const rows = await db
      .select({ deliveryId, row: { at, ms, outcome, code, note } })
      .from(attempts)
      .where(inArray(deliveryId, ids))
      .orderBy(asc(at), ...attemptsOfInstant)
    return Map.groupBy(rows, (one) => one.deliveryId)
  }

  return async (rows: DetailRow[]): Promise<DeliveryDetail[]> => {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const tries = await attemptsOf(ids)
    const deeds = await deedsOf(ids)
    return rows.map(({ tookMs, tookNote, ...row }) => ({
      ...row,
      released: row.released === null ? null : JSON.parse(row.released),
      attempts: [...firstOf(row, tookMs, tookNote), ...(tries.get(row.id) ?? []).map((one) => one.row)].sort(
        (a, b) => a.at - b.at,
      ),
      audit: deeds.get(row.id) ?? [],
    }))
  }
}
