import type { Fact, Standing } from '../../../domain/ledger/facts/fact.ts'
import type { Instant } from '../../../domain/values/instant.ts'

/** A fact of a list, and the event that it would have been. */
export interface ListedFact extends Fact {
  /** In the form in which it is pushed; null: the list does not say enough. */
  payload: object | null
  /** The platform's ids of the stores that share its stock, where they are several: nobody knows of which of them it is. */
  mayBeOf?: readonly string[]
  /** The event says more than the list: it is waited for as long as the log may bring it. */
  isThin?: true
  /** Other identities by which an event may have told of it. */
  aliases?: readonly string[]
}

/** A day of a list. */
export interface DayRead {
  facts: ListedFact[]
  /** Rows that it had. */
  rows: number
  /** Why it proves nothing; null: it was read to its end. */
  why: string | null
  /** The platform's ids of stores that it has nothing of, although events told of several facts there. */
  without?: readonly string[]
}

/** A list of the platform that tells of what one kind of event tells. */
export interface FactRoad {
  /** The kind that is proven, and that is made of what is accepted. */
  kind: string
  /** The list, for people. */
  list: string
  /** Why this road can tell nothing of it; null: it can. */
  cannotTell: string | null
  /** Config names columns that its facts are known by: nothing is made of it before an event has been known again by them. */
  learns: boolean
  /** Facts may be taken back, and are then not listed any more; else a list that lacks one is short. */
  voids: boolean
  /** Reads a day (`yyyy-mm-dd`) of all stores. `bound`: what is younger need not be listed yet. */
  read(day: string, bound: Instant, signal: AbortSignal): Promise<DayRead>
  /** What the hub has of facts of one day, in their order. `listed`: all that the list has of that day. */
  standings(facts: readonly ListedFact[], lag: number, listed: readonly ListedFact[]): Promise<Standing[]>
}
