/** The sources that find missing things. */
export const RECONCILIATION_SOURCES = ['log', 'lists', 'pos', 'destination'] as const
export type ReconciliationSource = (typeof RECONCILIATION_SOURCES)[number]

/** `loss`: something is missing. `explain`: only a person can tell. */
type Class = 'loss' | 'explain'

/** `repairs`: the command that repairs it, or shows what to do. */
function by<R extends ReconciliationSource>(source: R) {
  return (kind: Class, remedy: string, words: string) => ({ source, class: kind, words, remedy })
}

const [log, lists, pos, there] = [by('log'), by('lists'), by('pos'), by('destination')]

const SWEEP = 'tillbridge jobs run reconcile-log'
const LISTS = 'tillbridge jobs run reconcile-lists'
const COUNT = 'tillbridge jobs run reconcile-pos'
const FETCH = `tillbridge jobs run settlements; ${COUNT}`
const RECEIPTS = `tillbridge jobs run resend-failed; ${COUNT}`
const EXPLAIN = 'tillbridge gaps explain <id> --reason "…"'
const OR_EXPLAIN = `where that is intended, ${EXPLAIN}`
const RESEND = `tillbridge deliveries resend <delivery> --reason "…"; ${OR_EXPLAIN}`
const SHARED = 'tillbridge subscriptions list: who else gets what is meant for this hub?'
const LACKS = `tillbridge gaps show <id> says what is lacking; ${EXPLAIN}`
const TAKE_OUT = `take all but one out there; tillbridge jobs run reconcile-destinations; or ${EXPLAIN}`

/** Every cause of a gap. */
export const CAUSES = {
  failed: log('loss', SWEEP, 'The platform could not deliver it, and it is not here.'),
  claimed: log('loss', SHARED, 'The platform delivered it, and not here: to another receiver, or it was lost here.'),
  unobtainable: log('loss', SWEEP, 'It could be neither sent again nor taken from the log.'),
  'not-looked-at': log('explain', `${SWEEP}; ${LISTS}; or ${EXPLAIN}`, 'A stretch of time could not be searched.'),
  missing: lists('loss', LISTS, 'The platform lists it, and it is not here; it is taken from the list after a day.'),
  thin: lists('loss', LACKS, 'The platform lists it, with too little to make its event, and no event came.'),
  'z-missing': pos('loss', FETCH, 'A Z report is missing: the numbers of its POS run on without it.'),
  'z-again': pos('explain', EXPLAIN, 'A Z number was used again: a POS was restored, or two have one name.'),
  uncounted: pos('loss', RECEIPTS, 'A POS has counted more receipts, or fewer, than are here.'),
  unbalanced: pos('loss', RECEIPTS, 'The receipts that are here come to another total than the POS has counted.'),
  unclosed: pos('explain', `${FETCH}; or ${EXPLAIN}`, 'A POS made no Z report for days, and may have sold since.'),
  'not-there': there('loss', RESEND, 'A destination has acknowledged it, and does not have it.'),
  'there-twice': there('explain', TAKE_OUT, 'A destination has it more than once.'),
  'other-amount': there('explain', `put it right there, or ${RESEND}`, 'A destination has it with another amount.'),
} as const

export type Cause = keyof typeof CAUSES
export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[]
