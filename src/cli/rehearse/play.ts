import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Slot } from '../../domain/rehearsal/timetable.ts'
import type { Played } from '../../domain/rehearsal/witnessed.ts'
import type { Webhook, WebhookSource } from '../../hub/rehearsal/webhook-source.ts'

/** Webhooks under way at once: a platform sends what arises, whether the last one was answered or not. */
const UNDER_WAY = 64

/** One of how many webhooks is sent again when it has been answered, as the platform may. */
const SENT_AGAIN = 20

/** A hub that is not there, or takes nothing for the moment, is tried again after this, and for so long (milliseconds). */
const PAUSE = 250
const PATIENCE = 120_000

interface Options {
  slots: readonly Slot[]
  source: Pick<WebhookSource, 'read'>
  /** Where to, at the moment. */
  url: () => string
  token: string
  /** The header that carries the platform's event id; null: none does. */
  eventIdHeader: string | null
  double: boolean
  signal: AbortSignal
  /** Called before each webhook, with how much of them has been sent: [0, 1). */
  before(part: number): void
}

/** A play that is over. */
export interface Play {
  played: Played[]
  /** How long each answer that took a webhook was waited for (milliseconds). */
  answers: number[]
  /** Webhooks whose payload is not kept any more. */
  gone: number
  /** From the first to the last (milliseconds). */
  ms: number
}

/** Sends the webhooks of a day at their times, over real HTTP, each until it is taken. */
export async function play({
  slots,
  source,
  url,
  token,
  eventIdHeader,
  double,
  signal,
  before,
}: Options): Promise<Play> {
  const result: Play = { played: [], answers: [], gone: 0, ms: 0 }
  const dispatcher = new Agent({ connections: UNDER_WAY })
  const underWay = new Set<Promise<void>>()
  const begun = performance.now()
  try {
    for (const [index, { event, at }] of slots.entries()) {
      signal.throwIfAborted()
      before(index / slots.length)
      const webhook = await source.read(event)
      if (webhook === null) {
        result.gone += 1
        continue
      }
      await wait(Math.max(0, at - (performance.now() - begun)), undefined, { signal })
      if (underWay.size >= UNDER_WAY) await Promise.race(underWay)
      const sending = one(event, webhook, index % SENT_AGAIN === 0).finally(() => underWay.delete(sending))
      underWay.add(sending)
    }
    await Promise.all(underWay)
    result.ms = performance.now() - begun
    return result
  } finally {
    await dispatcher.destroy()
  }

  async function one(event: number, webhook: Webhook, again: boolean): Promise<void> {
    const played: Played = { event, taken: null, again: [], refused: 0 }
    result.played.push(played)
    const [first, copy] = await Promise.all([untilTaken(webhook, played), double ? untilTaken(webhook, played) : null])
    played.taken = first
    const later = again && first !== null ? await untilTaken(webhook, played) : null
    played.again.push(...[copy, later].filter((id) => id !== null))
  }

  /** The id that it was taken under; null: it was not, for as long as anybody tries. */
  async function untilTaken(webhook: Webhook, played: Played): Promise<number | null> {
    const end = performance.now() + PATIENCE
    while (performance.now() < end && !signal.aborted) {
      const id = await post(webhook).catch(() => null)
      if (id !== null) return id
      played.refused += 1
      await wait(PAUSE)
    }
    return null
  }

  async function post({ kind, subscription, transportKey, contentType, body }: Webhook): Promise<number | null> {
    const path = [kind, ...(subscription === null ? [] : [subscription])].map(encodeURIComponent).join('/')
    const named = eventIdHeader !== null && transportKey !== null ? { [eventIdHeader]: transportKey } : {}
    const sent = performance.now()
    const answer = await request(`${url()}/webhooks/${path}?token=${token}`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': contentType, ...named },
      body,
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) return null
    result.answers.push(performance.now() - sent)
    const { id } = JSON.parse(text) as { id: number }
    return id
  }
}
