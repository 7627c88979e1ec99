import type { HealthArea, HealthFault, HealthItem } from '../health/health.ts'
import { ALARM_ACTIVE, JOB_SUCCEEDED } from '../metrics/metric.ts'

/** `note`: log only; `alarm`: within an hour; `page`: on call, now. */
export const SEVERITIES = ['note', 'alarm', 'page'] as const

export type Severity = (typeof SEVERITIES)[number]

/** Which finding of health raises an alarm, and how it is told. */
export interface AlarmRule {
  /** Stable name, known to config, mails and other systems. */
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

/** Cannot be stored, so each hub reports it by itself. */
export const STORE_RULE = {
  name: 'store-cannot-write',
  severity: 'page',
  says: 'The store cannot write: every webhook is refused, and nothing goes out. What is refused is fetched later, where the job resend-failed runs.',
  of: { area: 'store', state: 'problem' },
  after: MINUTE,
  quotes: false,
} as const satisfies AlarmRule

/** All alarms. A finding belongs to the first rule that matches; the last matches everything. */
export const ALARM_RULES = [
  STORE_RULE,
  {
    name: 'store-file-gone',
    severity: 'page',
    says: "The store's file was moved, deleted or replaced: nothing is taken, and what the hub has kept is gone when it ends. Do not stop it.",
    of: { area: 'disk', fault: 'file', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'store-log-very-long',
    severity: 'alarm',
    says: "The log beside the store's file has grown so long that it may fill the disk: something reads the file, and does not end.",
    of: { area: 'disk', fault: 'log', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'store-log-long',
    severity: 'note',
    says: "The log beside the store's file grows: something reads the file, and does not end.",
    of: { area: 'disk', fault: 'log', state: 'note' },
    after: 10 * MINUTE,
    quotes: true,
  },
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
    says: "This machine's clock was set, or is not that of the store: what is due at an instant may be early or late, and signatures that carry a time may be refused.",
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
    name: 'events-claimed',
    severity: 'page',
    says: 'The platform was told that an event had arrived, and it had not come here: something else takes our webhooks, or a store was lost.',
    of: { area: 'ledger', name: 'claimed', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'log-forgets',
    severity: 'page',
    says: 'The event log has not been looked through for so long that it forgets before long what it alone can prove.',
    of: { area: 'ledger', name: 'log of ', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'log-half-gone',
    severity: 'alarm',
    says: 'The event log has not been looked through for half of the time that it is kept.',
    of: { area: 'ledger', name: 'log of ', state: 'note' },
    after: 0,
    quotes: true,
  },
  {
    name: 'gaps-open',
    severity: 'alarm',
    says: 'Something that another road tells of is not here: a gap says what, since when, and what mends it.',
    of: { area: 'ledger', state: 'problem' },
    after: 0,
    quotes: true,
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
    name: 'schema-breaks',
    severity: 'alarm',
    says: 'The platform took fields out of a schema, or gave them another type: what reads them may find nothing.',
    of: { area: 'schema', state: 'problem' },
    after: 0,
    quotes: true,
  },
  {
    name: 'schema-changed',
    severity: 'note',
    says: 'The platform put new fields, or new words, into a schema.',
    of: { area: 'schema', state: 'note' },
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

export const ALARM_NAMES = ALARM_RULES.map(({ name }) => name)

interface AlertingRule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string; rule?: string }
  annotations: { summary: string; description: string }
}

interface AlertingRules {
  groups: { name: string; rules: AlertingRule[] }[]
}

/**
 * Prometheus alerting rules over `/metrics`, plus those no hub can report of itself. No further `for`: hubs apply the patience; shared
 * findings are one alert. Pure.
 */
export function alertingRules(rules: readonly AlarmRule[]): AlertingRules {
  return { groups: [{ name: 'tillbridge', rules: [...rules.map(alertOf), ...BEYOND_THE_TABLE] }] }
}

function alertOf({ name, severity, says }: AlarmRule): AlertingRule {
  const active = `${ALARM_ACTIVE}{rule="${name}"}`
  // Each hub knows only its own.
  const expr = name === STORE_RULE.name ? active : `max without (instance) (${active})`
  return {
    alert: `Tillbridge${name.replaceAll(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
    expr: `${expr} == 1`,
    labels: { severity, rule: name },
    annotations: {
      summary: says,
      description: 'tillbridge status says what it is about, since when, and what to do.',
    },
  }
}

const BEYOND_THE_TABLE: readonly AlertingRule[] = [
  {
    alert: 'TillbridgeNotThere',
    expr: `absent(${ALARM_ACTIVE})`,
    for: '2m',
    labels: { severity: 'page' },
    annotations: {
      summary: 'No hub tells of itself: none runs, or it cannot be asked.',
      description: 'Ask /health/live of each hub; a key of scope read:metrics may have been revoked.',
    },
  },
  {
    alert: 'TillbridgeNobodyLooks',
    expr: `time() - max without (instance) (${JOB_SUCCEEDED}{name="alarms"}) > 600`,
    labels: { severity: 'page' },
    annotations: {
      summary:
        'Hubs run, and it has not been looked for alarms for ten minutes: those that are shown may be over, and others not seen.',
      description: 'tillbridge jobs history alarms says why.',
    },
  },
]
