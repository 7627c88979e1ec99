import { describe, expect, test } from 'vitest'
import { type Expression, expressionsBelow } from './find.ts'
import { verdictsOn } from './prove.ts'
import { slowOnShort } from './run.ts'

/*
 * What strangers write is read with expressions: one that goes back over what it has read takes minutes for a text of some
 * hundred kilobytes, and nothing else happens meanwhile. So each of the program's is proven to take linear time, twice: by
 * its automaton, and by texts that are made of its own parts. The same with texts of a megabyte: expressions.soak.ts.
 */

const expressions = expressionsBelow('src')

describe('the expressions of the program', () => {
  test('when they are proven, then each takes linear time', async () => {
    const verdicts = await verdictsOn(expressions)

    expect(expressions.length).toBeGreaterThan(300)
    const faults = expressions.flatMap((expression, index) => {
      const { status, complexity, attack } = verdicts[index] ?? {}
      return status === 'safe' ? [] : [`${shown(expression)} is ${complexity ?? status}: ${attack}`]
    })
    expect(faults).toEqual([])
  }, 300_000)

  test('when they read texts that are made to detain them, then they read to the end', () => {
    const faults = expressions.flatMap((expression) => {
      const text = slowOnShort(expression)
      return text === null ? [] : [`${shown(expression)} takes too long for ${text}`]
    })
    expect(faults).toEqual([])
  }, 300_000)
})

function shown({ source, flags, places }: Expression): string {
  return `${places.join(', ')} /${source}/${flags}`
}
