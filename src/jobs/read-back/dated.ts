import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import type { Store } from '../../store/store.ts'
import type { Check } from './check.ts'

interface Dated {
  price: string
  from: Instant | null
  to: Instant | null
}

/** Remembers a price that holds for some time, beside others of the product in its list; those that are over go. */
export async function keepDated(
  store: Pick<Store, 'mirrorPage' | 'saveMirror'>,
  { list, price, from, to }: NonNullable<Check['dated']>,
  productId: string,
  now: Instant,
): Promise<void> {
  const part = partOf(list, productId)
  const body = { price: parseDecimal(price), from: finite(from), to: finite(to) }
  const kept = await datedRows(store, part)
  const others = kept.filter((row) => !isOver(row, now) && row.body.from !== body.from)
  const row = { set: 'dated-prices' as const, key: `${part}/${body.from}`, place: null, article: productId, day: '' }
  const rows: MirrorRow[] = [...others.map(rowOf), { ...row, part, version: 0, tie: 0, body }]
  await store.saveMirror([{ type: 'replace', set: 'dated-prices', part, rows }], now)
}

export async function datedPrices(
  store: Pick<Store, 'mirrorPage'>,
  list: string,
  productId: string,
  now: Instant,
): Promise<string[]> {
  const rows = await datedRows(store, partOf(list, productId))
  return rows.filter((row) => !isOver(row, now) && ((row.body.from as number | null) ?? 0) <= now).map(priceOf)
}

function partOf(list: string, productId: string): string {
  return `${list}/${productId}`
}

function datedRows(store: Pick<Store, 'mirrorPage'>, part: string): Promise<MirrorRow[]> {
  return store.mirrorPage({ set: 'dated-prices', part }, null, 1_000)
}

function isOver({ body }: MirrorRow, now: Instant): boolean {
  return body.to !== null && (body as unknown as Dated & { to: number }).to <= now
}

function priceOf({ body }: MirrorRow): string {
  return (body as unknown as Dated).price
}

function rowOf({ set, key, place, article, day, part, version, tie, body }: MirrorRow): MirrorRow {
  return { set, key, place, article, day, part, version, tie, body }
}

function finite(instant: Instant): Instant | null {
  return Number.isFinite(instant) ? instant : null
}
