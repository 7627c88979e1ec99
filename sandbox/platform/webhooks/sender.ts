import { STATUS_CODES } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Random } from '../seed/random.ts'
import type { EventLog, EventRecord } from './event-log.ts'

/** The faults that a webhook may meet on its way: shares from 0 to 1, of all that are sent for the first time. */
export interface ReconciliationSource {
  /** Sent twice, under the same event id. */
  duplicate?: number
  /** Never sent. */
  drop?: number
  /** Answered by somebody else, in the place of the receiver: the log says that it was delivered. */
  foreign?: number
  /** Sent later than what comes after it. */
  delay?: number
  /** How much later (milliseconds). */
  delayMs?: number
}

/** What may become of a webhook on its way, in the order in which the dice decide. */
const FAULTS = ['drop', 'duplicate', 'delay', 'foreign'] as const
export type Fault = (typeof FAULTS)[number]

/** The most webhooks that are under way at once. */
const CONCURRENCY = 32

export interface SenderOptions {
  /** The header that names the event. */
  eventIdHeader: string
  /** A receiver that does not answer for so long has failed (milliseconds). */
  timeout: number
}

/** Sends webhooks, once each: what fails is noted, and sent again by nobody. */
export function createSender(log: EventLog, { eventIdHeader, timeout }: SenderOptions, random: Random) {
  const agent = new Agent({
    connections: CONCURRENCY,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connectTimeout: timeout,
  })
  const closing = new AbortController()
  const queue: (() => Promise<void>)[] = []
  const idle: (() => void)[] = []
  const exact: Fault[] = []
  let source: ReconciliationSource = {}
  let working = 0
  let pending = 0

  function enqueue(work: () => Promise<void>) {
    pending += 1
    queue.push(work)
    if (working < CONCURRENCY) void drain()
  }

  async function drain() {
    working += 1
    for (let work = queue.shift(); work; work = queue.shift()) {
      await work()
      pending -= 1
    }
    working -= 1
    if (pending === 0) for (const done of idle.splice(0)) done()
  }

  async function later(record: EventRecord, delayMs: number) {
    await sleep(delayMs, undefined, { signal: closing.signal }).catch(() => undefined)
    enqueue(() => send(record))
    pending -= 1
  }

  /** Sends it to where the subscription leads now. Never rejects: how it went is noted. */
  async function send(record: EventRecord): Promise<void> {
    const subscription = log.subscriptions.get(record.webhookId)
    if (!subscription || closing.signal.aborted) return log.tried(record, 0, 'No subscription')
    try {
      const { statusCode, body } = await request(subscription.url, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', [eventIdHeader]: record.webhookEventId },
        body: JSON.stringify(record.payload),
        signal: closing.signal,
      })
      await body.dump()
      log.tried(record, statusCode, statusCode === 200 ? 'OK' : (STATUS_CODES[statusCode] ?? 'Unknown'))
    } catch (error) {
      log.tried(record, 0, error instanceof Error && 'code' in error ? String(error.code) : 'No answer')
    }
  }

  function fate(): Fault | 'send' {
    let throwOfDice = random()
    for (const fault of FAULTS) {
      throwOfDice -= source[fault] ?? 0
      if (throwOfDice < 0) return fault
    }
    return 'send'
  }

  function settled(): Promise<void> {
    return pending === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
  }

  return {
    /** Sends an event once more because somebody asked for it, on a good source, and waits for what comes of it. */
    again: (record: EventRecord): Promise<void> =>
      new Promise((resolve) => enqueue(() => send(record).finally(resolve))),

    /** Sends an event for the first time, as the source will have it. */
    first(record: EventRecord): void {
      switch (exact.shift() ?? fate()) {
        case 'drop':
          log.tried(record, 0, 'Lost')
          return
        case 'foreign':
          log.tried(record, 200, 'OK')
          return
        case 'delay':
          pending += 1
          void later(record, source.delayMs ?? 1_000)
          return
        case 'duplicate':
          enqueue(() => send(record))
          enqueue(() => send(record))
          return
        case 'send':
          enqueue(() => send(record))
      }
    },

    /** How the source is from now on; `{}`: good. */
    set(next: ReconciliationSource): void {
      source = next
    },

    /** The fates of the next ones, one after the other, whatever the source is like. */
    next(...fates: Fault[]): void {
      exact.push(...fates)
    },

    /** How the source is now, and what happens to the next ones. */
    state: (): { source: Readonly<ReconciliationSource>; next: readonly string[] } => ({ source, next: [...exact] }),

    /** Resolves when nothing is on its way. */
    settled,

    /** Breaks off what is under way; what still waited is never sent. */
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort()
      await settled()
      await agent.destroy()
    },
  }
}

export type Sender = ReturnType<typeof createSender>
