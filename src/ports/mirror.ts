import type { MirrorFact } from '../domain/catalogue/mirror.ts'
import type { Attempt, Batch, BatchResult, Effect } from './attempt.ts'

/** The hub's own copy of platform facts: later ones take the place of earlier ones, in whatever order they come. */
export interface MirrorPort {
  save(batch: Batch<MirrorFact>): Promise<BatchResult>
  find?(attempt: Attempt, call: MirrorCall): Promise<Effect | null>
}

export type MirrorCall = { port: 'mirror'; method: 'save'; argument: MirrorFact }
