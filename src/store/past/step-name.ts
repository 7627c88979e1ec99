import type { Owed } from '../owed.ts'

/** The name of a step among those of its event. */
export function stepName({ flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
