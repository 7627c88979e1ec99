import { z } from 'zod'
import {
  afterFailure,
  afterSent,
  isDue,
  type Notice,
  noticesOf,
  noticeText,
  noticeTitle,
  TrackedAlarm,
  trackAlarms,
  Unsent,
  withNotices,
} from '../domain/alarms/notice.ts'
import { type AlarmRule, isAtLeast, type Severity, STORE_RULE } from '../domain/alarms/rules.ts'
import type { HealthItem } from '../domain/health/health.ts'
import type { StorageSnapshot } from '../domain/health/storage-health.ts'
import { messageOf } from '../domain/values/errors.ts'
import { formatDuration, formatInstant, type Instant } from '../domain/values/instant.ts'
import { digestOf, pluralize, stripPrefix } from '../domain/values/text.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { OwnNotice, Question } from '../ports/ports.ts'
import type { Storage } from '../storage/storage.ts'
import { type HubJob, readJobState } from './engine/job.ts'

/** Shared by all hubs of a storage. */
const Kept = z.object({ watched: z.array(TrackedAlarm), unsent: z.array(Unsent) }).catch({ watched: [], unsent: [] })

export async function readAlarmState(
  storage: Pick<Storage, 'jobs'>,
): Promise<{ watched: TrackedAlarm[]; unsent: Unsent[] }> {
  return Kept.parse(await readJobState(storage, 'alarms'))
}

export interface AlarmOptions {
  look(): Promise<HealthItem[]>
  rules: readonly AlarmRule[]
  recipients: readonly Recipient[]
  teller: Notifier
  by: string
  clock: Clock
  logger: Logger
}

/** Announces what begins and what is over, once each, by one of several hubs; failed notices are sent later. See createStoreWatch. */
export function alarmsJob(options: AlarmOptions): HubJob {
  const { look, rules, recipients, teller, by, clock, logger } = options
  return {
    name: 'alarms',
    async run({ now, signal, state, save }) {
      const kept = Kept.parse(state)
      let watched: TrackedAlarm[] = kept.watched
      let unsent = addressed(kept.unsent, [], { recipients, logger })
      const items = await look().catch(
        (error: unknown) => new Error('Health could not be looked at.', { cause: error }),
      )
      if (!(items instanceof Error)) {
        const concerned = items.filter(({ area }) => area !== STORE_RULE.of.area)
        const followed = trackAlarms(watched, concerned, rules, { now, by })
        const notices = noticesOf(followed, rules, now)
        watched = followed.watched
        unsent = addressed(unsent, notices, { recipients, logger })
        if (notices.length > 0) await save({ watched, unsent })
        sayInLog(notices, logger)
      }
      const keep = (left: typeof unsent) => save({ watched, unsent: left })
      unsent = await sendDue(unsent, { recipients, teller, clock, logger, signal, keep })
      // Health is unknown: the job fails after sending.
      if (items instanceof Error) throw items
      return { state: { watched, unsent }, note: summaryOf(watched, unsent.length) }
    },
  }
}

function summaryOf(watched: readonly TrackedAlarm[], late: number): string {
  const active = watched.filter(({ raisedAt }) => raisedAt !== null)
  const rules = [...new Set(active.map(({ rule }) => rule))]
  const named = rules.length === 0 ? '' : `: ${rules.join(', ')}`
  const lateText = late === 0 ? '' : `; ${pluralize(late, 'recipient')} could not be told all`
  return `${active.length === 0 ? 'no alarm stands' : pluralize(active.length, 'alarm stands', 'alarms stand')}${named}${lateText}`
}

interface Sending extends Pick<AlarmOptions, 'recipients' | 'teller' | 'clock' | 'logger'> {
  signal: AbortSignal
  keep(unsent: Unsent[]): Promise<void>
}

function addressed(
  unsent: readonly Unsent[],
  notices: readonly Notice[],
  { recipients, logger }: Pick<Sending, 'recipients' | 'logger'>,
): Unsent[] {
  const known = unsent.filter(({ to }) => recipients.some(({ name }) => name === to))
  for (const { to, notices } of unsent)
    if (!known.some((one) => one.to === to)) logger.warn({ to, notices: notices.length }, 'alarms.dropped')
  let all = known
  for (const { name, least } of recipients) {
    const its = notices.filter(({ severity }) => isAtLeast(severity, least))
    all = withNotices(all, name, its)
  }
  return all
}

