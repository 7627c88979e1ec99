import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'
import { changeOf } from '../../tools/mutation/mutant.ts'
import { weave } from '../../tools/mutation/weave.ts'

/** The changes of a piece of code, as people read them. */
const changes = (source: string) => weave('a.ts', source, 0).mutants.map(changeOf)

/** What a function `f` gives back with each of its mutants at work; the first with none. */
function results(source: string, ...given: unknown[]): unknown[] {
  const { source: woven, mutants } = weave('a.ts', source, 0)
  const make = new Function('$m', `${stripTypeScriptTypes(woven)}\nreturn f`)
  return [-1, ...mutants.map(({ id }) => id)].map((active) => {
    const f = make((id: number) => id === active) as (...args: unknown[]) => unknown
    try {
      return f(...given)
    } catch (error) {
      return (error as Error).name
    }
  })
}

test.each([
  ['a relation', 'x = a < b', ['a < b → a <= b', 'a < b → a >= b']],
  ['an equality', 'x = a === b', ['a === b → a !== b']],
  ['logic', 'x = a && b', ['a && b → a || b']],
  ['what is taken where nothing is', 'x = a ?? b', ['a ?? b → a && b']],
  ['arithmetic', 'x = a + b', ['a + b → a - b']],
  ['a sum that grows', 'x += a', ['x += a → x -= a']],
  ['a counter', 'x++', ['x++ → x--']],
  ['a negation', 'x = !a', ['!a → a']],
  ['a truth', 'x = true', ['true → false']],
  ['a word', `x = 'sale'`, [`'sale' → ''`]],
  ['an empty text', `x = ''`, [`'' → 'mutated'`]],
  ['a text with values', `x = \`\${a}-\${b}\``, [`\`\${a}-\${b}\` → \`\``]],
  ['a list', 'x = [a]', ['[a] → []']],
  ['a thing', 'x = { a }', ['{ a } → {}']],
  ['a method', 'x = a.some(b)', ['a.some(b) → a.every(b)']],
  ['a method that may be left out', 'x = a.filter(b)', ['a.filter(b) → a']],
  ['a chain', 'x = a?.b?.[c]', ['a?.b?.[c] → a?.b[c]', 'a?.b?.[c] → a.b?.[c]']],
  ['a choice', 'x = a ? b : c', ['a → true', 'a → false']],
  ['a loop', 'while (a) b()', ['a → false']],
  ['a result', 'const f = () => a.b', ['a.b → undefined']],
  ['what a function does', 'function f() { g() }', ['{ g() } → {}']],
  ['what is done otherwise', 'if (a) b(); else { c() }', ['a → true', 'a → false', '{ c() } → {}']],
])('when code holds %s, then it is changed', (_, source, expected) => {
  expect(changes(source)).toEqual(expected)
})

test.each([
  ['a text for people', `x = 'An order that nobody knows'`],
  ['texts that are put together', `x = a + ' and '`],
  ['a line of the log', `log.warn({ id: 1 }, 'delivery.failed')`],
  ['an import', `import { a } from './a.ts'`],
  ['a name', `x = a.b`],
  ['a word that a file gives a name', `export const FAILED = 'failed'`],
  ['the name of an error', `class A extends Error { override name = 'A' }`],
  ['a type', `let x: 'a' | 'b' = y as { z: 'c' }`],
  ['the type that a value is asked for', `x = typeof a`],
  ['a pattern', `const { a: [b] } = c`],
  ['what is there already', 'function f() {}'],
])('when code holds %s, then it stays', (_, source) => {
  expect(changes(source)).toEqual([])
})

test('when no mutant is at work, then woven code does what it did; with one, only its own place is changed', () => {
  const source = `function f(a: number, b: number): string { return a < b && b > 2 ? 'less' : 'more' }`
  expect(results(source, 1, 3)).toEqual([
    'less', // none
    undefined, // the whole function
    'less', // || for &&
    'less', // always
    'more', // never
    'less', // <=
    'more', // >=
    'less', // b >= 2
    'more', // b <= 2
    '', // the first word
    'less', // the second word
  ])
})

test('when lines begin with what is changed, then the line before ends where it ended', () => {
  const source = `function f(list: number[]) {\n  const all = list\n  list.filter(Boolean)\n  return all\n}`
  expect(results(source, [1])).toEqual([[1], undefined, [1], undefined])
})

test('when a chain is broken, then what followed it is not asked', () => {
  const source = 'function f(a: { b: { c(d: boolean): number } } | null) { return a?.b.c(true) }'
  expect(results(source, null)).toEqual([undefined, undefined, 'TypeError', undefined, undefined])
})

test('when an operator bound closer than the one in its place, then the sides stay what they are', () => {
  const source = 'function f(a: boolean, b: boolean, c: boolean) { return a && (b || c) }'
  expect(results(source, false, true, true).slice(0, 3)).toEqual([false, undefined, true])
})

test('when files are woven one after another, then the numbers go on, and the keys stay while the file does', () => {
  const first = weave('a.ts', 'x = a < b', 0)
  const second = weave('b.ts', 'x = a < b', first.mutants.length)
  expect(second.mutants.map(({ id }) => id)).toEqual([2, 3])
  expect(weave('b.ts', 'x = a < b', 7).mutants.map(({ key }) => key)).toEqual(second.mutants.map(({ key }) => key))
  expect(weave('b.ts', 'x = a  < b', 2).mutants[0]?.key).not.toBe(second.mutants[0]?.key)
})

test('when a file is no TypeScript, then it is named', () => {
  expect(() => weave('src/a.ts', 'const = 1', 0)).toThrow('src/a.ts: ')
})
