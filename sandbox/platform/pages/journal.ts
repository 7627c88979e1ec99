import { Refusal } from '../refusal.ts'
import type { EventLog, EventRecord } from '../webhooks/event-log.ts'

/** The sentence about what came of a button. */
export interface Said {
  /** One or two sentences. */
  text: string
  /** The kinds that were sent for it, in words; empty: nobody subscribes to any; null: it is nothing to be told. */
  sent: string | null
  refused: boolean
}

/** The number of latest entries that are kept: what people did is told on the page that they see next, as long as it is among them. */
const KEPT = 200

/** The acts of people by hand, each under a number that the next page's address carries. */
export function createJournal({ records }: Pick<EventLog, 'records'>) {
  const entries = new Map<number, Said>()
  let last = 0

  return {
    /** Does it and notes what it says; a Refusal is noted, too. Gives the number. */
    async note(act: () => string | Promise<string>, isTold: boolean): Promise<number> {
      const before = records.length
      const done = settle(act)
      // Before anything is waited for: what others send meanwhile is not of this.
      const sent = isTold ? kindsOf(records.slice(before)) : null
      const said = { ...(await done), sent }
      entries.set(++last, said)
      entries.delete(last - KEPT)
      return last
    },

    get: (number: number): Said | null => entries.get(number) ?? null,
  }
}

export type Journal = ReturnType<typeof createJournal>

/** Begins at once. */
async function settle(act: () => string | Promise<string>): Promise<Pick<Said, 'text' | 'refused'>> {
  try {
    return { text: await act(), refused: false }
  } catch (error) {
    if (error instanceof Refusal) return { text: error.message, refused: true }
    throw error
  }
}

function kindsOf(records: readonly EventRecord[]): string {
  const byKind = Map.groupBy(records, ({ kind }) => kind)
  return [...byKind].map(([kind, { length }]) => (length === 1 ? kind : `${kind} × ${length}`)).join(', ')
}
