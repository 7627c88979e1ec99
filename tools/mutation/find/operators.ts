import type { Node } from './syntax.ts'
import { isMessage, METHODS, OPERATORS, REMOVED } from './tables.ts'

/** A way to change a node: what stands there instead. */
export interface Change {
  operator: string
  to: string
}

/** A node, its parents (the nearest first), and the text of a node. */
export interface Place {
  node: Node
  parents: readonly Node[]
  text: (node: Node) => string
}

type Operator = (place: Place) => Change[]

/** Every way in which an expression is changed, by the type of its node. */
const BY_TYPE: Readonly<Record<string, Operator>> = {
  BinaryExpression: swapOperator,
  LogicalExpression: swapOperator,
  AssignmentExpression: swapOperator,
  UpdateExpression: ({ node, text }) => [
    { operator: 'arithmetic', to: text(node).replace(/\+\+|--/, (was) => (was === '++' ? '--' : '++')) },
  ],
  UnaryExpression: withoutSign,
  Literal: changeLiteral,
  TemplateLiteral: emptyTemplate,
  ArrayExpression: ({ node }) => ((node.elements as Node[]).length > 0 ? [{ operator: 'array', to: '[]' }] : []),
  ObjectExpression: ({ node }) => ((node.properties as Node[]).length > 0 ? [{ operator: 'object', to: '{}' }] : []),
  CallExpression: changeCall,
  ChainExpression: withoutQuestions,
}

/** The expressions that a function may give back, and that nothing else changes as a whole. */
const GIVEN_BACK = [
  'Identifier',
  'MemberExpression',
  'CallExpression',
  'AwaitExpression',
  'NewExpression',
  'ChainExpression',
]

/** Every change of one expression. */
export function changesOf(place: Place): Change[] {
  const own = BY_TYPE[place.node.type]?.(place) ?? []
  return [...own, ...decided(place), ...givenBack(place)]
}

/** A condition that always holds, or never; a loop that never ends is no question to a test. */
function decided({ node, parents: [parent] }: Place): Change[] {
  if (parent?.test !== node || parent.type === 'SwitchCase') return []
  const never = { operator: 'condition', to: 'false' }
  const loops = ['WhileStatement', 'DoWhileStatement', 'ForStatement'].includes(parent.type)
  return loops ? [never] : [{ operator: 'condition', to: 'true' }, never]
}

/** A result that is not there. */
function givenBack({ node, parents: [parent], text }: Place): Change[] {
  const isBack =
    (parent?.type === 'ReturnStatement' && parent.argument === node) ||
    (parent?.type === 'ArrowFunctionExpression' && parent.body === node)
  if (!isBack || !GIVEN_BACK.includes(node.type) || text(node) === 'undefined') return []
  return [{ operator: 'return', to: 'undefined' }]
}

function swapOperator({ node, text }: Place): Change[] {
  const [left, right] = [node.left as Node, node.right as Node]
  if (node.operator === '+' && (isText(left) || isText(right))) return []
  if (node.operator === '+=' && isText(right)) return []
  const { operator, to = [] } = OPERATORS[node.operator as string] ?? {}
  // What bound closer than the operator did may not bind closer than the other one.
  const side = (one: Node) => (/^(Binary|Logical)/.test(one.type) ? `(${text(one)})` : text(one))
  return operator ? to.map((other) => ({ operator, to: `${side(left)} ${other} ${side(right)}` })) : []
}

/** Texts are put together with a plus, too; there is no minus of them. */
function isText(node: Node): boolean {
  if (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')) return true
  return (
    node.type === 'BinaryExpression' &&
    node.operator === '+' &&
    (isText(node.left as Node) || isText(node.right as Node))
  )
}

function withoutSign({ node, text }: Place): Change[] {
  const inner = text(node.argument as Node)
  if (node.operator === '!') return [{ operator: 'negation', to: inner }]
  if (node.operator === '-') return [{ operator: 'arithmetic', to: `+${inner}` }]
  return []
}

function changeLiteral({ node, parents }: Place): Change[] {
  const [parent] = parents
  if (typeof node.value === 'boolean') return [{ operator: 'boolean', to: String(!node.value) }]
  if (typeof node.value !== 'string' || isMessage(node.value) || isName(parents)) return []
  // What `typeof` says is compared: that is a condition already.
  const compared = [parent?.left, parent?.right].some((side) => (side as Node | undefined)?.operator === 'typeof')
  if (compared || parent?.type === 'ExpressionStatement') return []
  return [{ operator: 'string', to: node.value === '' ? `'mutated'` : `''` }]
}

/** A word that stands for itself: a constant of a file (`FIND_FAILED`), the name of an error. Another one would do as well. */
function isName(parents: readonly Node[]): boolean {
  const [parent, ...above] = parents.filter(({ type }) => type !== 'TSAsExpression')
  if (parent?.type === 'PropertyDefinition') return (parent.key as Node).name === 'name'
  const isConstant = parent?.type === 'VariableDeclarator' && above[0]?.type === 'VariableDeclaration'
  return isConstant && (above[1]?.type === 'Program' || above[1]?.type === 'ExportNamedDeclaration')
}

function emptyTemplate({ node, parents: [parent] }: Place): Change[] {
  const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
  if (parent?.type === 'TaggedTemplateExpression' || parts.some(isMessage)) return []
  return [{ operator: 'string', to: '``' }]
}

function changeCall({ node, parents: [parent], text }: Place): Change[] {
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression' || callee.computed || parent?.type === 'ChainExpression') return []
  const [object, method] = [callee.object as Node, callee.property as Node]
  const name = text(method)
  const other = METHODS.get(name)
  const rest = text(node).slice(method.end - node.start)
  const before = text(node).slice(0, method.start - node.start)
  if (other) return [{ operator: 'method', to: `${before}${other}${rest}` }]
  return REMOVED.includes(name) && object.type !== 'Super' ? [{ operator: 'method', to: text(object) }] : []
}

/** Each `?.` of a chain taken for certain. */
function withoutQuestions({ node, text }: Place): Change[] {
  const whole = text(node)
  return linksOf(node.expression as Node).flatMap((link) => {
    if (!link.optional) return []
    const before = (link.object ?? link.callee) as Node
    const at = whole.indexOf('?.', before.end - node.start)
    const after = whole.slice(at + 2)
    return [{ operator: 'chain', to: `${whole.slice(0, at)}${/^[[(]/.test(after) ? '' : '.'}${after}` }]
  })
}

/** The members and calls that a chain consists of. */
export function linksOf(node: Node): Node[] {
  const before = (node.object ?? node.callee ?? (node.type === 'TSNonNullExpression' ? node.expression : undefined)) as
    | Node
    | undefined
  return before ? [node, ...linksOf(before)] : []
}
