import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import { booksIn } from '../../domain/people/erasing/books.ts'
import type { Needle } from '../../domain/people/erasing/needles.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { PersonalRow, PlaceValue } from '../../store/people/personal-row.ts'
import { type PlaceName, placeOf } from '../../store/people/places.ts'

/** Columns by which rows are known again, of numbers of receipts and orders among others. */
const KEYS = new Set(['identity', 'entity', 'subject', 'effect', 'unless', 'transport_key', 'key'])

/** Sets of the mirror that are of goods and stores alone. */
const OF_GOODS: ReadonlySet<string> = new Set<MirrorSet>([
  'stock',
  'movements',
  'sales-lines',
  'products',
  'retail-lists',
  'dated-prices',
  'store-details',
])

/** Whether a row speaks of goods and stores alone: what is written there is nobody's, whoever is called so. Pure. */
export function isOfGoods(place: PlaceName, values: readonly PlaceValue[]): boolean {
  return place === 'mirror' && OF_GOODS.has(String(values[placeOf(place).columns.indexOf('set_name')]))
}

/**
 * The texts of a person that a column may say of them. In keys a name of one word may be that of what the row is about (`sale:101/…`),
 * and in those of other rows digits are numbers of whatever it is. Pure.
 */
export function needlesIn(column: string, needles: readonly Needle[], isOwn: boolean): readonly Needle[] {
  if (!KEYS.has(column)) return needles
  return needles.filter(({ text, sort, isSure }) => (isOwn ? sort !== 'name' || isSure : !/^\d+$/.test(text)))
}

/** The texts by which a row speaks of goods, stores and numbers of the books. Pure. */
export function booksOf(place: PlaceName, { values }: Pick<PersonalRow, 'values'>): string[] {
  const isOfBooks = isOfGoods(place, values)
  return placeOf(place).columns.flatMap((column, index) => {
    const value = values[index] ?? null
    if (value === null) return []
    if (KEYS.has(column)) return String(value).match(/\d+/g) ?? []
    return column === 'body' ? [...booksIn(payloadOrNull(Buffer.from(value as Uint8Array)), isOfBooks)] : []
  })
}
