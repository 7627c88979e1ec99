/** The ways by which it is found out that something is missing. */
export const ROADS = ['log', 'facts', 'till', 'destination'] as const
export type Road = (typeof ROADS)[number]

/** What a person needs to know of a cause. */
interface About {
  road: Road
  /** The cause in a sentence for the shop. */
  words: string
  /** `loss`: something is not here that was. `explain`: nobody knows, and a person may. */
  class: 'loss' | 'explain'
  /** The command that mends it, or that shows what to do. */
  mends: string
}

const SWEEP = 'tillbridge jobs run ledger'
const EXPLAIN = 'tillbridge gaps explain <id> --reason "…"'

/** Every cause of a gap, in one table. */
export const CAUSES = {
  failed: {
    road: 'log',
    words: 'The platform could not deliver it, and it is not here.',
    class: 'loss',
    mends: SWEEP,
  },
  claimed: {
    road: 'log',
    words:
      'The platform says that it was delivered, and it is not here: another receiver has answered, or it was lost here.',
    class: 'loss',
    mends: 'tillbridge subscriptions: who else gets what is meant for this hub?',
  },
  unobtainable: {
    road: 'log',
    words: 'It could be neither sent again nor taken from the log.',
    class: 'loss',
    mends: SWEEP,
  },
  unreadable: {
    road: 'log',
    words: 'A record of the log cannot be read: nobody knows what it told of.',
    class: 'loss',
    mends: SWEEP,
  },
  unmatched: {
    road: 'log',
    words: 'Whether it is here cannot be told: no header names the event, and nothing in it is its own.',
    class: 'explain',
    mends: 'tillbridge doctor names the header: platform.webhooks.eventIdHeader',
  },
  expired: {
    road: 'log',
    words: 'The log did not reach back so far any more when it was asked.',
    class: 'explain',
    mends: EXPLAIN,
  },
  unwatched: {
    road: 'log',
    words: 'No subscription stood for a time that the log of any could tell of.',
    class: 'explain',
    mends: EXPLAIN,
  },
  unknown: {
    road: 'log',
    words: 'It came here, and the platform does not know it: it may be forged.',
    class: 'explain',
    mends: EXPLAIN,
  },
  untold: {
    road: 'facts',
    words: 'The platform lists it, and no event has told of it.',
    class: 'loss',
    mends: 'tillbridge jobs run compare-facts',
  },
  thin: {
    road: 'facts',
    words: 'The platform lists it, no event has told of it, and the list does not say enough to make the event of it.',
    class: 'loss',
    mends: `tillbridge gaps show <id> says what is lacking; ${EXPLAIN}`,
  },
} as const satisfies Record<string, About>

export type Cause = keyof typeof CAUSES

/** All of them. */
export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[]
