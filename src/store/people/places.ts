/** A table in which something about a person may stand, and the columns of it that may say so. */
export interface Place {
  /** The columns, in the order in which rows have their values. */
  columns: readonly string[]
  /** Columns of bytes; the others are text. */
  bytes?: readonly string[]
  /** The rows of an event, as a condition on its id; without it, rows are found by what they say. */
  ofEvents?: 'id' | 'event_id' | 'delivery_id'
  /** A table whose rows are known by their columns alone; it is looked through as a whole. */
  isKeyed?: true
  /** A column that is a text of the person as a whole, where it is one: an index finds it. */
  exact?: string
}

/**
 * Every place of the store where a person may stand. A test holds that each column of text or bytes of the schema is here,
 * or is named among those that never speak of a person.
 */
const PLACES = {
  /** In rows and in `payload_blocks`: reading/payloads/personal-payloads.ts reads both. */
  payloads: { columns: ['headers', 'body'], bytes: ['body'], ofEvents: 'event_id' },
  events: {
    columns: ['transport_key', 'identity', 'entity', 'facts', 'problem', 'dismissed_because'],
    ofEvents: 'id',
  },
  deliveries: {
    columns: ['entity', 'subject', 'effect', 'why', 'digest', 'released', 'unless', 'took_note'],
    ofEvents: 'event_id',
  },
  past_deliveries: { columns: ['note'], ofEvents: 'event_id' },
  attempts: { columns: ['note'], ofEvents: 'delivery_id' },
  customers: {
    columns: [
      'customer_id',
      'ext_id',
      'email',
      'phone',
      'first_name',
      'last_name',
      'company_name',
      'address',
      'postal_code',
      'city',
    ],
  },
  links: { columns: ['destination', 'kind', 'id', 'their_id'], isKeyed: true, exact: 'id' },
  acknowledged: { columns: ['destination', 'flow', 'subject', 'digest'], isKeyed: true },
  lookups: { columns: ['number'] },
  mirror: { columns: ['set_name', 'key', 'body'] },
  findings: { columns: ['key', 'topic', 'body'] },
  gaps: { columns: ['key', 'body'] },
  submissions: { columns: ['key', 'end'] },
  legal_holds: { columns: ['reason'] },
  audit: { columns: ['reason', 'selection', 'refused'] },
  jobs: { columns: ['name', 'state', 'problem', 'note'] },
  job_runs: { columns: ['problem', 'note'] },
  pauses: { columns: ['why'] },
} as const satisfies Record<string, Place>

export type PlaceName = keyof typeof PLACES

export const PLACE_NAMES = Object.keys(PLACES) as PlaceName[]

/** The place of that name. */
export function placeOf(name: PlaceName): Place {
  return PLACES[name]
}

/** The table's columns as a query names them: `end` is a word of SQL. */
export function quoted(column: string): string {
  return `"${column}"`
}
