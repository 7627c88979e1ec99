import { hash } from 'node:crypto'
import { storableText } from '../../domain/values/text.ts'

/*
 * Tables off the hot path are written once, as generators that yield statements: SQLite runs them in the writer's
 * transaction, PostgreSQL awaits each. SQLite's booleans are 0 and 1.
 */

/** `sqlite` null: not needed there (locks, as there is one writer). */
export interface Statement<Row> {
  name: string
  text: string
  sqlite: string | null
  row?: Row
}

export interface Asked {
  statement: Statement<unknown>
  values: readonly unknown[]
}

/** Statements that lead to a result; only PostgreSQL's own steps yield promises. */
export type Steps<T> = Generator<Asked | Promise<unknown>, T, unknown>

export type Later<M> = {
  [Name in keyof M]: M[Name] extends (...args: infer Args) => Steps<infer T> ? (...args: Args) => Promise<T> : never
}

export const STATEMENTS: Statement<unknown>[] = []

/** PostgreSQL's text with `$1` …; `sqlite` where the rules below cannot translate it. */
export function statement<Row = never>(text: string, sqlite: string | null = inSqlite(text)): Statement<Row> {
  const made = { name: hash('sha256', text).slice(0, 24), text, sqlite }
  STATEMENTS.push(made)
  return made
}

/** One transaction at a time, among all hubs. */
export function lockOf(what: string): Statement<never> {
  return statement(`select count(pg_advisory_xact_lock(hashtextextended(current_schema() || '.${what}', 0)))`, null)
}

/** `hex`: of bytes. */
export type ColumnTypes = Readonly<Record<string, 'bigint' | 'int' | 'text' | 'boolean' | 'hex'>>

export const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Columns as rows have them: `conflictWith` is `conflict_with`. */
export function selected(...names: readonly string[]): string {
  return names.map((name) => `${columnOf(name)} as "${name}"`).join(', ')
}

/** The rows of `$1` (`rowsOf`), whose names are as in `selected`, as the table `r`. */
export function givenOf(columns: ColumnTypes): string {
  const names = Object.entries(columns).map(([name, type]) => `"${name}" ${type === 'hex' ? 'text' : type}`)
  return `json_to_recordset($1::text::json) as r (${names.join(', ')})`
}

/** A column is, or becomes, what is given. */
export const isGiven = (name: string) => `${columnOf(name)} = r."${name}"`

/** Adds the rows of `givenOf`, in their order, or in that of `then`. */
export function insertOf(table: string, columns: ColumnTypes, then = ''): Statement<never> {
  const names = Object.keys(columns)
  const values = names.map((name) => (columns[name] === 'hex' ? `decode("${name}", 'hex')` : `"${name}"`))
  return statement(`
    insert into ${table} (${names.map((name) => `"${columnOf(name)}"`).join(', ')})
      select ${values.join(', ')} from ${givenOf(columns)} where true ${then}`)
}

/** After a conflict: the new row's values, but for its keys. */
export function setAll(...names: readonly string[]): string {
  return `do update set ${names.map((name) => `${columnOf(name)} = excluded.${columnOf(name)}`).join(', ')}`
}

const markReset = statement(
  'update hubs set resets = resets + 1 where id in (select id from hubs order by id for no key update)',
  null,
)

/** In the commit that changes deliveries behind the back of the hubs that have them in memory. */
export const readAnew = (): Steps<void> => execute(markReset)

export function* query<Row>(asked: Statement<Row>, values: readonly unknown[] = []): Steps<Row[]> {
  return (yield { statement: asked, values }) as Row[]
}

/** The first row; null: there is none. */
export function* first<Row>(asked: Statement<Row>, values: readonly unknown[] = []): Steps<Row | null> {
  return (yield* query(asked, values))[0] ?? null
}

/** Whether there is a row, or one was changed. */
export function* isAny(asked: Statement<unknown>, values: readonly unknown[]): Steps<boolean> {
  return (yield* query(asked, values)).length > 0
}

export function* execute(asked: Statement<unknown>, values: readonly unknown[] = []): Steps<void> {
  yield* query(asked, values)
}

export function* awaited<T>(work: Promise<T>): Steps<T> {
  return (yield work) as T
}

export async function executeLater<T>(steps: Steps<T>, answer: (asked: Asked) => Promise<unknown[]>): Promise<T> {
  let step = steps.next()
  while (!step.done) {
    let found: unknown
    try {
      found = await (step.value instanceof Promise ? step.value : answer(step.value))
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(found)
  }
  return step.value
}

/** For `json_to_recordset($1::text::json)`; NUL and lone surrogates, which PostgreSQL cannot store, become U+FFFD. */
export function rowsOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  return NOT_TEXT.test(json) ? JSON.stringify(rows, (_, value) => textOf(value)) : json
}

export function textOf<T>(value: T): T | string {
  return typeof value === 'string' ? storableText(value) : value
}

const NOT_TEXT = /\\u0000|\\ud[89a-f]/

export function inSqlite(text: string): string {
  return (
    text
      .replaceAll(
        /json_to_recordset\((\$\d+)::text::json\) as (\w+) \(([^)]*)\)/g,
        (_, value, name, columns: string) => {
          const names = columns.split(',').map((column) => /"?(\w+)"?/.exec(column)?.[1])
          return `(select ${names.map((one) => `value ->> '${one}' as "${one}"`).join(', ')} from json_each(${value})) as ${name}`
        },
      )
      .replaceAll(/unnest\((\$\d+)::\w+\[\]\) as (\w+) \((\w+)\)/g, '(select value as $3 from json_each($1)) as $2')
      .replaceAll(/= any\((\$\d+)::\w+\[\]\)/g, 'in (select value from json_each($1))')
      .replaceAll(/encode\(([\w.]+), 'hex'\)/g, 'lower(hex($1))')
      .replaceAll(/decode\(("?[\w.]+"?), 'hex'\)/g, 'unhex($1)')
      .replaceAll(/ collate "C"|::\w+| for update/g, '')
      .replaceAll('greatest(', 'max(')
      // There the caller's clock is the one.
      .replaceAll(/coalesce\((\$\d+), now_ms\(\)\)/g, '$1')
      // Word for word the conditions of its partial indexes.
      .replaceAll(/\b(latest_wins|is_level|once) and /g, '$1 = 1 and ')
  )
}