async function sendDue(unsent: readonly Unsent[], sending: Sending): Promise<Unsent[]> {
  const { recipients, clock } = sending
  let left: Unsent[] = [...unsent]
  // One after the other: each writes all that is left.
  let keeping: Promise<void> = Promise.resolve()

  async function change(to: string, one: Unsent | null): Promise<void> {
    left = left.flatMap((before) => (before.to === to ? (one ?? []) : [before]))
    const now = left
    keeping = keeping.then(() => sending.keep(now))
    await keeping
  }

  const due = unsent.filter((one) => isDue(one, clock.now()))
  await Promise.all(
    due.map(async (first) => {
      const recipient = recipients.find(({ name }) => name === first.to)
      let one: Unsent | null = first
      while (one !== null && recipient !== undefined) {
        const failed = await sendFirst(one, recipient, sending)
        one = failed ?? afterSent(one)
        await change(first.to, one)
        if (failed !== null) return
      }
    }),
  )
  return left
}

async function sendFirst(
  one: Unsent,
  to: Recipient,
  { teller, clock, logger, signal }: Sending,
): Promise<Unsent | null> {
  const [notice] = one.notices
  if (notice === undefined) return null
  const why = await teller.tell(to, notice, one, signal)
  if (why !== null) {
    logger.warn({ to: to.name, rule: notice.rule, why, tries: one.tries + 1 }, 'alarm.not-sent')
    return afterFailure(one, stripPrefix(to.name, why), clock.now())
  }
  logger.info({ to: to.name, rule: notice.rule, change: notice.change, since: one.since }, 'alarm.sent')
  return null
}

export interface Recipient {
  name: string
  least: Severity
  addresses: readonly string[]
  notify(notice: OwnNotice, question: Question): Promise<void>
}

type Late = Pick<Unsent, 'since' | 'dropped'>

/** Of one try (ms). Exchange takes up to 30 s to inspect a mail. */
const TIMEOUT_MS = { webhook: 15_000, mail: 60_000 }

/** Sends to one recipient. Null: sent; else why not, without secrets. Rejects only at the end of the hub. */
export function createNotifier({ hub, clock }: { hub: string; clock: Clock }) {
  async function send(to: Recipient, notice: OwnNotice, ending: AbortSignal): Promise<string | null> {
    const late = new AbortController()
    const hung = Promise.withResolvers<string>()
    const patience = TIMEOUT_MS[to.addresses.length > 0 ? 'mail' : 'webhook']
    const cancel = clock.after(patience, () => {
      late.abort(new Error('the deadline is over'))
      hung.resolve(`it did not answer within ${formatDuration(patience)}`)
    })
    const signal = AbortSignal.any([ending, late.signal])
    try {
      const reported = to.notify(notice, { signal }).then(() => null, messageOf)
      return await Promise.race([reported, hung.promise])
    } finally {
      cancel()
      ending.throwIfAborted()
    }
  }

  return {
    tell(to: Recipient, notice: Notice, late: Late, ending: AbortSignal): Promise<string | null> {
      const { rule, severity, change, says, at, more } = notice
      const things = notice.things.map(({ since, lasted, ...thing }) => ({
        ...thing,
        since: formatInstant(since),
        seconds: lasted === null ? null : Math.round(lasted / 1_000),
      }))
      const own: OwnNotice = {
        key: `alarm:${rule}:${change}:${digestOf(notice)}:${to.name}`,
        kind: change === 'began' ? 'AlarmBegan' : 'AlarmOver',
        urgent: change === 'began' && severity === 'page',
        subject: `[Tillbridge ${hub}] ${noticeTitle(notice)}`,
        text: [...lateLines(late), noticeText(notice), ...footer(hub)].join('\n'),
        facts: { hub, rule, severity, change, says, at: formatInstant(at), things, more },
        to: to.addresses,
      }
      return send(to, own, ending)
    },

    test(to: Recipient, ending: AbortSignal): Promise<string | null> {
      const at = formatInstant(clock.now())
      const text = ['Nothing is wrong. Somebody wanted to know whether alarms arrive here: they do.', ...footer(hub)]
      const own: OwnNotice = {
        ...{ key: `alarm:test:${at}:${to.name}`, kind: 'AlarmTest', urgent: false },
        subject: `[Tillbridge ${hub}] test of the alarms`,
        text: text.join('\n'),
        facts: { hub, rule: null, change: 'test', at },
        to: to.addresses,
      }
      return send(to, own, ending)
    },
  }
}

