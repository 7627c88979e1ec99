import type { Patience } from './run/judging.ts'
import { type Place, runProcess } from './run/processes.ts'
import type { Line, Question, Verdict } from './run/work.ts'

/** Has every mutant judged, each as soon as a process is free for it; a mutant that makes the tests hang is killed by that. */
export async function judgeAll(
  place: Place,
  questions: readonly Question[],
  processes: number,
  patience: Patience,
  take: (verdict: Verdict) => void,
): Promise<void> {
  const queue = [...questions]
  const one = async (number: number) => {
    while (queue.length > 0) {
      // The end is shared by all: nobody waits for a long list of one.
      let rest = queue.splice(0, Math.max(10, Math.ceil(queue.length / (processes * 3))))
      while (rest.length > 0) {
        const done = new Set<number>()
        const judged = (verdict: Verdict) => {
          done.add(verdict.mutant)
          take(verdict)
        }
        const note = (line: Line) => {
          if (line.type === 'judged') judged(line)
        }
        const { late } = await runProcess(place, `judge-${number}`, { type: 'judge', questions: rest, patience }, note)
        if (late !== null) {
          const [mutant = '', file = ''] = late.split(' ')
          // Before the first mutant nothing was judged: whatever it is, it is none of theirs.
          if (file === 'start') throw new Error('The tests did not begin.')
          if (!done.has(Number(mutant))) judged({ mutant: Number(mutant), result: 'timeout', by: file })
        }
        rest = rest.filter(({ mutant }) => !done.has(mutant))
      }
    }
  }
  await Promise.all(Array.from({ length: processes }, (_, number) => one(number)))
}
