import { parseSync } from 'oxc-parser'

/** A node of the syntax tree, as ESTree names them. */
export interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** What a file says, as a tree; throws where it is not TypeScript. */
export function parse(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source)
  const [error] = errors
  if (error) throw new Error(`${file}: ${error.message}`)
  return program as unknown as Node
}

/** Fields that say nothing at run time, or that cannot be put in brackets. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  ImportDeclaration: ['specifiers', 'source', 'attributes'],
  ExportAllDeclaration: ['source', 'exported', 'attributes'],
  ExportNamedDeclaration: ['specifiers', 'source', 'attributes'],
  ImportExpression: ['source'],
  AssignmentExpression: ['left'],
  UpdateExpression: ['argument'],
  ForOfStatement: ['left'],
  ForInStatement: ['left'],
  NewExpression: ['callee'],
  TaggedTemplateExpression: ['tag'],
  LabeledStatement: ['label'],
}

const OF_TYPES = ['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'superClass', 'implements']

/** Nodes of types that hold an expression. */
const TYPED = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSInstantiationExpression']

/** The nodes right below one that are carried out, in the order of the file. */
export function childrenOf(node: Node): Node[] {
  const leftOut = LEFT_OUT[node.type] ?? []
  const children = Object.entries(node).flatMap(([field, value]) => {
    if (leftOut.includes(field) || OF_TYPES.includes(field)) return []
    if ((field === 'key' || field === 'property') && !node.computed) return []
    return (Array.isArray(value) ? value : [value]).filter(isNode)
  })
  return children.filter(isCarriedOut).sort((a, b) => a.start - b.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isCarriedOut({ type }: Node): boolean {
  return !type.startsWith('TS') || TYPED.includes(type)
}
