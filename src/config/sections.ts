import { z } from 'zod'
import { type Accounts as ByPart, plainName } from '../domain/accounting/journal.ts'
import { ALARM_NAMES, SEVERITIES } from '../domain/alarms/rules.ts'
import { MIRROR_SETS, type MirrorSet } from '../domain/catalogue/mirror.ts'
import { RETENTION as LOG_REACHES } from '../domain/completeness/horizon.ts'
import { MEANINGS } from '../domain/completeness/pos.ts'
import type { Hours, OpenSpan } from '../domain/inactivity.ts'
import { SftpOptions } from '../folders/sftp.ts'
import { createAddressList } from '../lib/http/address-list.ts'
import { evaluate, isNoFunction, syntaxFault } from '../lib/jsonata.ts'
import { orElse } from '../lib/or-else.ts'
import { count, Off, On, Text } from '../lib/schema.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import { isPath } from '../platform/payloads/mapping/mapping.ts'

/** A rule over several keys; each fault completes "expected …". */
export function rule<Value>(check: (value: Value, fault: (path: string[], message: string) => void) => void) {
  return (value: Value, context: z.RefinementCtx<Value>): void =>
    check(value, (path, message) => void context.addIssue({ code: 'custom', path, message }))
}

interface Units {
  pattern: RegExp
  scale: Readonly<Record<string, number>>
}

