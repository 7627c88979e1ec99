import type { AlarmRule } from './rule.ts'

const MINUTE = 60_000

/** The alarm of which the hub cannot keep anything: each hub that meets it says it by itself. */
export const STORE_RULE = {
  name: 'store-cannot-write',
  severity: 'page',
  says: 'The store cannot write: every webhook is refused, and nothing goes out. What is refused is fetched later.',
  of: { area: 'store', state: 'problem' },
  after: MINUTE,
  quotes: false,
} as const satisfies AlarmRule

/**
 * Every alarm there is. A finding belongs to the first rule that speaks of it; one that none speaks of belongs to the last, so that
 * nothing that health finds is kept from people.
 */
export const ALARM_RULES = [
  STORE_RULE,
  {
    name: 'disk-almost-full',
    severity: 'page',
    says: 'The disk is almost full: without room every webhook is refused.',
    of: { area: 'disk', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'disk-fills',
    severity: 'note',
    says: 'The disk has little room left.',
    of: { area: 'disk', state: 'note' },
    after: 10 * MINUTE,
    quotes: true,
  },
  {
    name: 'clock-off',
    severity: 'alarm',
    says: "This machine's clock is far from the store's: signatures that carry a time may be refused.",
    of: { area: 'clock', state: 'problem' },
    after: 2 * MINUTE,
    quotes: true,
  },
  {
    name: 'destination-down',
    severity: 'alarm',
    says: 'Nothing gets through to the destination; what it is owed waits, in order.',
    of: { area: 'destination', fault: 'trouble', state: 'problem' },
    after: 0,
    quotes: false,
  },
  {
    name: 'destination-gone',
    severity: 'alarm',
    says: 'Config does not have the destination any more, and deliveries are owed to it.',
    of: { area: 'destination', fault: 'gone', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'deliveries-dead',
    severity: 'alarm',
    says: 'Deliveries are dead: refused for good, or failing for three days. A person mends the cause and retries, or skips.',
    of: { area: 'lane', fault: 'dead', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'deliveries-held',
    severity: 'alarm',
    says: 'Deliveries are held: only a person can decide, and what comes after in their line waits.',
    of: { area: 'lane', fault: 'held', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'deliveries-wait',
    severity: 'alarm',
    says: 'A delivery has waited for more than a day.',
    of: { area: 'lane', fault: 'waiting', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'things-late',
    severity: 'alarm',
    says: 'A customer or the books wait for something longer than config allows.',
    of: { area: 'event', name: 'late', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'events-in-conflict',
    severity: 'alarm',
    says: 'Events contradict what came before under the same identity.',
    of: { area: 'event', name: 'conflict', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'events-out-of-place',
    severity: 'note',
    says: 'Events could not be read, were wanted by nobody, or came under the id of another: they are kept, and wait for a look.',
    of: { area: 'event', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'job-fails',
    severity: 'alarm',
    says: 'A job fails again and again, is refused, or has not succeeded for two of its turns.',
    of: { area: 'job', state: 'problem' },
    after: 0,
    quotes: false,
  },
  {
    name: 'subscription-wrong',
    severity: 'alarm',
    says: 'A subscription at the platform is not as config wants it: events may not arrive.',
    of: { area: 'subscription', state: 'problem' },
    after: 0,
    quotes: false,
  },
  {
    name: 'rows-unreadable',
    severity: 'alarm',
    says: "Rows of the platform's lists cannot be read; the others go on.",
    of: { area: 'list', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'most-stores-quiet',
    severity: 'note',
    says: 'Most stores are quiet at once, while the platform answers and nothing failed: perhaps a holiday.',
    of: { area: 'silence', name: 'most stores', state: 'note' },
    after: 0,
    quotes: true,
  },
  {
    name: 'stores-silent',
    severity: 'page',
    says: 'Most stores are quiet at once, and the platform is not known to be well: nothing may be arriving.',
    of: { area: 'silence', name: 'most stores', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'store-silent',
    severity: 'alarm',
    says: 'A store that is busy at this hour of the week has gone quiet.',
    of: { area: 'silence', name: 'store ', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'kind-silent',
    severity: 'alarm',
    says: 'One kind of event has stopped coming from a store whose others go on.',
    of: { area: 'silence', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'alarms-not-told',
    severity: 'alarm',
    says: 'Alarms could not be told to whom config names; they are tried again, and stand in the log.',
    of: { area: 'alarm', state: 'problem' },
    after: 10 * MINUTE,
    quotes: false,
  },
  {
    name: 'not-known',
    severity: 'alarm',
    says: 'It could not be asked how this is, which is not well either.',
    of: { area: 'any', state: 'unknown' },
    after: 5 * MINUTE,
    quotes: false,
  },
  {
    name: 'needs-a-person',
    severity: 'alarm',
    says: 'Something needs a person: status has its words.',
    of: { area: 'any', state: 'problem' },
    after: 0,
    quotes: false,
  },
] as const satisfies readonly AlarmRule[]

/** Their names, for config. */
export const ALARM_NAMES = ALARM_RULES.map(({ name }) => name)
