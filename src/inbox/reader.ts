import { completes } from '../domain/queue/dedupe.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Arrival } from '../store/arrival.ts'
import type { Incoming } from './incoming.ts'
import type { Read } from './reading.ts'

/** Reads what arrives, where that keeps nobody waiting. */
export interface Reader {
  /** At once where it is small; else a promise, which never rejects: what cannot be read becomes a quarantined arrival. */
  read(incoming: Incoming): Arrival | Promise<Arrival>
  /** Whether one body says all that another one says, and more. What cannot be read completes nothing. */
  completes(fuller: Uint8Array, thinner: Uint8Array): boolean | Promise<boolean>
}

/** Reads everything here and now. */
export function createReader(read: Read): Reader {
  return { read, completes: completesBody }
}

/** Whether one body says all that another one says, and more. */
export function completesBody(fuller: Uint8Array, thinner: Uint8Array): boolean {
  try {
    return completes(payloadOf({ body: fuller }), payloadOf({ body: thinner }))
  } catch {
    return false
  }
}
