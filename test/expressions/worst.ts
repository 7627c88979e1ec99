import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Expression } from './find.ts'

/** What a text repeats, and what stands around it. */
export interface Worst {
  before: string
  pump: string
  after: string
}

const CHARACTERS = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '-',
  '.',
  '/',
  ',',
  '"',
  "'",
  '{',
  '<',
  '=',
  '%',
  '\u00e9',
  '\u0300',
  '\0',
]

/** With which hardly anything that is looked for ends. */
const ENDS = ['', '\u0001', '\n\u0001']

const TRIED = 4

/**
 * The texts that an expression may lose itself in, made from itself: each part that repeats is repeated, after what comes
 * before it, with it, and alone; at the end it fails, or does not.
 */
export function worstFor({ source, flags }: Pick<Expression, 'source' | 'flags'>): Worst[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const characters = [...new Set([...source.replace(/\\./g, ''), ...CHARACTERS])]
  const isMatch = (raw: string, text: string) => new RegExp(`^(?:${raw})$`, flags.replace(/[gy]/g, '')).test(text)
  const all = [
    ...repeats(pattern).flatMap(({ before, element }) => {
      const matching = characters.filter((one) => isMatch(element.raw, one)).slice(0, TRIED)
      const other = characters.find((one) => !isMatch(element.raw, one)) ?? ''
      return [...new Set([sampleOf(element), ...matching])].flatMap((pump) => around(before, pump, [...ENDS, other]))
    }),
    // What has no such part is looked for in what it matches, again and again.
    ...pattern.alternatives.flatMap((alternative) => around('', sampleOf(alternative), ENDS)),
  ]
  return [...new Map(all.filter(({ pump }) => pump !== '').map((one) => [JSON.stringify(one), one])).values()]

  function around(before: string, pump: string, ends: readonly string[]): Worst[] {
    const ways = [
      { before, pump },
      { before: '', pump },
      { before: '\u0001', pump },
      { before: '', pump: before + pump },
      { before: '', pump: before },
    ]
    return ways.flatMap((way) => ends.map((after) => ({ ...way, after })))
  }

  /** Every part that may repeat, and a text that what stands before it matches. */
  function repeats(node: AST.Node, before = ''): { before: string; element: AST.Node }[] {
    switch (node.type) {
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.flatMap((alternative) => repeats(alternative, before))
      case 'Assertion':
        return 'alternatives' in node ? node.alternatives.flatMap((alternative) => repeats(alternative, before)) : []
      case 'Alternative':
        return node.elements.flatMap((element, index) =>
          repeats(element, before + node.elements.slice(0, index).map(sampleOf).join('')),
        )
      case 'Quantifier': {
        const inner = repeats(node.element, before)
        return node.max > 1 ? [{ before, element: node.element }, ...inner] : inner
      }
      default:
        return []
    }
  }

  /** The shortest text that comes to mind which a part matches. */
  function sampleOf(node: AST.Node): string {
    switch (node.type) {
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives[0] ? sampleOf(node.alternatives[0]) : ''
      case 'Alternative':
        return node.elements.map(sampleOf).join('')
      case 'Quantifier':
        return sampleOf(node.element).repeat(Math.max(node.min, node.max === 1 ? 0 : 1))
      case 'Character':
        return String.fromCodePoint(node.value)
      case 'CharacterSet':
      case 'CharacterClass':
        return characters.find((one) => isMatch(node.raw, one)) ?? ''
      default:
        return ''
    }
  }
}
