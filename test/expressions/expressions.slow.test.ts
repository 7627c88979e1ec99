import { describe, expect, test } from 'vitest'
import { type Expression, expressionsIn, expressionsOfHub } from './find.ts'
import { verdictsOn } from './prove.ts'
import { slowOnShort } from './run.ts'

describe('expressions that are not linear', () => {
  const text = [
    ['the end of a text', '/-+$/'],
    ['all ends of a text', '/^-+|-+$/g'],
    ['a repeat in a repeat', '/(a+)+$/'],
    ['a beginning without its end', '/\\$\\{[^}]*\\}/'],
    ['blanks around a break', '/\\s*[\\r\\n]\\s*/g'],
    ['three parts that overlap', '/^[^/]*[^/\\s][^/]*$/'],
    ['a line that does not end', '/%.*$/'],
    ['a tag whose name may hold quotes', `/<(?<name>[^\\s<>]+)(?<rest>(?:[^"'<>]|"[^"<]*"|'[^'<]*')*)>/y`],
  ]
  const slow = text.map(([, written]) => expressionsIn('slow.ts', `const slow = ${written}`)[0] as Expression)

  test('when they are proven, then none is called linear', async () => {
    expect((await verdictsOn(slow)).map(({ status }) => status)).toEqual(slow.map(() => 'vulnerable'))
  }, 300_000)

  test.each(text)('when one looks for %s (%s), then a text is found that detains it', (_, written) => {
    const [found] = expressionsIn('slow.ts', `const slow = ${written}`)
    expect(found && slowOnShort(found)).not.toBeNull()
  })
})

describe('how expressions are found', () => {
  test.each([
    ['a literal', 'const a = /a+/g', 'a+', 'g'],
    ['one in a call', `text.replace(/a\\/b/, '')`, 'a\\/b', ''],
    ['one with types around', `const a: RegExp = <RegExp>/a/ as RegExp`, 'a', ''],
    ['one that is made', `new RegExp('a|b', 'i')`, 'a|b', 'i'],
    ['one that is made of parts', `RegExp('^a{' + least + '}')`, '^a{16}', ''],
    ['a text that becomes one', `text.match('a.c')`, 'a.c', ''],
  ])('when there is %s, then it is found at its line', (_, written, source, flags) => {
    expect(expressionsIn('src/a.ts', `\n${written}`)).toEqual([{ source, flags, places: ['src/a.ts:2'] }])
  })

  for (const written of [
    "const a = 'b /c+$/ d'",
    '// text.replace(/a+$/)',
    'const a = b / c / d',
    'search(text)',
  ] as const)
    test(`when there is none (${written}), then none is found`, () => {
      expect(expressionsIn('src/a.ts', written)).toEqual([])
    })

  test('when nobody knows what one is made of, then its place is told', () => {
    expect(() => expressionsIn('src/a.ts', 'new RegExp(payload)')).toThrow('src/a.ts:1')
  })
})

/*
 * What strangers write is read with expressions: one that goes back over what it has read takes minutes for a text of some
 * hundred kilobytes, and nothing else happens meanwhile. So each of the program's is proven to take linear time, twice: by
 * its automaton, and by texts that are made of its own parts. The same with texts of a megabyte: expressions.soak.ts.
 */

const expressions = expressionsOfHub()

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
