import Database from 'better-sqlite3'
import type { Answer, Conversation } from './conversation.ts'

/** What the hub said that it has taken. */
export interface Promises {
  /** Notes what a conversation was answered. */
  note(conversation: Conversation, answers: readonly Answer[]): void
  readonly statuses: Record<string, number>
  /** Of what kinds, and how many. */
  counts(): { events: number; bodies: number; submissions: number }
  /** What is not in the file, or there with other bytes. */
  broken(file: string): string[]
}

const EVENT = /^\{"status":"(\w+)","id":(\d+)\}$/
const INTAKE = /^\{"status":"\w+","ids":\[([\d,]*)\]\}$/
const SUBMISSION = /^\{.*"id":(\d+).*"lines":/

export function createPromises(): Promises {
  const events = new Set<number>()
  const submissions = new Set<number>()
  const bodies = new Map<number, Buffer>()
  const statuses: Record<string, number> = {}

  return {
    statuses,
    note({ requests, ending }, answers) {
      answers.forEach(({ status, body }, nth) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status !== 200 && status !== 202) return
        const [, verdict, id = ''] = EVENT.exec(body) ?? []
        for (const one of [id, ...(INTAKE.exec(body)?.[1] ?? '').split(',')]) if (one !== '') events.add(Number(one))
        const submission = SUBMISSION.exec(body)?.[1]
        if (submission !== undefined) submissions.add(Number(submission))
        // As long as all before it were whole, the answers are to the requests in their order.
        const isTold = requests.slice(0, nth + 1).every(({ isSound }) => isSound) && ending !== 'resets'
        const kept = requests[nth]?.kept
        if (isTold && kept && (verdict === 'accepted' || verdict === 'quarantined')) bodies.set(Number(id), kept)
      })
    },
    counts: () => ({ events: events.size, bodies: bodies.size, submissions: submissions.size }),
    broken(file) {
      const db = new Database(file, { readonly: true })
      const bodyOf = db.prepare<[number], Buffer>('select body from payloads where event_id = ?').pluck()
      const submission = db.prepare<[number], number>('select id from submissions where id = ?').pluck()
      const lost = [...events].filter((id) => bodyOf.get(id) === undefined).map((id) => `event ${id} is not there`)
      const others = [...bodies].filter(([id, body]) => !bodyOf.get(id)?.equals(body))
      const gone = [...submissions].filter((id) => submission.get(id) === undefined)
      db.close()
      return [
        ...lost,
        ...others.map(([id]) => `event ${id} has other bytes`),
        ...gone.map((id) => `submission ${id} is not there`),
      ]
    },
  }
}
