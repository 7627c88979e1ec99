import { type Change, changesOf, linksOf } from './operators.ts'
import { childrenOf, type Node } from './syntax.ts'

/** Something that is changed: an expression, or a block that is emptied. */
export interface Site {
  node: Node
  kind: 'expression' | 'function' | 'block'
  changes: Change[]
}

/** Every place of a file that can be changed, by its node. */
export function findSites(program: Node, source: string): Map<Node, Site> {
  const sites = new Map<Node, Site>()
  const text = ({ start, end }: Node) => source.slice(start, end)
  const visit = (node: Node, parents: readonly Node[]) => {
    if (isLog(node, text)) return
    const kind = kindOf(node, parents[0])
    const changes =
      kind === 'expression' ? (isLink(node, parents) ? [] : changesOf({ node, parents, text })) : emptied(node, kind)
    if (kind && changes.length > 0) sites.set(node, { node, kind, changes })
    for (const child of childrenOf(node)) visit(child, [node, ...parents])
  }
  visit(program, [])
  return sites
}

/** A part of a chain cannot stand in brackets: the rest would be asked of what is not there. */
function isLink(node: Node, parents: readonly Node[]): boolean {
  const chain = parents.find(({ type }) => type === 'ChainExpression')
  return chain !== undefined && linksOf(chain.expression as Node).includes(node)
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
const EMPTIED = ['IfStatement', 'ForOfStatement', 'ForInStatement', 'ForStatement', 'TryStatement', 'CatchClause']

function kindOf(node: Node, parent: Node | undefined): Site['kind'] | null {
  if (node.type !== 'BlockStatement') return /Expression$|Literal$|^Identifier$/.test(node.type) ? 'expression' : null
  if (!parent || (node.body as Node[]).length === 0) return null
  if (FUNCTIONS.includes(parent.type)) return 'function'
  // An `if` without its block is a condition that never holds.
  return EMPTIED.includes(parent.type) && parent.consequent !== node ? 'block' : null
}

function emptied(node: Node, kind: Site['kind'] | null): Change[] {
  return kind && (node.body as Node[]).length > 0 ? [{ operator: 'block', to: '{}' }] : []
}

/** What a line of the log says is for people. */
function isLog(node: Node, text: (node: Node) => string): boolean {
  return node.type === 'CallExpression' && /^(\w+\.)*log(ger)?\??\.\w+$/.test(text(node.callee as Node))
}
