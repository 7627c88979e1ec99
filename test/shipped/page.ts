import { stripVTControlCharacters } from 'node:util'

/** A block of a page that somebody types, or reads as what was answered. */
export interface Block {
  line: number
  /** `sh`: commands; `console`: commands after `$ `, and below each what it prints. */
  language: 'sh' | 'console'
  /** What else stands beside the language, unseen by who reads the page: `stays`, `unrun` … */
  marks: readonly string[]
  text: string
}

/** A command, and what the page says that it prints; null: it does not say. */
export interface Typed {
  command: string
  prints: string | null
}

/** The blocks of a Markdown page that are commands, in its order. */
export function blocksOf(page: string): Block[] {
  const blocks = [...page.matchAll(/^( *)```(sh|console)\b([^\n]*)\n(.*?)^ *```$/gms)]
  return blocks.map(({ index, 1: indent = '', 2: language, 3: marks = '', 4: text = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    language: language as Block['language'],
    marks: marks.split(' ').filter(Boolean),
    text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** What is typed, one after the other. A console that begins with no command is what the last one that stays has printed. */
export function typedIn({ language, text }: Block): Typed[] {
  if (language === 'sh') return commandsIn(text).map((command) => ({ command, prints: null }))
  if (!text.startsWith('$ ')) return [{ command: '', prints: text }]
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n')
      return { command: part.slice(0, end), prints: part.slice(end + 1) }
    })
}

/** A line each, but for what goes on after a backslash, within a quote, or until END. */
function commandsIn(text: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of text.split('\n')) {
    open += open === '' ? line : `\n${line}`
    const isHere = open.includes('<<END') && line !== 'END'
    if (isHere || open.endsWith('\\') || (open.split("'").length - 1) % 2 === 1) continue
    if (open.trim() !== '' && !open.startsWith('#')) commands.push(open)
    open = ''
  }
  return commands
}

/** How a text looks: its words stay, its numbers, times, ids and widths do not. */
export function shapeOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) =>
      line
        .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+Z|[+-]\d\d:\d\d)?/g, '<time>')
        .replace(/\b\d+ (s|min|h|d)\b/g, '<age>')
        .replace(/\b(?=\w*\d)[\da-f]{8,}\b/g, '<id>')
        .replace(/\d+([.,]\d+)*/g, '9')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

/** Whether lines look like these, in which `…` stands for any number of lines. */
export function looksLike(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown
  if (first === undefined) return printed.length === 0
  if (first === '…') return rest.length === 0 || printed.some((_, from) => looksLike(printed.slice(from), rest))
  return printed[0] === first && looksLike(printed.slice(1), rest)
}
