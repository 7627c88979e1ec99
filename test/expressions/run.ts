import { createContext, Script } from 'node:vm'
import type { Expression } from './find.ts'
import { worstFor } from './worst.ts'

/** How the program uses expressions: it looks for one, and looks for all, to take them, replace them, or split by them. */
const USES = new Script(`{
  for (; at < texts.length; at += 1) {
    const { before, pump, after } = texts[at]
    const text = before + pump.repeat(Math.ceil(length / pump.length)) + after
    expression.lastIndex = 0
    expression.test(text)
    text.replace(all, '')
  }
}`)

/** So long may the texts of one expression take together (milliseconds): one that is not linear would take minutes. */
const LONGEST = 5_000

/**
 * What an expression takes too long for, of texts of that many characters. Null: nothing. `longest` in milliseconds of the
 * processor: where others want it too, the clock says nothing.
 */
export function slowOn(
  { source, flags }: Pick<Expression, 'source' | 'flags'>,
  length: number,
  longest = LONGEST,
): string | null {
  const texts = worstFor({ source, flags })
  const room = {
    ...{ texts, length, at: 0 },
    expression: new RegExp(source, flags),
    all: new RegExp(source, flags.includes('g') ? flags : `${flags}g`),
  }
  const context = createContext(room)
  const before = process.threadCpuUsage()
  for (;;)
    try {
      USES.runInContext(context, { timeout: longest })
      return null
    } catch (error) {
      if (Object(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.threadCpuUsage(before)
      if ((user + system) / 1_000 >= longest) return JSON.stringify(texts[room.at])
    }
}

/** The same for texts of 20,000 characters, all of which what is linear reads in a fifth of the time that it has; the others take seconds. */
export function slowOnShort(expression: Pick<Expression, 'source' | 'flags'>): string | null {
  return slowOn(expression, 20_000, 300)
}
