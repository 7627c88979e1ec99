import type { Accounts } from '../domain/books/accounts.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { Ports } from '../ports/ports.ts'
import type { Room } from '../store/claim.ts'

/** One configured adapter at work, under the operator's name. */
export interface Destination {
  name: string
  ports: Ports
  lane: {
    /** Calls at once, prompt and bulk together. */
    concurrency: number
    /** How long one call may take (milliseconds). */
    timeout: number
    /** How long after a call that went unanswered a lookup that finds nothing proves nothing (milliseconds). */
    inDoubtFor: number
    /** How long after a second call was made for want of evidence it is looked up again, each time (milliseconds). */
    lookAgain: readonly number[]
  }
  /** The most of one of its calls, and how long it waits for more. */
  batch: Room['batch']
  /** Where it sells from. */
  channels: Channels
  /** The accounts of its books. */
  accounts: Accounts | null
  /** Record what would be sent, and send nothing. */
  dryRun: boolean
}