const DURATION: Units = {
  pattern: /^(\d{1,9})(ms|s|m|h|d)$/,
  scale: { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
}
const SIZE: Units = { pattern: /^(\d{1,9})(b|kb|mb|gb)$/i, scale: { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } }

/** Null: no such amount. A bare number has no unit and is refused. */
function parseAmount(text: string, { pattern, scale }: Units): number | null {
  const [, amount, unit = ''] = pattern.exec(text) ?? []
  return amount === undefined ? null : Number(amount) * (scale[unit.toLowerCase()] ?? Number.NaN)
}

function amount(units: Units, from: string, to: string, error: string) {
  const [least, most] = [parseAmount(from, units), parseAmount(to, units)]
  if (least === null || most === null) throw new Error(`No amounts: ${from}, ${to}.`)
  return z
    .string({ error })
    .regex(units.pattern, { error, abort: true })
    .transform((text) => parseAmount(text, units) ?? Number.NaN)
    .refine((value) => value >= least && value <= most, { error, abort: true })
}

export function duration(from: string, to: string) {
  return amount(DURATION, from, to, `a duration from ${from} to ${to}, such as 800ms, 20s, 5m, 24h or 90d`)
}

export function size(from: string, to: string) {
  return amount(SIZE, from, to, `a size from ${from} to ${to}, such as 512kb or 64mb`)
}

const Account = z.string().trim().min(1, { error: 'the number of an account, such as "1900"' })

const PaymentName = z.string().regex(/^\s*[^/\s][^/]*(\/\s*\S.*)?$/, {
  error: 'a type of payments, such as Card, or a type and its subtype, such as Card/Visa',
})

const Percent = z.string().regex(/^(0|[1-9]\d?)(\.\d{0,3}[1-9])?$/, { error: 'a rate in percent, such as 25 or 11.5' })

const AreaRate = z.number().positive().lt(100)

const RateAccounts = z.strictObject({
  sales: Account.describe('The account of what is sold at this rate, without VAT.'),
  vat: Account.optional().describe('The account of the VAT. At 0 % there is none.'),
})

export const Accounts = z
  .strictObject({
    payments: z
      .record(PaymentName, Account)
      .describe(
        'The account of each type of payments (Card, Cash, Giftcard …), or of a type and subtype (Card/Visa), which wins. Case does not count.',
      ),
    rounding: Account.optional().describe('What is rounded away where cash is paid in whole coins (Cash/Rounding).'),
    vat: z.record(Percent, RateAccounts).describe('The accounts of what is sold at each VAT rate, by its percent.'),
    areas: z
      .strictObject({
        1: AreaRate.optional().describe('The rate of VATArea1, in percent.'),
        2: AreaRate.optional().describe('The rate of VATArea2, in percent.'),
        3: AreaRate.optional().describe('The rate of VATArea3, in percent.'),
        other: AreaRate.optional().describe('The rate of VAT that is in none of the three, in percent.'),
      })
      .default({})
      .describe('Which rate each VAT area of a settlement is for. The platform does not say it.'),
    discrepancy: Account.optional().describe('Takes what the drawer had too little or too much.'),
    deposits: Account.optional().describe('Where cash that is put into the drawer comes from (the safe, the bank).'),
    withdrawals: Account.optional().describe('Where cash that is taken out of the drawer goes.'),
    differences: Account.optional().describe(
      'Takes what is missing in a settlement that does not balance, where a person lets it go. Without it, none can be let go.',
    ),
  })
  .superRefine(
    rule(({ payments, vat, areas }, fault) => {
      const names = new Map<string, string>()
      for (const name of Object.keys(payments)) {
        const other = names.get(plainName(name))
        if (other !== undefined) fault(['payments', name], `another name: it is the same as "${other}"`)
        names.set(plainName(name), name)
      }
      for (const [percent, accounts] of Object.entries(vat))
        if (percent !== '0' && accounts.vat === undefined) fault(['vat', percent, 'vat'], 'the account of the VAT')
      for (const [area, percent] of Object.entries(areas))
        if (percent !== undefined && !Object.hasOwn(vat, String(percent)))
          fault(['areas', area], 'a rate that has accounts under vat')
    }),
  ) satisfies z.ZodType<ByPart>

const ADDRESS = z.email({ error: 'an e-mail address, such as ops@example.com' })

const Recipient = z.strictObject({
  recipients: z
    .array(ADDRESS)
    .min(1)
    .max(20)
    .default([])
    .describe('A destination that sends e-mail: who gets it. Others are notified themselves.'),
  least: z
    .enum(SEVERITIES)
    .default('alarm')
    .describe('The least that it is notified of: note, alarm, or page (an operator is to be woken).'),
})

const Severity = z.enum(SEVERITIES)

export const Alarms = z.strictObject({
  to: z
    .record(Text, Recipient)
    .default({})
    .describe('Who is notified, by the name of a destination (smtp, http). Without it, the log alone.'),
  severity: z
    .partialRecord(z.enum(ALARM_NAMES), Severity)
    .default({})
    .describe('How bad a rule is, where it is not as its table says (docs/alarms.md).'),
})

const PosRules = z
  .strictObject({
    number: z
      .enum(MEANINGS.number)
      .default('report')
      .describe(
        "The Z number: that of the fiscal report, where there is one (report), the settlement's BatchNumber (batch), or none.",
      ),
    returns: z
      .enum(MEANINGS.returns)
      .default('apart')
      .describe('Returns are counted apart from receipts, or among them.'),
    receipts: z
      .enum(MEANINGS.receipts)
      .default('consecutive')
      .describe('Whether the first and the last number of receipts tell how many there are.'),
    patience: duration('0s', '7d')
      .prefault('30m')
      .describe('How long after a POS was closed the last of its receipts may come.'),
  })
  .transform(({ patience, ...meanings }) => ({ meanings, patience }))

const Destinations = z.strictObject({
  days: count(1, 30, 7).describe('So many days of what a destination was given are asked for each time.'),
  patience: duration('0s', '7d')
    .prefault('1h')
    .describe('How long after a destination has acknowledged something it is asked for it.'),
  leave: z.array(z.string()).default([]).describe('Destinations that are not asked.'),
})

export const Completeness = z.strictObject({
  pos: PosRules.prefault({}).describe('What POS count themselves.'),
  destinations: Destinations.prefault({}).describe('What destinations have of what they were given.'),
})

/** A path or JSONata, checked on reading. */
const Where = z.string().superRefine((where, context) => {
  const fault = faultOf(where)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

/** Field mappings by kind and the hub's field name (docs/evidence.md). */
export const Payloads = z
  .record(z.string(), z.record(z.string(), Where))
  .default({})
  .superRefine(
    rule((kinds, fault) => {
      for (const [kind, fields] of Object.entries(kinds)) {
        const shape = SHAPES.get(kind)
        if (!shape) fault([kind], `a kind whose fields the hub reads: ${[...SHAPES.keys()].join(', ')}`)
        for (const field of shape ? Object.keys(fields) : [])
          if (!Object.hasOwn(shape?.fields ?? {}, field))
            fault([kind, field], `a field that the hub reads of it: ${Object.keys(shape?.fields ?? {}).join(', ')}`)
      }
    }),
  )

/** Null: no fault. */
function faultOf(where: string): string | null {
  if (isPath(where)) return null
  const fault = syntaxFault(where)
  if (fault !== null)
    return `a path such as Transaction.Amount, or JSONata: ${fault.message}${fault.position === null ? '' : ` (at character ${fault.position})`}`
  // Over empty input it ends at once or never.
  const tried = evaluate(where, {})
  if ('fault' in tried && tried.fault.code === 'timeout') return 'JSONata that comes to an end'
  return 'fault' in tried && isNoFunction(tried.fault)
    ? `JSONata whose functions there are (at character ${tried.fault.position})`
    : null
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const NUMBERS = new Map<string, number>(WEEKDAYS.map((name, day) => [name, day]))

const BEGIN = /^([01]\d|2[0-3]):[0-5]\d$/
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/
const DAYS = /^[a-z]{3}(-[a-z]{3})?$/

const Spans = z
  .string()
  .trim()
  .refine((text) => spansOf(text).every(({ from, to }) => BEGIN.test(from) && END.test(to) && from !== to), {
    error: 'hours such as "10:00-20:00", "09:00-12:00, 13:00-18:00", "18:00-02:00", "00:00-24:00", or closed',
  })
  .transform(spansOf)

const Day = z.iso.date({ error: 'a day, such as 2026-12-25' })

const DaysOfWeek = z.string().refine((key) => DAYS.test(key) && key.split('-').every((day) => NUMBERS.has(day)), {
  error: 'a day of the week, or several: mon, mon-fri',
})

const Week = z
  .record(DaysOfWeek, Spans)
  .superRefine(
    rule((week, fault) => {
      const named = Object.keys(week).flatMap((key) => daysIn(key).map((day) => ({ key, day })))
      for (const [index, { key, day }] of named.entries())
        if (named.findIndex((one) => one.day === day) < index)
          fault([key], `days that no other line has (${WEEKDAYS[day]})`)
    }),
  )
  .transform((week): Hours['week'] =>
    WEEKDAYS.map((_, day) => Object.entries(week).find(([key]) => daysIn(key).includes(day))?.[1] ?? []),
  )

const HoursOfPlace = z
  .strictObject({
    week: Week.optional().describe('By days of the week (mon, mon-fri). A day that is not named is closed.'),
    days: z.record(Day, Spans).default({}).describe('Days that are otherwise: their hours, or closed.'),
  })
  .transform(({ week = null, days }): Hours => ({ week, days }))

/** Opening hours, so that a closed store is not reported as inactive. */
export const Inactivity = z.strictObject({
  closed: z
    .array(Day)
    .default([])
    .describe('Days on which no store is open: nothing is quiet then. Hours of a single store for that day go before.'),
  hours: z
    .record(Text, HoursOfPlace)
    .default({})
    .describe(
      "When stores are open, on their own clocks, by store number or country (NO); a store's own go before its country's. Without it, they are learned.",
    ),
})

/** `mon-fri`, `sat-mon`; Monday is 0. */
function daysIn(key: string): number[] {
  const [from = '', to = from] = key.split('-')
  const first = NUMBERS.get(from) ?? 0
  const count = ((NUMBERS.get(to) ?? 0) - first + 7) % 7
  return Array.from({ length: count + 1 }, (_, nth) => (first + nth) % 7)
}

function spansOf(text: string): OpenSpan[] {
  if (text === 'closed') return []
  return text.split(',').map((span) => {
    const [from = '', ...to] = span.trim().split('-')
    return { from, to: to.join('-') }
  })
}

const MAX = '36500d'

/** Current-state sets without an age. */
const LASTING = ['stock', 'products', 'retail-lists', 'dated-prices', 'store-details'] as const satisfies MirrorSet[]
type Ageing = Exclude<MirrorSet, (typeof LASTING)[number]>

const SETS: Record<Ageing, { age: string; about: string }> = {
  movements: { age: '400d', about: 'Stock movements, by their day.' },
  reservations: { age: '400d', about: 'Reservations, by their day.' },
  'orders-over': {
    age: '400d',
    about: 'Orders for which nothing is kept any more, by the day on which that was reported.',
  },
  settlements: { age: '3650d', about: 'Settlements, by their day: bookkeeping asks for them for years.' },
  sales: { age: '400d', about: 'Sales, by their day.' },
  'sales-lines': { age: '400d', about: 'Sales lines, by their day.' },
  'goods-deliveries': { age: '400d', about: 'Goods deliveries to stores, by their day.' },
}
const AGEING = MIRROR_SETS.filter((set): set is Ageing => set in SETS)

const OfKind = z.strictObject({
  payloads: duration('1d', MAX).optional().describe('What events of this kind said.'),
  events: duration('1d', MAX).optional().describe('Their rows, and their deliveries.'),
  attempts: duration('1d', MAX).optional().describe('The tries of their deliveries.'),
})

const Archive = z
  .strictObject({
    folder: Text.optional().describe(
      'A folder of this machine, where events lie before their payloads go: by kind and month, NDJSON under zstd.',
    ),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    allowPrivate: Off.describe('The name of the SFTP server may lead to a private network.'),
    keep: duration('1d', MAX)
      .prefault('1826d')
      .describe('How long a file lies there after the month of its events; 1826d is five years.'),
  })
  .refine(({ folder, sftp }) => (folder === undefined) !== (sftp === undefined), {
    path: ['folder'],
    error: 'either folder or sftp',
  })

/** Retention. Pending, held, dead, gap-related and legally held data stay regardless of age. */
export const Retention = z
  .strictObject({
    enabled: On.describe('Nothing is ever pruned where this is false.'),
    payloads: duration('1d', MAX).prefault('90d').describe('What events said: their bodies and headers.'),
    events: duration('1d', MAX).prefault('400d').describe('Rows of events, and their deliveries.'),
    attempts: duration('1d', MAX).prefault('90d').describe('The tries of deliveries.'),
    keys: duration('1d', MAX)
      .prefault('400d')
      .describe(
        'The memory of what has been seen: for so long the same event sent again is a duplicate. What happened before that and is not known is held as a conflict, once keys have gone.',
      ),
    lookups: duration('1d', MAX).prefault('400d').describe('Questions of POS about orders.'),
    audit: duration('1d', MAX).prefault('1826d').describe('What people did; 1826d is five years.'),
    mirror: z
      .strictObject(
        Object.fromEntries(
          AGEING.map((set) => [set, duration('1d', MAX).prefault(SETS[set].age).describe(SETS[set].about)]),
        ) as Record<Ageing, z.ZodPrefault<ReturnType<typeof duration>>>,
      )
      .prefault({} as never)
      .describe('Sets of the mirror. What says how things are now (stock, products …) has no age.'),
    archive: Archive.optional().describe('What events said is kept elsewhere before it goes. Without it, it is gone.'),
    kinds: z
      .record(Text, OfKind)
      .default({})
      .describe('Kinds of events that are kept otherwise: `SaleCreated: { payloads: 30d }`.'),
  })
  .superRefine(
    rule(({ keys, kinds, payloads, attempts, events }, fault) => {
      const ages = { payloads, attempts, events }
      if (keys < LOG_REACHES)
        fault(
          ['keys'],
          "at least 7d: the platform's event log reaches back so far, and what it sends again must be known",
        )
      if (keys < ages.events) fault(['keys'], 'at least as long as events: an event that is here must be known again')
      for (const part of ['payloads', 'attempts'] as const)
        if (ages[part] > ages.events) fault([part], 'at most as long as events: it goes with its event')
      for (const [kind, own] of Object.entries(kinds)) {
        const events = own.events ?? ages.events
        if (events > keys) fault(['kinds', kind, 'events'], 'at most as long as keys')
        for (const part of ['payloads', 'attempts'] as const)
          if ((own[part] ?? 0) > events)
            fault(['kinds', kind, part], 'at most as long as events of this kind: it goes with its event')
      }
    }),
  )

/**
 * Bounds on what strangers and payloads may cost. The defaults fit 512 MB of memory: a byte that arrives is held three times at worst
 * (received, written, parsed).
 */
export const Limits = z
  .strictObject({
    decoded: size('1kb', '512mb')
      .optional()
      .describe(
        'The largest body after decompression: a few sent kilobytes may become many megabytes. Without it, as large as one may be sent (maxBody).',
      ),
    inFlightBytes: size('1mb', '16gb')
      .prefault('32mb')
      .describe(
        'Bytes of all bodies that are being read, decoded and parsed, or wait for the disk. What comes beyond them is answered 503.',
      ),
    reserve: size('0b', '16gb')
      .prefault('16mb')
      .describe(
        'The part of inFlightBytes that large bodies never get, so that webhooks of up to 64 KB are always taken.',
      ),
    inflated: size('1mb', '16gb')
      .prefault('64mb')
      .describe(
        'Bytes that the bodies of one credential may become in a minute beyond 20 times what was sent. What comes beyond them is answered 503.',
      ),
    unverified: size('64kb', '16gb')
      .prefault('8mb')
      .describe(
        'Bytes of all bodies whose sender is not known before they were read whole (/intake). Beyond them the one that has been arriving longest is cut off.',
      ),
    connections: count(10, 1_000_000, 1_000).describe(
      'Connections at a time; each takes a file descriptor (ulimit -n). Beyond them the oldest that has shown no credential is closed.',
    ),
    depth: count(4, 1_000, 64).describe(
      'How deep the JSON of a payload may be nested; the platform needs fewer than ten levels.',
    ),
    keys: count(100, 10_000_000, 5_000).describe(
      'Fields of one object of a payload; the platform needs fewer than a hundred.',
    ),
    items: count(100, 10_000_000, 20_000).describe(
      'Items of one list of a payload: a list of more is kept in quarantine, unread.',
    ),
    values: count(1_000, 100_000_000, 250_000).describe(
      'Values of a payload, all in all: each takes memory, however short it is written.',
    ),
  })
  .describe(
    'What may be in flight at a time. What does not fit is refused or kept unread; nothing of it is lost in inactivity.',
  )

export type Limits = z.output<typeof Limits>

export const Timeouts = z
  .strictObject({
    keepAlive: duration('1s', '1h')
      .prefault('75s')
      .describe(
        'How long an idle connection is kept. Longer than the proxy in front keeps it: else it sends a webhook on a connection that is closing, which is lost.',
      ),
    identify: duration('1s', '5m')
      .prefault('10s')
      .describe('How long a connection may go without having shown a credential.'),
    headers: duration('1s', '5m').prefault('15s').describe('How long the headers of a request may take.'),
    body: duration('1s', '1h').prefault('30s').describe('How long the body of a webhook or a JSON document may take.'),
    idle: duration('1s', '1h')
      .prefault('60s')
      .describe('How long a sender of lines (NDJSON) may say nothing; all of them may take an hour.'),
  })
  .describe('How long senders may take.')

export type Timeouts = z.output<typeof Timeouts>

/** The first part of a path names the interface. */
export const INTERFACES = ['webhooks', 'intake', 'v1', 'api', 'admin', 'console', 'metrics'] as const

const AddressRange = z.string().refine((text) => orElse(() => createAddressList([text]), null) !== null, {
  error: 'an IP address, or a range such as 10.0.0.0/8',
})

export const AllowedAddresses = z.partialRecord(z.enum(INTERFACES), z.array(AddressRange).min(1)).default({})

const PROXY = /^(loopback|linklocal|uniquelocal|[0-9a-f:.]{2,45}(\/\d{1,3})?)$/i

/** As Express takes them. */
export const TrustedProxies = z
  .array(
    z.string().regex(PROXY, {
      error: 'an address, a range such as 10.0.0.0/8, or loopback, linklocal or uniquelocal',
    }),
  )
  .default([])
