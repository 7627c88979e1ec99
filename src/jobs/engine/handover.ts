import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import type { Inbox } from '../../inbox/accept.ts'
import { partsOf } from '../../lib/parts.ts'
import { type AcceptOptions, acceptPayload } from './accept-payload.ts'

interface Options extends AcceptOptions {
  inbox: Pick<Inbox, 'accept' | 'announce'>
}

/** Hands over what was pulled: under the same names as what is pushed, so that the same fact is one event. */
export interface Handover {
  /** Facts that the platform pushes, too. Gives how many the hub did not have. */
  take(kind: string, payloads: readonly object[]): Promise<number>
  /** Takes facts that only a pull knows. Gives how many they were. */
  announce(kind: string, payloads: Iterable<object>): Promise<number>
}

/** The most events that wait for the disk together: they share a commit, and their bodies are in memory. */
const EVENTS_PER_COMMIT = 25

export function createHandover(options: Options): Handover {
  const { inbox, clock } = options

  async function takeOne(kind: string, payload: object): Promise<boolean> {
    const { status } = await acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })
    return status !== 'duplicate'
  }

  return {
    async take(kind, payloads) {
      let news = 0
      for (const some of partsOf(payloads, EVENTS_PER_COMMIT)) {
        const taken = await Promise.all(some.map((payload) => takeOne(kind, payload)))
        news += taken.filter(Boolean).length
      }
      return news
    },
    async announce(kind, payloads) {
      let count = 0
      for (const some of partsOf(payloads, EVENTS_PER_COMMIT)) {
        await Promise.all(some.map((payload) => inbox.announce(kind, PLATFORM, payload, clock.now())))
        count += some.length
      }
      return count
    },
  }
}
