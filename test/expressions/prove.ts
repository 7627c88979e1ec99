import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Expression } from './find.ts'

/** What is known of an expression; `complexity` and `attack` of one that is not linear. */
export interface Verdict {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity: string | null
  /** How a text is written that it takes too long for. */
  attack: string | null
}

/** Proves by its automaton that an expression is linear, in a program of its own: that takes its time. In their order. */
export async function verdictsOn(expressions: readonly Pick<Expression, 'source' | 'flags'>[]): Promise<Verdict[]> {
  const program = spawn(process.execPath, [fileURLToPath(new URL('./prove-program.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    program.stdin.end(JSON.stringify(expressions))
    return (await json(program.stdout)) as Verdict[]
  } finally {
    program.kill()
    await ended
  }
}
