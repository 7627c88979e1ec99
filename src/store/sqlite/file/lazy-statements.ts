import type { Database, Statement } from 'better-sqlite3'

/** A statement, before anybody has asked for it. */
type Prepare = () => Statement<unknown[], unknown>

/**
 * The same database, whose statements are prepared when they first run. To open the writer would else take three times as
 * long: it has two hundred of them, and most hubs never run the half.
 */
export function lazily(db: Database): Database {
  const prepare = db.prepare.bind(db)
  db.prepare = ((text: string) => statementOf(() => prepare(text))) as typeof db.prepare
  return db
}

/** What the writer does with statements; one is prepared once, however it is read. */
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
