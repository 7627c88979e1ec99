import { listenForInterrupt } from '../../lib/interrupt.ts'
import { complain } from '../shared/print.ts'
import { createProgress, type Step } from '../shared/progress.ts'

/** The most things of one request: an answer comes within a second or two, and Ctrl-C waits no longer. */
const THINGS_PER_REQUEST = 1_000

/** A part of an act: where it begins, and the act that it goes on with. */
export interface PartAsked {
  act: number | null
  after: number
  most: number
}

/** The part of an answer that tells where it ended. */
interface PartDone {
  act: number | null
  next: number | null
}

/**
 * Has an act carried out part by part, and shows how far it is. Ctrl-C ends it between two parts, says what was done, and
 * leaves an exit code; a part that fails ends it, too, with what `ask` throws. What all parts gave together. `rest`: the sentence on
 * what does the rest, where the same command would do more than that.
 */
export async function inParts<Done extends PartDone>(
  ask: (part: PartAsked) => Promise<Done>,
  { doing, join, far, rest = () => 'The same command does the rest.' }: How<Done>,
): Promise<Done> {
  using interrupt = listenForInterrupt()
  const progress = createProgress(process.stderr)
  let all = await ask({ act: null, after: 0, most: THINGS_PER_REQUEST })
  try {
    while (all.next !== null && !interrupt.signal.aborted) {
      progress.show({ doing, unit: 'items', ...far(all) })
      all = join(all, await ask({ act: all.act, after: all.next, most: THINGS_PER_REQUEST }))
    }
  } catch (error) {
    progress.clear()
    complain(`Broken off. ${done(all)}`)
    throw error
  }
  progress.clear()
  if (all.next !== null) {
    complain(`Stopped. ${done(all)}`)
    process.exitCode = interrupt.exitCode
  }
  return all

  function done({ act }: Done): string {
    if (act === null) return 'Nothing was changed.'
    return `What is done stays done; it is audit entry ${act}. ${rest(act)}`
  }
}

interface How<Done> {
  doing: Step['doing']
  join: (all: Done, more: Done) => Done
  far: (all: Done) => Far
  rest?: (act: number) => string
}

/** How many are done; `of`: null where nobody has counted. */
interface Far {
  done: number
  of: number | null
}
