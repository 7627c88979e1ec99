import type { Database, Statement } from 'better-sqlite3'

type Prepare = () => Statement<unknown[], unknown>

/** Prepares statements at first use: preparing all 200 would triple the writer's start. */
export function lazily(db: Database): Database {
  const prepare = db.prepare.bind(db)
  db.prepare = ((text: string) => statementOf(() => prepare(text))) as typeof db.prepare
  return db
}

function statementOf(prepare: Prepare) {
  let prepared: ReturnType<Prepare> | null = null
  const ready = () => {
    prepared ??= prepare()
    return prepared
  }
  return {
    get reader() {
      return ready().reader
    },
    run: (...values: unknown[]) => ready().run(...values),
    get: (...values: unknown[]) => ready().get(...values),
    all: (...values: unknown[]) => ready().all(...values),
    iterate: (...values: unknown[]) => ready().iterate(...values),
    pluck: () => statementOf(() => prepare().pluck()),
  }
}
