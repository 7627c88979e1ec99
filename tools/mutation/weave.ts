import { createHash } from 'node:crypto'
import { findSites, type Site } from './find/find.ts'
import { childrenOf, type Node, parse } from './find/syntax.ts'
import type { Mutant } from './mutant.ts'

/** A file that holds all of its mutants at once, and what they are. */
export interface Woven {
  source: string
  mutants: Mutant[]
}

/**
 * Weaves every mutant of a file into it: where one may stand, the code asks `$m(id)` whether it does.
 * `firstId`: the number of the file's first mutant.
 */
export function weave(file: string, source: string, firstId: number): Woven {
  const program = parse(file, source)
  const sites = findSites(program, source)
  const mutants: Mutant[] = []
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 12)

  const add = ({ node }: Site, operator: string, to: string): number => {
    const from = source.slice(node.start, node.end)
    const id = firstId + mutants.length
    const line = source.slice(0, node.start).split('\n').length
    mutants.push({ id, file, line, operator, from, to, key: `${file}:${hash}:${node.start}:${operator}:${to}` })
    return id
  }

  const render = (node: Node, parent: Node | null): string => {
    const site = sites.get(node)
    // Numbered before what is inside: the list reads as the file does.
    const ids = site?.changes.map(({ operator, to }) => ({ to, id: add(site, operator, to) })) ?? []
    const text = inner(node)
    const woven = site ? wrap(site, ids, text) : text
    const begins = node.type === 'ExpressionStatement' && woven.startsWith('(')
    // Without semicolons, a line that begins with a bracket goes on with the one before.
    return begins && isListed(parent) ? `;${woven}` : woven
  }

  const inner = (node: Node): string => {
    let [text, at] = ['', node.start]
    for (const child of childrenOf(node)) {
      text += source.slice(at, child.start) + render(child, node)
      at = child.end
    }
    return text + source.slice(at, node.end)
  }

  const text = inner(program)
  const woven = source.slice(0, program.start) + text + source.slice(program.end)
  return { source: woven, mutants }
}

function wrap({ kind }: Site, changes: readonly { id: number; to: string }[], text: string): string {
  const id = changes[0]?.id
  if (kind === 'function') return `{if($m(${id}))return;${text.slice(1)}`
  if (kind === 'block') return `{if(!$m(${id}))${text}}`
  return `(${changes.map((change) => `$m(${change.id})?(${change.to}):`).join('')}(${text}))`
}

/** Whether statements stand in a list there, one after another. */
function isListed(parent: Node | null): boolean {
  return ['Program', 'BlockStatement', 'SwitchCase', 'StaticBlock'].includes(parent?.type ?? '')
}
