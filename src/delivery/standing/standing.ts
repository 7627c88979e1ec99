import type { DeliveryState } from '../../domain/queue/delivery.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createHands, type InHand } from './hands.ts'
import { readNote } from './note.ts'
import { NOBODY, startWatch } from './watch.ts'

interface Options {
  /** Where the note is kept, for the next process. */
  path: string
  /** How long the loop may stand still (milliseconds); null: nobody watches it. */
  limit: number | null
  /** How a delivery stands; null: there is none. */
  stateOf(delivery: number): Promise<DeliveryState | null>
  clock: Clock
  logger: Logger
}

/** Deliveries that the hub stood still over: known while it is at work, and after a restart. */
export interface Standing extends AsyncDisposable {
  /** Resolves when the loop is watched: what is carried out before may stand it and leave no trace. */
  watching: Promise<void>
  /** Deliveries that are under way from now on; what is given back says which of them the thread goes over. */
  take(deliveries: readonly number[]): InHand
  /** The delivery that is carried out alone from now on; null: none is. */
  alone(delivery: number | null): void
  /** Nothing is known of any delivery: the common case. */
  isQuiet(): boolean
  /** For how long the hub stood still over it (milliseconds); null: not over this one. */
  stoodFor(delivery: number): number | null
  /** The hub stood still while it and others were under way. */
  isSuspect(delivery: number): boolean
  /** Deliveries that need not be remembered any more: they are held, or done, or did no harm alone. */
  forget(deliveries: readonly number[]): void
}

/** A delivery that was noted may be done, skipped or moved meanwhile: it is asked for again after so long (milliseconds). */
const ASK_AGAIN = 60_000

/** Takes up what an earlier process left, and watches this one from a thread of its own. */
export function openStanding({ path, limit, stateOf, clock, logger }: Options): Standing {
  const note = readNote(path)
  const certain = new Map(note.certain.map(({ delivery, ms }) => [delivery, ms]))
  const suspects = new Set(note.suspects)
  if (certain.size + suspects.size > 0)
    logger.warn({ certain: [...certain.keys()], suspects: suspects.size }, 'hub.stood-still-before')

  const hands = createHands()
  const data = { memory: hands.memory, path, note }
  const watch = limit === null ? NOBODY : startWatch({ ...data, limit }, hands.beat)
  /** Settled before the watcher has said that it was they. */
  const early = new Set<number>()
  let cancelAsking = askSoon()
  let closed = false

  watch.onStood(({ stood, ms }) => {
    hands.forgetBlamed()
    const sure = stood.flatMap((one) => one.certain ?? [])
    const unsure = stood.flatMap((one) => one.suspects)
    for (const delivery of sure) if (!early.has(delivery)) certain.set(delivery, ms)
    for (const delivery of unsure) suspects.add(delivery)
    if (early.size > 0) watch.settled([...early])
    early.clear()
    logger.warn({ ms, deliveries: sure, suspects: unsure.length }, 'hub.stood-still')
    cancelAsking()
    cancelAsking = askSoon()
  })
  watch.onNotNoted((problem) => logger.warn({ path, problem }, 'hub.standing-not-noted'))
  watch.onError((err) => logger.error({ err }, 'hub.standing-not-watched'))

  function forget(deliveries: readonly number[]) {
    const blamed = hands.blamed()
    if (blamed && deliveries.includes(blamed.delivery)) {
      early.add(blamed.delivery)
      hands.forgetBlamed()
    }
    const settled = deliveries.filter((delivery) =>
      [certain.delete(delivery), suspects.delete(delivery)].includes(true),
    )
    if (settled.length > 0) watch.settled(settled)
  }

  function askSoon(): () => void {
    if (certain.size + suspects.size === 0) return () => {}
    return clock.after(ASK_AGAIN, () => void forgetDone())
  }

  /** Forgets deliveries that somebody else has decided about meanwhile. */
  async function forgetDone(): Promise<void> {
    for (const delivery of [...certain.keys(), ...suspects]) {
      if (closed) return
      const state = await stateOf(delivery).catch(() => 'waiting' as const)
      if (state !== 'waiting' && state !== 'claimed') forget([delivery])
    }
    if (!closed) cancelAsking = askSoon()
  }

  return {
    watching: watch.watching,
    take: hands.take,
    alone: hands.alone,
    isQuiet: () => certain.size === 0 && suspects.size === 0 && hands.blamed() === null,
    stoodFor(delivery) {
      const blamed = hands.blamed()
      return certain.get(delivery) ?? (blamed?.delivery === delivery ? blamed.ms : null)
    },
    isSuspect: (delivery) => suspects.has(delivery),
    forget,
    async [Symbol.asyncDispose]() {
      closed = true
      cancelAsking()
      await watch.stop()
    },
  }
}
