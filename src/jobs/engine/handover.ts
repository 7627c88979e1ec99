import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import type { Inbox } from '../../inbox/accept.ts'
import { partsOf } from '../../lib/parts.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import { type AcceptOptions, acceptPayload } from './accept-payload.ts'

interface Options extends AcceptOptions {
  inbox: Pick<Inbox, 'accept' | 'announce'>
}

/** What became of pulled facts. */
interface HandedOver {
  /** How many the hub did not have. */
  news: number
  /** Those that ended in quarantine (`row`: their place, from 1). They are not handed over, and are to be asked for again. */
  aside: Unreadable[]
}

/** Hands over what was pulled: under the same names as what is pushed, so that the same fact is one event. */
export interface Handover {
  /** Takes facts that the platform pushes, too. */
  take(kind: string, payloads: readonly object[]): Promise<HandedOver>
  /** Takes facts that only a pull knows. Gives how many they were. */
  announce(kind: string, payloads: Iterable<object>): Promise<number>
}

/** The most events that wait for the disk together: they share a commit, and their bodies are in memory. */
const EVENTS_PER_COMMIT = 25

export function createHandover(options: Options): Handover {
  const { inbox, clock } = options

  const takeOne = (kind: string, payload: object) =>
    acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })

  return {
    async take(kind, payloads) {
      const handed: HandedOver = { news: 0, aside: [] }
      let row = 0
      for (const some of partsOf(payloads, EVENTS_PER_COMMIT)) {
        const taken = await Promise.all(some.map((payload) => takeOne(kind, payload)))
        for (const [index, { status, id }] of taken.entries()) {
          row += 1
          if (status === 'quarantined')
            handed.aside.push({ row, why: `is in quarantine (event ${id})`, record: some[index] })
          else if (status !== 'duplicate') handed.news += 1
        }
      }
      return handed
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
