import type { Catalog, Dialect, Named, Schema } from './dialect.ts'

/** A thing that a table lacks of what is written into it. */
export interface Lacking {
  /** `table x`, `column x.y`. */
  name: string
  /** The statements that make it. */
  statements: string[]
  /** The name is taken: something else is there by it. */
  isOther: boolean
}

const BOOKED_AT = { name: 'booked_at', type: 'instant' } as const

/** Every column that a table has here, with the one that the database fills in. */
export function columnsOf({ columns }: Named) {
  return [...columns, BOOKED_AT]
}

/** Pure. */
export function lackingOf(
  dialect: Pick<Dialect, 'createTable' | 'addColumns'>,
  table: Named,
  catalog: Catalog,
  schema: Schema,
): Lacking[] {
  const columns = catalog.get(table.name)
  if (!columns)
    return [
      {
        name: `table ${table.name}`,
        statements: dialect.createTable(table, schema),
        isOther: false,
      },
    ]
  if (!table.hasLines && columns.get('booking_key')?.isUnique === false)
    return [{ name: `unique ${table.name}.booking_key`, statements: [], isOther: true }]
  const lacking = columnsOf(table).filter(({ name }) => !columns.has(name))
  if (lacking.length === 0) return []
  return [
    {
      name: `column ${lacking.map(({ name }) => `${table.name}.${name}`).join(', ')}`,
      statements: dialect.addColumns(table, lacking, schema),
      isOther: lacking.some(({ type }) => type === 'key' || type === 'number'),
    },
  ]
}
