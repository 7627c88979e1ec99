import { hash } from 'node:crypto'
import { storableText } from '../../domain/values/text.ts'

/*
 * Tables off the hot path are written once: generators yield statements and get rows back. SQLite runs them inside the
 * writer's transaction, PostgreSQL awaits each answer. Booleans of SQLite are 0 and 1.
 */

/** A statement of both engines. SQLite has nothing to do where `sqlite` is null (locks: it has one writer). */
export interface Statement<Row> {
  name: string
  text: string
  sqlite: string | null
  /** Never there: it carries the type. */
  row?: Row
}

interface Asked {
  statement: Statement<unknown>
  values: readonly unknown[]
}

/** A sequence of statements that comes to a result. */
export type Steps<T> = Generator<Asked, T, unknown[]>

/** All statements of tables: a test reads their plans. */
export const STATEMENTS: Statement<unknown>[] = []

/** A statement in PostgreSQL's words, with `$1` … as values. `sqlite`: the same for SQLite, where rules cannot translate it. */
export function statement<Row = never>(text: string, sqlite: string | null = inSqlite(text)): Statement<Row> {
  const made = { name: hash('sha256', text).slice(0, 24), text, sqlite }
  STATEMENTS.push(made)
  return made
}

/** Lets one transaction at a time go on behind it, among all hubs. */
export function lockOf(what: string): Statement<never> {
  return statement(`select count(pg_advisory_xact_lock(hashtextextended(current_schema() || '.${what}', 0)))`, null)
}

/** The rows that a statement answers. */
export function* query<Row>(asked: Statement<Row>, values: readonly unknown[] = []): Steps<Row[]> {
  return (yield { statement: asked, values }) as Row[]
}

/** Runs steps whose statements are answered at once. */
export function carryOut<T>(steps: Steps<T>, answer: (asked: Asked) => unknown[]): T {
  let step = steps.next()
  while (!step.done) step = steps.next(answer(step.value))
  return step.value
}

/** Runs steps whose statements are answered later. */
export async function carryOutLater<T>(steps: Steps<T>, answer: (asked: Asked) => Promise<unknown[]>): Promise<T> {
  let step = steps.next()
  while (!step.done) step = steps.next(await answer(step.value))
  return step.value
}

/**
 * Rows as a parameter: `json_to_recordset($1::text::json)` makes them rows again. What no text of PostgreSQL can hold
 * (NUL, half a surrogate pair) becomes U+FFFD.
 */
export function rowsOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  return NOT_TEXT.test(json) ? JSON.stringify(rows, (_, value) => textOf(value)) : json
}

/** Text that PostgreSQL can hold; other values as they are. */
export function textOf<T>(value: T): T | string {
  return typeof value === 'string' ? storableText(value) : value
}

/** As JSON writes them; it also finds what only looks so, which does no harm. */
const NOT_TEXT = /\\u0000|\\ud[89a-f]/

/** Lists are JSON in SQLite, and types need not be said. */
function inSqlite(text: string): string {
  return text
    .replaceAll(/json_to_recordset\((\$\d+)::text::json\) as (\w+) \(([^)]*)\)/g, (_, value, name, columns: string) => {
      const names = columns.split(',').map((column) => /"?(\w+)"?/.exec(column)?.[1])
      return `(select ${names.map((one) => `value ->> '${one}' as "${one}"`).join(', ')} from json_each(${value})) as ${name}`
    })
    .replaceAll(/unnest\((\$\d+)::\w+\[\]\) as (\w+) \((\w+)\)/g, '(select value as $3 from json_each($1)) as $2')
    .replaceAll(/= any\((\$\d+)::\w+\[\]\)/g, 'in (select value from json_each($1))')
    .replaceAll(/encode\(([\w.]+), 'hex'\)/g, 'lower(hex($1))')
    .replaceAll(/decode\(([\w.]+), 'hex'\)/g, 'unhex($1)')
    .replaceAll(/ collate "C"|::\w+| for update/g, '')
    .replaceAll('greatest(', 'max(')
}
