import type { Ports } from '../adapters/adapter.ts'

/** One configured adapter at work, under the operator's name. */
export interface Destination {
  name: string
  ports: Ports
  lane: {
    /** Calls at once, prompt and bulk together. */
    concurrency: number
    /** How long one call may take (milliseconds). */
    timeout: number
  }
  /** What it calls the platform's stocks, by their ids. */
  stocks: Readonly<Record<string, string>>
  /** Record what would be sent, and send nothing. */
  dryRun: boolean
}
