import { setTimeout as pause } from 'node:timers/promises'
import type { FailedLine, Submission } from './answers.ts'
import type { V1 } from './hub.ts'
import type { Progress } from './progress.ts'

/** How the deliveries of a submission ended. */
export interface SubmissionEnd {
  /** By state, over all destinations. */
  states: Record<string, number>
  unrouted: number
  /** Lines of the hub. The first of them, MAX_LISTED at most. */
  failed: FailedLine[]
  done: boolean
}

/** Looks at a submission until nothing of it is on its way any more. */
export async function waitFor(id: number, v1: V1, progress: Progress, signal: AbortSignal): Promise<SubmissionEnd> {
  for (let looks = 0; ; looks += 1) {
    const submission = await v1.look(id)
    const states = sumStates(submission)
    const of = Object.values(states).reduce((sum, count) => sum + count, 0)
    const open = (states.waiting ?? 0) + (states.claimed ?? 0)
    // A held delivery waits for a person, which nobody can wait for here.
    if (submission.done || open === 0)
      return {
        states,
        unrouted: submission.unrouted ?? 0,
        failed: await allFailed(submission, v1),
        done: submission.done,
      }
    progress.show({ doing: 'delivering', done: of - open, of, unit: 'items' })
    await pause(looks < SOON.length ? SOON[looks] : LOOK, undefined, { signal })
  }
}

async function allFailed(submission: Submission, v1: V1): Promise<FailedLine[]> {
  const all = [...submission.failed]
  let page = submission.failed
  while (page.length > 0 && all.length < MAX_LISTED) {
    page = (await v1.look(submission.id, page.at(-1)?.line)).failed
    all.push(...page)
  }
  return all
}

function sumStates({ destinations }: Submission): Record<string, number> {
  const states: Record<string, number> = {}
  for (const ofOne of Object.values(destinations))
    for (const [state, count] of Object.entries(ofOne)) states[state] = (states[state] ?? 0) + count
  return states
}

/** Looks come soon at first, since a small file is done at once (milliseconds). */
const SOON = [200, 300, 500]
const LOOK = 1_000
/** More than that nobody reads. */
const MAX_LISTED = 10_000
