import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { ROOT } from './docker-context.ts'

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((page) => `docs/${page}`),
]

test('When a page shows a command, then the program has it, with these options', () => {
  const shown = PAGES.filter((page) => page.endsWith('.md')).flatMap((page) =>
    commandsOf(readFileSync(join(ROOT, page), 'utf8')).map((words) => ({ page, words })),
  )
  expect(shown.length).toBeGreaterThan(100)
  const wrong = shown.flatMap(({ page, words }) => {
    const fault = faultIn(program, words)
    return fault === null ? [] : [`${page}: ${words.join(' ')}: ${fault}`]
  })
  expect(wrong).toEqual([])
})

test('When the program says what to type, then it has that command, with these options', () => {
  const src = join(ROOT, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const shown = files.flatMap((file) =>
    spokenOf(readFileSync(join(src, file), 'utf8')).map((words) => ({ file, words })),
  )
  expect(shown.length).toBeGreaterThan(100)
  const wrong = shown.flatMap(({ file, words }) => {
    const fault = faultIn(program, words, true)
    return fault === null ? [] : [`${file}: ${words.join(' ')}: ${fault}`]
  })
  expect(wrong).toEqual([])
})

/** What stands after `tillbridge` in what is said to people; not a mark in a shop, nor the name of a lock. */
function spokenOf(source: string): string[][] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const said = code.replaceAll(/\$\{[^}]*\}/g, 'TEXT').replaceAll(/\[tillbridge customer|tillbridge copy TEXT/g, '')
  // In a sentence it ends with a mark; words of the sentence that follow are as good as arguments.
  return [...said.matchAll(/\btillbridge ([a-z][^\\`'"\n:;,.)]*)/g)].map(([, line = '']) => wordsOf(line))
}

/** What stands after `tillbridge` where commands stand: at the beginning of a line of a block, or of a piece of code. */
function commandsOf(page: string): string[][] {
  const lines = [
    ...page.matchAll(/(?:^ *(?:\$ )?|`)(?:npx tillbridge|npm run tillbridge --|tillbridge) ([a-z][^`\n]*)/gm),
  ]
  return lines.map(([, line = '']) => wordsOf(line))
}

/** Up to where a shell, or the page, says something else. */
function wordsOf(line: string): string[] {
  const command = line.split(/ (?:#|\||>|&&|…)|;/)[0] ?? ''
  return command
    .replace(/"[^"]*"|'[^']*'/g, 'text')
    .split(/\s+/)
    .filter(Boolean)
}

/** Null: it is right, as far as names go. `isTyped`: to name a family of commands is not enough. */
function faultIn(command: Command, [word, ...rest]: readonly string[], isTyped = false): string | null {
  if (command.commands.length > 0) {
    const inner = command.commands.find((one) => one.name() === word)
    if (inner) return faultIn(inner, rest, isTyped)
    if (word === '--help') return null
    const byDefault: unknown = Reflect.get(command, '_defaultCommandName')
    if (typeof byDefault === 'string' && (word === undefined || word.startsWith('--')))
      return faultIn(command, [byDefault, ...(word === undefined ? [] : [word]), ...rest])
    if (word !== undefined) return `no command ${word}`
    return isTyped ? 'it takes one of its commands' : null
  }
  const known = command.options.flatMap(({ long, short }) => [long, short])
  const strange = [word ?? '', ...rest].map((one) => one.split('=')[0]).filter((one) => one?.startsWith('-'))
  const [first] = strange.filter((one) => one !== '--help' && !known.includes(one))
  return first === undefined ? null : `no option ${first}`
}
