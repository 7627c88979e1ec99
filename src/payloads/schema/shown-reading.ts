import { counted } from '../../domain/values/text.ts'
import { placeOf } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import { canRead, valueAt } from '../read-field.ts'
import { rowsIn, wrong } from '../unread.ts'

export interface ShownField {
  field: string
  needed: boolean
  values: string[]
}

export const HIDDEN_FIELDS: ReadonlySet<string> = new Set(
  `customer customerId extId email firstName lastName companyName phone phoneCountryPrefix address
  postalCode city country recipient recipientName signature giftCardId`.split(/\s+/),
)

const HIDDEN = '(there, not shown)'
const MOST_ROWS = 5
const NAMES_ZONE = /(Z|[+-]\d\d:?\d\d)$/i

export function shownReading(kind: string, payload: unknown): ShownField[] {
  const shape = shapeOf(kind)
  if (!shape) return []
  const needed = new Set(shape.essentials.flat())
  return Object.entries(shape.fields).map(([field, { names, is }]) => {
    const { list, name } = placeOf(field)
    const places = list === null ? [payload] : rowsIn(shape, list, payload)
    const values = places.slice(0, MOST_ROWS).map((place) => {
      const found = names.map((path) => valueAt(place, path))
      const value = found.find((one) => canRead(is, one))
      if (value === undefined)
        return wrong(
          is,
          found.find((one) => one !== undefined && one !== null),
        )
      if (HIDDEN_FIELDS.has(name)) return HIDDEN
      return is === 'time' && !NAMES_ZONE.test(String(value)) ? `${shown(value)} (the store's time)` : shown(value)
    })
    const more = places.length - values.length
    return { field, needed: needed.has(field), values: more > 0 ? [...values, `and ${more} more`] : values }
  })
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return counted(value.length, 'row')
  if (typeof value === 'object') return HIDDEN
  const text = String(value)
  // An @ may be an address mapped here by mistake.
  if (text.includes('@')) return HIDDEN
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
