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
const COUNT = 'tillbridge jobs run till-counters'
const COMPARE = 'tillbridge jobs run compare-destinations'
const RESEND = 'tillbridge deliveries resend <delivery> --reason "…"'
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
    mends: 'tillbridge subscriptions list: who else gets what is meant for this hub?',
  },
  unobtainable: {
    road: 'log',
    words: 'It could be neither sent again nor taken from the log.',
    class: 'loss',
    mends: SWEEP,
  },
  'not-looked-at': {
    road: 'log',
    words:
      'Nobody could look through a stretch of time: the log had lost it (it keeps 7 days), no subscription stood, or the log or a list could not be read, or lacks what is here.',
    class: 'explain',
    mends: `${SWEEP}; tillbridge jobs run compare-facts; or ${EXPLAIN}`,
  },
  untold: {
    road: 'facts',
    words: 'The platform lists it, and it is not here: after a day it is taken from its list.',
    class: 'loss',
    mends: 'tillbridge jobs run compare-facts',
  },
  thin: {
    road: 'facts',
    words: 'The platform lists it, no event has told of it, and the list does not say enough to make the event of it.',
    class: 'loss',
    mends: `tillbridge gaps show <id> says what is lacking; ${EXPLAIN}`,
  },
  'z-missing': {
    road: 'till',
    words: "A Z report of a till is not here: the till's numbers run on, and this one is lacking.",
    class: 'loss',
    mends: `tillbridge jobs run settlements; ${COUNT}`,
  },
  'z-again': {
    road: 'till',
    words: 'A till has used the number of a Z report again: it was restored, or two tills go by one name.',
    class: 'explain',
    mends: EXPLAIN,
  },
  'sum-jumped': {
    road: 'till',
    words:
      'The Z reports of a till are not numbered, and its counter has grown by something else than its Z report says: a Z report is not here, or the counter was changed.',
    class: 'loss',
    mends: `tillbridge jobs run settlements; ${COUNT}`,
  },
  uncounted: {
    road: 'till',
    words: 'A till has counted more receipts, or fewer, than are here.',
    class: 'loss',
    mends: `tillbridge jobs run resend-failed; ${COUNT}`,
  },
  unbalanced: {
    road: 'till',
    words: 'The receipts that are here come to another total than the till has counted.',
    class: 'loss',
    mends: `tillbridge jobs run resend-failed; ${COUNT}`,
  },
  unclosed: {
    road: 'till',
    words:
      'A till has made no Z report for days, and has sold since, or may have: nobody has counted it. Where it is not used any more, say so.',
    class: 'explain',
    mends: `tillbridge jobs run settlements; ${COUNT}; or ${EXPLAIN}`,
  },
  'not-there': {
    road: 'destination',
    words: 'A destination has acknowledged it, and has it no more.',
    class: 'loss',
    mends: `${RESEND}; or, where it was taken out on purpose, ${EXPLAIN}`,
  },
  'there-twice': {
    road: 'destination',
    words: 'A destination has it more than once.',
    class: 'explain',
    mends: `take all but one out there; ${COMPARE}; or ${EXPLAIN}`,
  },
  'other-amount': {
    road: 'destination',
    words: 'A destination has it with another amount than it was given.',
    class: 'explain',
    mends: `put it right there, or write it anew: ${RESEND}; where it was changed on purpose: ${EXPLAIN}`,
  },
} as const satisfies Record<string, About>

export type Cause = keyof typeof CAUSES

/** All of them. */
export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[]
