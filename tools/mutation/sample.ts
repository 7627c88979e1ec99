import { createHash } from 'node:crypto'
import type { Mutant } from './mutant.ts'

/** So many mutants, the same ones for the same seed, and with a greater number those and more. */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const rank = ({ key }: Mutant) => createHash('sha256').update(`${seed}:${key}`).digest('hex')
  const ranked = mutants.map((mutant) => ({ mutant, rank: rank(mutant) }))
  const chosen = ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count)
  return chosen.map(({ mutant }) => mutant).sort((a, b) => a.id - b.id)
}
