import type { Owed } from '../owed.ts'

/** Unique in its event. */
export function stepName({ flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
