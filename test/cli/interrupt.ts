import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import type { Ran } from './run.ts'

/** Runs a command, and presses Ctrl-C as soon as it listens for that and `when` says so. */
export async function interrupted(run: () => Promise<Ran>, when = () => true): Promise<Ran> {
  // One that has ended may still listen for a moment.
  let listens = false
  const look = (name: string | symbol) => {
    listens ||= name === 'SIGINT'
  }
  process.on('newListener', look)
  const running = run()
  await eventually(() => expect([listens, when()]).toEqual([true, true]))
  process.off('newListener', look)
  process.emit('SIGINT', 'SIGINT')
  return await running
}
