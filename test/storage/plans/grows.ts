/** Tables of which a hub has a handful of rows, and why. All others grow, those too that are made tomorrow. */
export const SMALL: Readonly<Record<string, string>> = {
  audit_chain: 'one row',
  bulk_acts: 'one row an act on all that a filter finds',
  console_users: 'one row a user of the console',
  console_sessions: 'one row a sign-in of half a day',
  api_keys: 'one row a key of an own system',
  customer_count: 'one row',
  endpoint_uses: 'one row an operation of the platform',
  jobs: 'one row a job',
  keys_merged: 'one row',
  pauses: 'one row a paused queue',
  search_index: 'one row',
  stores: 'one row a store of the chain',
  watermarks: 'one row a level, kind and store',
  sqlite_master: 'one row a table',
  __drizzle_migrations: 'one row a migration',
}

/** Columns of which one value has few rows, whatever a store holds: an id, or a key of one thing. */
export const NARROW: ReadonlySet<string> = new Set([
  ...['rowid', 'id', 'event_id', 'delivery_id', 'audit_id', 'submission', 'key', 'entity', 'effect', 'subject'],
  ...['customer_id', 'ext_id', 'email', 'phone', 'their_id', 'number'],
])

/** Something in a plan that may cost the more the more there is. */
export interface Worry {
  statement: string
  /** Who asked for it: a question, or the hub. */
  asked: string
  what: string
}

export interface Reason {
  what: RegExp
  of?: RegExp
  /** In which question; not given: in any, and of the hub itself. */
  by?: RegExp
  because: string
}

/** The worries for which there is no reason, and the reasons that none has. */
export function judge(worries: readonly Worry[], reasons: readonly Reason[]) {
  const fits = ({ what, of, by }: Reason, worry: Worry) =>
    what.test(worry.what) && (of?.test(worry.statement) ?? true) && (by?.test(worry.asked) ?? true)
  return {
    open: worries.filter((worry) => !reasons.some((reason) => fits(reason, worry))),
    unused: reasons.filter((reason) => !worries.some((worry) => fits(reason, worry))),
  }
}

export function plain(statement: string): string {
  return statement.replace(/\s+/g, ' ').trim()
}
