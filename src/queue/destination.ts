import type { Accounts } from '../domain/accounting/journal.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { Ports } from '../ports/ports.ts'
import type { ClaimLimits } from '../storage/claim.ts'

export interface Destination {
  name: string
  ports: Ports
  queue: {
    concurrency: number
    /** Timeout of one call (ms). */
    timeout: number
    /** How long after an unanswered call an empty lookup proves nothing (ms). */
    inDoubtFor: number
  }
  batch: ClaimLimits['batch']
  channels: Channels
  accounts: Accounts | null
  dryRun: boolean
}
