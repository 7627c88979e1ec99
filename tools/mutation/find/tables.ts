/** What an operator is swapped for. */
export const OPERATORS: Readonly<Record<string, { operator: string; to: readonly string[] }>> = {
  '===': { operator: 'equality', to: ['!=='] },
  '!==': { operator: 'equality', to: ['==='] },
  '<': { operator: 'relation', to: ['<=', '>='] },
  '<=': { operator: 'relation', to: ['<', '>'] },
  '>': { operator: 'relation', to: ['>=', '<='] },
  '>=': { operator: 'relation', to: ['>', '<'] },
  '&&': { operator: 'logic', to: ['||'] },
  '||': { operator: 'logic', to: ['&&'] },
  '??': { operator: 'logic', to: ['&&'] },
  '+': { operator: 'arithmetic', to: ['-'] },
  '-': { operator: 'arithmetic', to: ['+'] },
  '*': { operator: 'arithmetic', to: ['/'] },
  '/': { operator: 'arithmetic', to: ['*'] },
  '%': { operator: 'arithmetic', to: ['*'] },
  '+=': { operator: 'arithmetic', to: ['-='] },
  '-=': { operator: 'arithmetic', to: ['+='] },
}

/** The method that is called instead. */
export const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    toUpperCase: 'toLowerCase',
    toLowerCase: 'toUpperCase',
    trimStart: 'trimEnd',
    trimEnd: 'trimStart',
    padStart: 'padEnd',
    indexOf: 'lastIndexOf',
    find: 'findLast',
  }),
)

/** Methods that are not called at all. */
export const REMOVED: readonly string[] = ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim']

/** Whether a text is for people: it has a space between words, or is a sentence's end. What it says is not judged. */
export function isMessage(text: string): boolean {
  return /\S\s|\s\S|^[\s,;:.!?()]+$/.test(text)
}