type Notifier = ReturnType<typeof createNotifier>

function lateLines({ since, dropped }: Late): string[] {
  const lines = []
  if (since !== null) lines.push(`This could not be told before; it has been tried since ${formatInstant(since)}.`)
  if (dropped > 0) lines.push(`${dropped} before it could not be told at all: the log has them.`)
  return lines.length === 0 ? [] : [...lines, '']
}

function footer(hub: string): string[] {
  return [
    `From the hub ${hub}. It is said once when it begins, and once when it is over.`,
    'tillbridge status shows what is wrong now, tillbridge alarms rules what each alarm means.',
  ]
}

function sayInLog(notices: readonly Notice[], logger: Logger): void {
  for (const notice of notices) {
    const { rule, severity, change, says, things, more } = notice
    const facts = { rule, severity, title: noticeTitle(notice), things: things.map(({ thing }) => thing), more }
    if (change === 'over') logger.info(facts, 'alarm.over')
    else if (severity === 'note') logger.warn({ ...facts, says }, 'alarm.began')
    else logger.error({ ...facts, says }, 'alarm.began')
  }
}

interface Options extends Omit<AlarmOptions, 'look' | 'rules'> {
  storeNow(): Promise<StorageSnapshot>
  rule: AlarmRule
}

const LOOK = 30_000

/** Each hub for itself: what cannot be written cannot be shared. A restarted hub announces it again. */
export function createStoreWatch(options: Options) {
  const { storeNow, rule, recipients, teller, by, clock, logger } = options
  const ending = new AbortController()
  let cancel = () => {}
  let looking: Promise<void> = Promise.resolve()
  let since: Instant | null = null
  let said: TrackedAlarm | null = null
  let unsent: Unsent[] = []

  function tell(notices: readonly Notice[]) {
    sayInLog(notices, logger)
    unsent = addressed(unsent, notices, { recipients, logger })
  }

  async function look(): Promise<void> {
    const { problem } = await storeNow()
    const now = clock.now()
    if (problem !== null) {
      since = Math.min(since ?? now, now)
      if (said === null && now - since >= rule.after) {
        said = { rule: rule.name, thing: 'store', since, raisedAt: now, by, goneAt: null, means: null, todo: REMEDY }
        tell(noticesOf({ begun: [said], over: [] }, [rule], now))
      }
    } else {
      if (said !== null)
        tell(noticesOf({ begun: [], over: [{ ...said, goneAt: now, lasted: now - said.since }] }, [rule], now))
      since = null
      said = null
    }
    const keep = async (left: Unsent[]) => {
      unsent = left
    }
    unsent = await sendDue(unsent, { recipients, teller, clock, logger, signal: ending.signal, keep })
  }

  async function lookAgain(): Promise<void> {
    try {
      await look()
    } catch (err) {
      if (!ending.signal.aborted) logger.warn({ err }, 'alarms.store-not-looked-at')
    }
    if (!ending.signal.aborted) lookOn()
  }

  function lookOn(): void {
    cancel = clock.after(LOOK, () => {
      looking = lookAgain()
    })
  }

  return {
    start: lookOn,
    active: () => (said === null ? [] : [said]),
    async [Symbol.asyncDispose]() {
      cancel()
      ending.abort(new Error('The hub is stopping.'))
      await looking
    },
  }
}

const REMEDY = 'tillbridge status says why it cannot, and what repairs that. The hub goes on by itself then.'
