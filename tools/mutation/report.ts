import { changeOf, type Mutant } from './mutant.ts'
import type { Result } from './results.ts'
import { roomOf } from './rooms.ts'

export interface Judged {
  mutant: Mutant
  result: Result
}

/** The figures of each room, as a table, and below it everything that no test noticed. */
export function report(judged: readonly Judged[]): string {
  const rooms = [...Map.groupBy(judged, ({ mutant }) => roomOf(mutant.file))]
  const rows = rooms.map(([room, of]) => rowOf(room, of))
  const table = [
    '| room | mutants | killed | by time | survived | met by no test | killed of all |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    ...(rooms.length > 1 ? [rowOf('all', judged)] : []),
  ]
  const left = judged.filter(({ result }) => result.result === 'survived' || result.result === 'uncovered')
  return `${table.join('\n')}\n\n${left.map(lineOf).join('\n')}\n`
}

/** How many of a hundred were killed. */
function shareOf(judged: readonly Judged[]): number {
  const killed = judged.filter(({ result: { result } }) => result === 'killed' || result === 'timeout').length
  return judged.length === 0 ? 100 : (100 * killed) / judged.length
}

function rowOf(room: string, judged: readonly Judged[]): string {
  const count = (name: string) => judged.filter(({ result }) => result.result === name).length
  const counts = ['killed', 'timeout', 'survived', 'uncovered'].map(count).join(' | ')
  return `| ${room} | ${judged.length} | ${counts} | ${shareOf(judged).toFixed(1)} % |`
}

function lineOf({ mutant, result }: Judged): string {
  const met = result.result === 'uncovered' ? ' (met by no test)' : ''
  return `${mutant.file}:${mutant.line} ${mutant.operator}: ${changeOf(mutant)}${met}`
}
