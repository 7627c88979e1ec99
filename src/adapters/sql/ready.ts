import { PermanentError } from '../../domain/values/errors.ts'
import type { Catalog, Connection, Dialect, Named, Schema } from './dialect.ts'
import { SqlFailure } from './errors.ts'
import type { Outcomes } from './outcome.ts'
import type { Transaction } from './pool.ts'

export interface Lacking {
  /** `table x`, `column x.y`. */
  name: string
  statements: string[]
  /** The name is taken: something else is there by it. */
  isOther: boolean
}

const BOOKED_AT = { name: 'booked_at', type: 'instant' } as const

/** Every column that a table has here, with the one that the database fills in. */
export function columnsOf({ columns }: Named) {
  return [...columns, BOOKED_AT]
}

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

export interface Ready {
  schema: Schema
  catalog: Catalog
}

/** Sees to it that the tables of a kind of record are there, once; knows how much room their columns have. */
export interface Tables {
  ready(signal: AbortSignal): Promise<Ready>
  /** The tables may be otherwise than they were: the next call looks again. */
  forget(): void
}

interface Tools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  what: string
  create: boolean
}

/** Another hub, or another call of this one, may make the same at the same time. */
const TURNS = 3

export function createTableCheck(
  tables: readonly Named[],
  { dialect, transaction, outcomes, what, create }: Tools,
): Tables {
  let known: Ready | null = null

  async function look(connection: Connection): Promise<Ready & { lacking: Lacking[] }> {
    const schema = await dialect.schema(connection)
    const catalog = await dialect.catalog(connection, tables, schema)
    const lacking = tables.flatMap((table) => lackingOf(dialect, table, catalog, schema))
    if (lacking.length === 0 || !create || lacking.some(({ isOther }) => isOther)) return { schema, catalog, lacking }
    for (const { statements } of lacking) for (const statement of statements) await connection.query(statement)
    return {
      schema: { ...schema, exists: true },
      catalog: await dialect.catalog(connection, tables, schema),
      lacking: [],
    }
  }

  async function once(signal: AbortSignal): Promise<Ready> {
    for (let turn = 1; ; turn++) {
      try {
        const { schema, catalog, lacking } = await transaction(signal, look)
        if (lacking.length > 0) throw missing(what, lacking)
        return { schema, catalog }
      } catch (error) {
        const kind = error instanceof SqlFailure ? error.trouble.kind : null
        if (!(kind === 'exists' && turn < TURNS)) throw outcomes.ofLooking(error)
      }
    }
  }

  return {
    async ready(signal) {
      known ??= await once(signal)
      return known
    },
    forget() {
      known = null
    },
  }
}

/** Of no record, but of the tables: it is answered to every one, until somebody has mended them. */
function missing(what: string, lacking: readonly Lacking[]): PermanentError {
  const other = lacking.find(({ isOther }) => isOther)
  if (other)
    return new PermanentError(`${what} has a table of this name that is something else: there is no ${other.name}.`, {
      code: 'bad-table',
      mayBeWide: true,
    })
  const names = lacking.map(({ name }) => name).join(', ')
  const statements = lacking.flatMap(({ statements }) => statements).join('; ')
  return new PermanentError(`${what} has no ${names}. This makes it: ${statements};`, {
    code: 'no-table',
    mayBeWide: true,
  })
}
