import { randomUUID } from 'node:crypto'

/** The subscription that somebody made to a kind of event. */
export interface Subscription {
  id: string
  event: string
  url: string
  /** Only what happens in this store; null: in all of them. */
  storeId: number | null
}

/** One try to send an event. */
interface Run {
  dateTime: string
  /** 0: there was no answer. */
  statusCode: number
  status: string
}

/** An event for one subscription, as the platform remembers it (spec, "Webhook event record"). */
export interface EventRecord {
  webhookId: string
  webhookEventId: string
  kind: string
  payload: unknown
  createdAt: number
  updatedAt: number | null
  status: string
  statusCode: number
  success: boolean
  runs: Run[]
}

/** The subscriptions, and every event that was to be sent to one of them. */
export function createEventLog(now: () => number) {
  const subscriptions = new Map<string, Subscription>()
  const records: EventRecord[] = []

  return {
    subscriptions,
    records,

    /** Notes an event for a subscription; nothing is sent yet. */
    add({ id: webhookId }: Subscription, kind: string, payload: unknown): EventRecord {
      const record: EventRecord = {
        webhookId,
        webhookEventId: randomUUID(),
        kind,
        payload,
        createdAt: now(),
        updatedAt: null,
        status: 'Pending',
        statusCode: 0,
        success: false,
        runs: [],
      }
      records.push(record)
      return record
    },

    /** Notes how a try ended. Once it was a success, it stays one. */
    tried(record: EventRecord, statusCode: number, status: string): void {
      const at = now()
      record.runs.push({ dateTime: new Date(at).toISOString(), statusCode, status })
      if (record.success) return
      record.updatedAt = at
      record.status = status
      record.statusCode = statusCode
      record.success = statusCode >= 200 && statusCode < 300
    },

    /** The log has nothing up to that instant any more, nor of its millisecond. Gives how many events it has erased. */
    erase(until: number): number {
      const kept = records.filter(({ createdAt }) => createdAt > until)
      const gone = records.length - kept.length
      records.splice(0, records.length, ...kept)
      return gone
    },

    /** The events that got no 2xx so far. */
    failed: () => records.filter(({ success }) => !success),
  }
}

export type EventLog = ReturnType<typeof createEventLog>
