import { type Notice, noticesOf, type Untold, type Watched } from '../../domain/alarms/notice.ts'
import type { AlarmRule } from '../../domain/alarms/rules.ts'
import type { SeenStore } from '../../domain/health/storage-health.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { addressed, type Recipient, sayInLog, sendDue, type Teller } from './sending.ts'

interface Options {
  storeNow(): Promise<SeenStore>
  rule: AlarmRule
  recipients: readonly Recipient[]
  teller: Teller
  /** A name for this run of this hub. */
  by: string
  clock: Clock
  logger: Logger
}

/** Announces from memory alone that the storage cannot write, and that it can again. */
export interface StoreWatch extends AsyncDisposable {
  start(): void
  standing(): Watched[]
}

const LOOK = 30_000

/** Each hub for itself: what cannot be written cannot be agreed upon. A hub restarted meanwhile announces it again. */
export function createStoreWatch(options: Options): StoreWatch {
  const { storeNow, rule, recipients, teller, by, clock, logger } = options
  const ending = new AbortController()
  let cancel = () => {}
  let looking: Promise<void> = Promise.resolve()
  let since: Instant | null = null
  let said: Watched | null = null
  let untold: Untold[] = []

  function tell(notices: readonly Notice[]) {
    sayInLog(notices, logger)
    untold = addressed(untold, notices, { recipients, logger })
  }

  async function look(): Promise<void> {
    const { problem } = await storeNow()
    const now = clock.now()
    if (problem !== null) {
      since = Math.min(since ?? now, now)
      if (said === null && now - since >= rule.after) {
        said = { rule: rule.name, thing: 'store', since, raisedAt: now, by, goneAt: null, means: null, todo: TODO }
        tell(noticesOf({ begun: [said], over: [] }, [rule], now))
      }
    } else {
      if (said !== null)
        tell(noticesOf({ begun: [], over: [{ ...said, goneAt: now, lasted: now - said.since }] }, [rule], now))
      since = null
      said = null
    }
    const keep = async (left: Untold[]) => {
      untold = left
    }
    untold = await sendDue(untold, { recipients, teller, clock, logger, signal: ending.signal, keep })
  }

  function lookOn(): void {
    cancel = clock.after(LOOK, () => {
      looking = look()
        .catch((err: unknown) => {
          if (!ending.signal.aborted) logger.warn({ err }, 'alarms.store-not-looked-at')
        })
        .finally(() => {
          if (!ending.signal.aborted) lookOn()
        })
    })
  }

  return {
    start: lookOn,
    standing: () => (said === null ? [] : [said]),
    async [Symbol.asyncDispose]() {
      cancel()
      ending.abort(new Error('The hub is stopping.'))
      await looking
    },
  }
}

const TODO = 'tillbridge status says why it cannot, and what mends that. The hub goes on by itself then.'
