/** The name by which an event is the same fact whatever road it comes, and what the hub needs to know about it. */
export interface Identity {
  /** Unique within the kind. Parts are `keyPart`s joined by `/`. */
  key: string
  /** The thing that the event is about; its events are acted on in order. */
  entity: string
  /** Amount, time and store of an immutable fact: the same identity with other facts is a conflict. */
  facts: ComparedFields | null
}

/** As the payload has them: decimal text, store-local or UTC datetime text, store or stock id. Null: not in the payload. */
export type ComparedFields = [amount: string | null, time: string | null, store: string | null]
