import type { Examined } from '../../ports/examined.ts'
import type { Catalog, Connection, Dialect, Named, Schema } from './dialect.ts'
import { SqlFailure } from './failure.ts'
import { columnsOf, type Lacking, lackingOf } from './lacking.ts'
import type { Outcomes } from './outcome.ts'
import type { ColumnType, Value } from './tables/columns.ts'
import type { Transaction } from './transaction.ts'

interface Tools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  /** Whether what is missing is made. */
  create: boolean
  signal: AbortSignal
}

/** The ground that is there, before each table is looked at. */
interface Ground {
  schema: Schema
  catalog: Catalog
  mayCreate: boolean | null
  isReadOnly: boolean
}

/** Looks at the tables of config: nothing is written. Throws as a call does where it gets no further. */
export async function examineDatabase(tables: readonly Named[], tools: Tools): Promise<Examined[]> {
  const { dialect, outcomes } = tools
  try {
    const ground = await tools.transaction(tools.signal, async (connection) => {
      const schema = await dialect.schema(connection)
      const catalog = await dialect.catalog(connection, tables, schema)
      const mayCreate = await dialect.mayCreate(connection, schema)
      return { schema, catalog, mayCreate, isReadOnly: await dialect.isReadOnly(connection) }
    })
    const found: Examined[] = [...KNOWN, ...(ground.isReadOnly ? [READ_ONLY] : [])]
    for (const table of tables) found.push(await lookAtTable(table, ground, tools))
    return found
  } catch (error) {
    throw outcomes.ofLooking(error)
  }
}

const KNOWN: Examined[] = [
  { what: 'connection', state: 'ok', says: 'The database answers.' },
  { what: 'credentials', state: 'ok', says: 'It takes our user and password.' },
]

const READ_ONLY: Examined = {
  what: 'rights',
  state: 'problem',
  says: 'Nothing can be written now: the database is read-only, as a standby is.',
  todo: 'name the server in the url that takes writes, or have it made writable.',
}

async function lookAtTable(table: Named, ground: Ground, tools: Tools): Promise<Examined> {
  const { create, dialect } = tools
  const what = `table ${table.name}`
  const problem = (says: string, todo: string): Examined => ({ what, state: 'problem', says, todo })
  const needed = lackingOf(dialect, table, ground.catalog, ground.schema)
  const makes = `run: ${needed.flatMap(({ statements }) => statements).join('; ')};`
  const columns = ground.catalog.get(table.name)
  if (!columns) {
    // A catalogue hides what one has no right on.
    if ((await refusalOf((connection) => dialect.hasKey(connection, table, 'x', ground.schema), tools)) === 'rights')
      return problem('This user has no right on it.', grantFor(table))
    if (!create) return problem('It is not there, and createTables is false.', makes)
    if (ground.mayCreate) return { what, state: 'note', says: 'It is not there, and is made with the first record.' }
    const says = 'It is not there, and this user'
    if (ground.mayCreate === false) return problem(`${says} may not make it.`, makes)
    return { what, state: 'unknown', says: `${says} was not granted to make it, unless by a role.`, todo: makes }
  }
  const other = needed.find(({ isOther }) => isOther)
  if (other) return problem(`It is something else: there is no ${other.name}.`, 'give tablePrefix another value.')
  if (needed.length > 0 && !create) return problem(`There is no ${namesOf(needed)}, and createTables is false.`, makes)

  const unlike = columnsOf(table).flatMap(({ name, type }) => unlikeness(name, type, columns.get(name)?.type, dialect))
  if (unlike.length > 0)
    return problem(`Of another type: ${unlike.join(', ')}.`, 'change them, or give tablePrefix another value.')
  if (needed.length > 0)
    return { what, state: 'note', says: `There is no ${namesOf(needed)}: the next record adds it, if this user may.` }
  return await judgeRights(table, what, ground, tools)
}

function namesOf(lacking: readonly Lacking[]): string {
  return lacking.map(({ name }) => name).join(', ')
}

function unlikeness(name: string, type: ColumnType, is: string | undefined, { keeps }: Dialect): string[] {
  return is === undefined || keeps[type].includes(is) ? [] : [`${name} is ${is}, where ${keeps[type][0]} is written`]
}

/** Has the database plan each statement that the adapter writes with, which asks for the same rights and does nothing. */
async function judgeRights(table: Named, what: string, { schema }: Ground, tools: Tools): Promise<Examined> {
  const { dialect } = tools
  const rows = [table.columns.map(({ type }) => SAMPLES[type] ?? null)]
  const statements: [string, (connection: Connection) => Promise<unknown>][] = table.hasLines
    ? [
        ['insert', (connection) => dialect.insert(connection, table, rows, schema)],
        ['delete', (connection) => dialect.deleteKeys(connection, table, ['x'], schema)],
      ]
    : [
        ['insert and update', (connection) => dialect.upsert(connection, table, rows, schema)],
        ['select', (connection) => dialect.hasKey(connection, table, 'x', schema)],
      ]
  const lacking: string[] = []
  for (const [name, statement] of statements) {
    const refusal = await refusalOf(statement, tools)
    if (refusal === 'rights') lacking.push(name)
    else if (refusal !== null)
      return { what, state: 'problem', says: `It is not as it is written to (${name}).`, todo: AS_IT_IS_MADE }
  }
  if (lacking.length > 0)
    return { what, state: 'problem', says: `This user may not ${lacking.join(', ')} there.`, todo: grantFor(table) }
  return { what, state: 'ok', says: 'It is as it should be, and this user may write there.' }
}

const AS_IT_IS_MADE =
  'compare it with the one that the hub makes (a unique booking_key), or give tablePrefix another value.'

/** Values for the columns that must have one; all others may be empty. */
const SAMPLES: Partial<Record<ColumnType, Value>> = { key: 'x', number: 1 }

function grantFor({ name }: Named): string {
  return `grant select, insert, update and delete on ${name} to the user of the url.`
}

/** The refusal that keeps a statement from being carried out; null: none. It is planned, not carried out. */
async function refusalOf(
  statement: (connection: Connection) => Promise<unknown>,
  { transaction, signal }: Tools,
): Promise<string | null> {
  try {
    await transaction(signal, (connection) => statement(explaining(connection)))
    return null
  } catch (error) {
    const kind = error instanceof SqlFailure ? error.trouble.kind : null
    if (kind !== null && REFUSALS.includes(kind)) return kind
    throw error
  }
}

const REFUSALS = ['rights', 'missing', 'statement', 'data']

function explaining(connection: Connection): Connection {
  return {
    query: (statement, values) => connection.query(`explain ${statement}`, values),
    get isOpen() {
      return connection.isOpen
    },
    longestStatement: connection.longestStatement,
    close: () => connection.close(),
    cancel: () => connection.cancel(),
  }
}
