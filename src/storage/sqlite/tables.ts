import type { Database, Statement as Prepared } from 'better-sqlite3'
import { type Asked, rowsOf, type Statement, type Steps } from '../tables/statement.ts'

export type Now<M> = {
  [Name in keyof M]: M[Name] extends (...args: infer Args) => Steps<infer T> ? (...args: Args) => T : never
}

export function createTables(db: Database) {
  const prepared = new Map<Statement<unknown>, Prepared>()

  function answer({ statement, values }: Asked): unknown[] {
    if (statement.sqlite === null) return []
    const ready = prepared.get(statement) ?? db.prepare(statement.sqlite)
    prepared.set(statement, ready)
    const given = values.length === 0 ? [] : [Object.fromEntries(values.map((value, at) => [at + 1, bound(value)]))]
    if (ready.reader) return ready.all(...given)
    ready.run(...given)
    return []
  }

  function run<T>(steps: Steps<T>): T {
    let step = steps.next()
    while (!step.done) {
      let found: unknown[]
      try {
        found = answer(step.value as Asked)
      } catch (error) {
        step = steps.throw(error)
        continue
      }
      step = steps.next(found)
    }
    return step.value
  }

  return {
    run,
    methods<M extends object>(methods: M): Now<M> {
      const entries = Object.entries(methods as Record<string, (...args: unknown[]) => Steps<unknown>>)
      return Object.fromEntries(
        entries.map(([name, method]) => [name, (...args: unknown[]) => run(method(...args))]),
      ) as Now<M>
    },
  }
}

export type RunSteps = ReturnType<typeof createTables>['run']

function bound(value: unknown): unknown {
  if (Array.isArray(value)) return rowsOf(value)
  return typeof value === 'boolean' ? Number(value) : value
}
