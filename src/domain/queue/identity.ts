/** The business key of an event, whatever its source. */
export interface Identity {
  /** Unique within the kind: `keyPart`s joined by `/`. */
  key: string
  /** Ordering key. */
  entity: string
  /** Of immutable kinds: other values under the same key are a conflict. */
  facts: ComparedFields | null
}

/** Decimal text, store-local or UTC datetime, store or stock id; null: missing. */
export type ComparedFields = [amount: string | null, time: string | null, store: string | null]
