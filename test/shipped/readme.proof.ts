import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/docker-context.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { openNetwork, openTerminal, type Running, type Terminal } from './terminal.ts'

/** A block of a page that somebody types, or reads as what was answered. */
interface Block {
  line: number
  /** `sh`: commands; `console`: commands after `$ `, and below each what it prints. */
  language: 'sh' | 'console'
  /** What else stands beside the language, unseen by who reads the page: `stays`, `unrun` … */
  marks: readonly string[]
  text: string
}

/** A command, and what the page says that it prints; null: it does not say. */
interface Typed {
  command: string
  prints: string | null
}

/** The blocks of a Markdown page that are commands, in its order. */
function blocksOf(page: string): Block[] {
  const blocks = [...page.matchAll(/^( *)```(sh|console)\b([^\n]*)\n(.*?)^ *```$/gms)]
  return blocks.map(({ index, 1: indent = '', 2: language, 3: marks = '', 4: text = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    language: language as Block['language'],
    marks: marks.split(' ').filter(Boolean),
    text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** What is typed, one after the other. A console that begins with no command is what the last one that stays has printed. */
function typedIn({ language, text }: Block): Typed[] {
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
function shapeOf(text: string): string[] {
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
function looksLike(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown
  if (first === undefined) return printed.length === 0
  if (first === '…') return rest.length === 0 || printed.some((_, from) => looksLike(printed.slice(from), rest))
  return printed[0] === first && looksLike(printed.slice(1), rest)
}

function copyCheckout(from: string, to: string): void {
  const list =
    'git ls-files --cached --others --exclude-standard -z | while IFS= read -r -d "" f; do [ -e "$f" ] && printf "%s\\0" "$f"; done'
  execFileSync('bash', ['-c', `${list} | tar -c --null -T - | tar -x -C "$0"`, to], { cwd: from })
}

/**
 * Blocks of the README say beside their language, unseen by who reads it: `stays`, the command goes on in a terminal of its own;
 * `elsewhere`, in another fresh checkout; `unrun`, it is not typed here: it has other people's addresses in it.
 */

/** Where nothing is set up yet, it finds something wrong; that is what it is for. */
const FINDS = /^npx tillbridge doctor/

/** Asking twice changes nothing: what is still on its way is there the next time. */
const ASKS = /^npx tillbridge (events|deliveries|status|jobs|keys|order|late)\b/

test('When the README is typed from the top, then everything works, and prints what the README shows', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  const [here, elsewhere] = [join(folder.path, 'here'), join(folder.path, 'elsewhere')]
  for (const checkout of [here, elsewhere]) {
    await mkdir(checkout)
    copyCheckout(ROOT, checkout)
  }
  symlinkSync(join(here, 'node_modules'), join(elsewhere, 'node_modules'))
  await using downloads = openTerminal(here, [])
  await using second = openTerminal(here, network.enter)
  await using stays = openTerminal(here, network.enter)
  await using other = openTerminal(elsewhere, network.enter)
  let running: Running[] = []

  for (const block of blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))) {
    if (block.marks.includes('unrun')) continue
    for (const { command, prints } of typedIn(block)) {
      const where = `README.md:${block.line}: ${command}`
      if (command === '') expectShown(`…\n${prints}…`, running.at(-1)?.out() ?? '', where)
      else if (block.marks.includes('stays')) await stay(command)
      else await type(block.marks.includes('elsewhere') ? other : second, command, prints, where)
    }
  }

  await endAll()

  async function stay(command: string) {
    // The demo has ports of its own; who reads on has seen enough of it.
    if (/everything it keeps/.test(running.at(-1)?.out() ?? '')) await endAll()
    running.push(await stays.leave(command))
  }

  /** Ctrl-C in each terminal; of a demo, nothing is left behind. */
  async function endAll() {
    for (const one of running.toReversed()) {
      const [, kept] = /everything it keeps is in (\S+)\./.exec(one.out()) ?? []
      if (kept !== undefined) expect(existsSync(kept)).toBe(true)
      await one.interrupt()
      if (kept !== undefined) expect(existsSync(kept)).toBe(false)
    }
    running = []
  }

  async function type(terminal: Terminal, command: string, prints: string | null, where: string) {
    const once = async () => {
      const { code, out } = await (command.startsWith('npm ci') ? downloads : terminal).type(command)
      expect(FINDS.test(command) ? [0, 1] : [0], `${where}\n${out}`).toContain(code)
      // Of a person's own settings, npm says what it thinks.
      if (prints !== null) expectShown(prints, out.replace(/^npm warn .*\n/gm, ''), where)
    }
    await (ASKS.test(command) ? eventually(once) : once())
  }
})

/** Words are as they stand there; numbers, times, ids and widths are what they are. */
function expectShown(shown: string, printed: string, where: string): void {
  const [wanted, found] = [shapeOf(shown), shapeOf(printed)]
  const both = `${where}\nshows\n${wanted.join('\n')}\nand prints\n${found.join('\n')}`
  expect(looksLike(found, wanted), both).toBe(true)
}
