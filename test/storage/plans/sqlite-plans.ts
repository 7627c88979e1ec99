import type { Database } from 'better-sqlite3'
import { NARROW, SMALL } from './grows.ts'

/** What a statement's plan says that may cost the more the more there is. */
export function worriesOf(db: Database, statement: string): string[] {
  const details = planOf(db, statement)
  const worries = details.filter((detail) => isScan(detail, statement) || isWide(detail))
  // A sort of few costs nothing.
  const sorts = worries.length > 0 ? details.filter((detail) => detail.includes('TEMP B-TREE')) : []
  return [...worries, ...sorts]
}

function planOf(db: Database, statement: string): string[] {
  // A parameter stays one: of a null that is written there, SQLite knows more than of what is asked.
  const open = statement.replaceAll(/@\w+/g, '?')
  const nulls = Array.from(open.matchAll(/\?/g), () => null)
  const plan = db.prepare<null[], { detail: string }>(`explain query plan ${open}`).all(...nulls)
  return plan.map(({ detail }) => detail)
}

function isScan(detail: string, statement: string): boolean {
  const [, alias = ''] = /^SCAN (\S+)/.exec(detail) ?? []
  if (alias === '' || alias === 'json_each' || alias === 'CONSTANT') return false
  return !(tableOf(alias, statement) in SMALL)
}

/** A search that goes by no id and no key: a range, or all of a sort. Of a stretch of ids both ends are given. */
function isWide(detail: string): boolean {
  const [, conditions] = /^SEARCH .* \((.*)\)/.exec(detail) ?? []
  if (conditions === undefined) return false
  if (/\browid>\?.*\browid<\?/.test(conditions)) return false
  return !Array.from(conditions.matchAll(/(\w+)=\?/g), ([, column = '']) => column).some((column) => NARROW.has(column))
}

/** The table that goes by another name in a statement. */
function tableOf(alias: string, statement: string): string {
  const [, table] = new RegExp(`(?:from|join|update|into) (\\w+) (?:as )?${alias}\\b`).exec(statement) ?? []
  return table ?? alias
}
