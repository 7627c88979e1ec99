import { createContext, Script } from 'node:vm'
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Expression } from './find.ts'

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

/** What a text repeats, and what stands around it. */
interface Worst {
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
function worstFor({ source, flags }: Pick<Expression, 'source' | 'flags'>): Worst[] {
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
