import type { HealthArea, HealthFault, HealthItem } from '../health/health.ts'

export const ALARM_ACTIVE = 'tillbridge_alarm_active'
export const JOB_SUCCEEDED = 'tillbridge_job_last_success_timestamp_seconds'
export const SEVERITIES = ['note', 'alarm', 'page'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface AlarmRule {
  name: string
  severity: Severity
  says: string
  of: {
    area: HealthArea | 'any'
    fault?: HealthFault
    name?: string
    state: Exclude<HealthItem['state'], 'ok'>
  }
  /** Patience (ms). */
  after: number
  quotes: boolean
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}

export function isOf({ of }: AlarmRule, item: HealthItem): boolean {
  return of.state === item.state && isAbout({ of }, item)
}

export function isAbout({ of: { area, fault, name } }: Pick<AlarmRule, 'of'>, item: HealthItem): boolean {
  if (area !== 'any' && area !== item.area) return false
  return (fault === undefined || fault === item.fault) && (name === undefined || item.name.startsWith(name))
}

const MINUTE = 60_000

export const STORE_RULE = {
  name: 'store-cannot-write',
  severity: 'page',
  says: 'The store cannot write: every webhook is refused, and nothing goes out. The job resend-failed fetches later what was refused.',
  of: { area: 'store', state: 'problem' },
  after: MINUTE,
  quotes: false,
} as const satisfies AlarmRule

const SAYS = {
  'store-file-gone': "The store's file was moved, deleted or replaced: its data is lost when the hub ends.",
  'store-log-very-long': "The WAL beside the store's file may fill the disk: a program reads the file without end.",
  'store-log-long': "The WAL beside the store's file grows: a program reads the file without end.",
  'disk-almost-full': 'The disk is almost full: without room every webhook is refused.',
  'disk-fills': 'The disk has little room left.',
  'clock-off': "This machine's clock was set, or is not that of the store: times and signatures may be wrong.",
  'destination-down': 'Nothing reaches the destination; its deliveries wait, in order.',
  'destination-gone': 'Deliveries wait for a destination that config does not have.',
  'deliveries-dead': 'Deliveries are dead: refused for good, or failing for three days. Retry or skip them.',
  'deliveries-held': 'Deliveries are held: an operator must decide, and later ones of the entity wait.',
  'deliveries-wait': 'A delivery has waited for more than a day.',
  'things-late': 'A customer or the books wait for something longer than config allows.',
  'events-in-conflict': 'Events contradict earlier ones of the same identity.',
  'events-out-of-place': 'Events are unreadable, unrouted, or have the id of another.',
  'job-fails': 'A job fails again and again, is refused, or has not succeeded for two of its turns.',
  'subscription-wrong': 'A subscription at the platform is not as config wants it: events may not arrive.',
  'events-claimed': 'The platform delivered an event that is not here: another receiver, or a lost store.',
  'log-expires': 'The event log was not read for so long that what it alone proves expires soon.',
  'log-half-gone': 'The event log was not read for half of the time that it is kept.',
  'gaps-open': 'Another source has what is not here: a gap says what, since when, and what repairs it.',
  'rows-unreadable': "Rows of the platform's lists cannot be read; the others go on.",
  'schema-breaks': 'The platform removed fields from a schema, or changed their type.',
  'schema-changed': 'The platform added fields to a schema.',
  'most-stores-quiet': 'Most stores are quiet at once, while the platform answers: perhaps a holiday.',
  'stores-silent': 'Most stores are quiet at once, and the platform may be down: nothing may be arriving.',
  'store-silent': 'A store that is busy at this hour of the week has gone quiet.',
  'kind-silent': 'One kind of event has stopped coming from a store whose others go on.',
  'alarms-not-sent': 'Alarms could not be sent; they are tried again, and are in the log.',
  'not-known': 'The state of this could not be asked.',
  'needs-a-person': 'Something needs a person: see status.',
}

const NOTE = 'note'
type Rule = Pick<AlarmRule, 'severity'> &
  Partial<Pick<AlarmRule, 'after' | 'quotes'>> & {
    name: keyof typeof SAYS
    of: Omit<AlarmRule['of'], 'state'> & Partial<AlarmRule['of']>
  }

/** A finding belongs to the first rule that matches; the last matches everything. Default: a problem, no patience, words quoted. */
const RULES = [
  { name: 'store-file-gone', severity: 'page', of: { area: 'disk', fault: 'file' } },
  { name: 'store-log-very-long', severity: 'alarm', of: { area: 'disk', fault: 'log' } },
  { name: 'store-log-long', severity: 'note', of: { area: 'disk', fault: 'log', state: NOTE }, after: 10 * MINUTE },
  { name: 'disk-almost-full', severity: 'page', of: { area: 'disk' } },
  { name: 'disk-fills', severity: 'note', of: { area: 'disk', state: NOTE }, after: 10 * MINUTE },
  { name: 'clock-off', severity: 'alarm', of: { area: 'clock' }, after: 2 * MINUTE },
  { name: 'destination-down', severity: 'alarm', of: { area: 'destination', fault: 'outage' }, quotes: false },
  { name: 'destination-gone', severity: 'alarm', of: { area: 'destination', fault: 'gone' } },
  { name: 'deliveries-dead', severity: 'alarm', of: { area: 'queue', fault: 'dead' } },
  { name: 'deliveries-held', severity: 'alarm', of: { area: 'queue', fault: 'held' } },
  { name: 'deliveries-wait', severity: 'alarm', of: { area: 'queue', fault: 'waiting' } },
  { name: 'things-late', severity: 'alarm', of: { area: 'event', name: 'late' } },
  { name: 'events-in-conflict', severity: 'alarm', of: { area: 'event', name: 'conflict' } },
  { name: 'events-out-of-place', severity: 'note', of: { area: 'event' } },
  { name: 'job-fails', severity: 'alarm', of: { area: 'job' }, quotes: false },
  { name: 'subscription-wrong', severity: 'alarm', of: { area: 'subscription' }, quotes: false },
  { name: 'events-claimed', severity: 'page', of: { area: 'completeness', name: 'claimed' } },
  { name: 'log-expires', severity: 'page', of: { area: 'completeness', name: 'log of ' } },
  { name: 'log-half-gone', severity: 'alarm', of: { area: 'completeness', name: 'log of ', state: NOTE } },
  { name: 'gaps-open', severity: 'alarm', of: { area: 'completeness' } },
  { name: 'rows-unreadable', severity: 'alarm', of: { area: 'list' } },
  { name: 'schema-breaks', severity: 'alarm', of: { area: 'schema' } },
  { name: 'schema-changed', severity: 'note', of: { area: 'schema', state: NOTE } },
  { name: 'most-stores-quiet', severity: 'note', of: { area: 'inactivity', name: 'most stores', state: NOTE } },
  { name: 'stores-silent', severity: 'page', of: { area: 'inactivity', name: 'most stores' } },
  { name: 'store-silent', severity: 'alarm', of: { area: 'inactivity', name: 'store ' } },
  { name: 'kind-silent', severity: 'alarm', of: { area: 'inactivity' } },
  { name: 'alarms-not-sent', severity: 'alarm', of: { area: 'alarm' }, after: 10 * MINUTE, quotes: false },
  { name: 'not-known', severity: 'alarm', of: { area: 'any', state: 'unknown' }, after: 5 * MINUTE, quotes: false },
  { name: 'needs-a-person', severity: 'alarm', of: { area: 'any' }, quotes: false },
] as const satisfies readonly Rule[]

export const ALARM_RULES = [
  STORE_RULE,
  ...RULES.map((rule) => ({
    ...{ after: 0, quotes: true, ...rule, says: SAYS[rule.name] },
    of: { state: 'problem' as const, ...rule.of },
  })),
] satisfies readonly AlarmRule[]

export const ALARM_NAMES = ALARM_RULES.map(({ name }) => name)
