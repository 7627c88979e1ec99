import { UserError } from '../../domain/values/errors.ts'
import { suggest } from '../../lib/suggest.ts'

/** Names of a template: texts, and lists with their fields. */
export type Shape = Readonly<Record<string, 'text' | readonly string[]>>
type Values = Readonly<Record<string, string | Record<string, string>[]>>

type Node =
  | { type: 'words'; words: string }
  | { type: 'text'; name: string }
  | { type: 'section'; name: string; inside: Node[] }

export type Template = readonly Node[]

interface Open {
  name: string
  line: number
  nodes: Node[]
}

const TAG = /\{\{([^{}]*)\}\}/g

/** `{{name}}` is a text, `{{#name}}…{{/name}}` repeats for a list, or shows if a text is not empty. No code, no files. Throws a UserError with the line. */
export function parseTemplate(source: string, shape: Shape): Template {
  const root: Open = { name: '', line: 1, nodes: [] }
  const open: Open[] = [root]
  let end = 0
  for (const match of source.matchAll(TAG)) {
    const [tag, inside = ''] = match
    const [, sign = '', name = ''] = /^([#/]?)\s*(.*)$/s.exec(inside.trim()) ?? []
    const inner = open.at(-1) ?? root
    const line = source.slice(0, match.index).split('\n').length
    inner.nodes.push({ type: 'words', words: source.slice(end, match.index) })
    end = match.index + tag.length
    if (sign === '/') close(open, name, line)
    else {
      const kind = kindOf(name, open, shape)
      if (kind === undefined) throw new UserError(`line ${line}: ${unknown(name, open, shape)}`)
      if (sign === '#') open.push({ name, line, nodes: [] })
      else if (kind === 'text') inner.nodes.push({ type: 'text', name })
      else throw new UserError(`line ${line}: {{${name}}} is a list: write {{#${name}}}…{{/${name}}}`)
    }
  }
  const inner = open.at(-1) ?? root
  if (open.length > 1) throw new UserError(`line ${inner.line}: {{#${inner.name}}} is never closed`)
  root.nodes.push({ type: 'words', words: source.slice(end) })
  return root.nodes
}

export function templateFault(source: string, shape: Shape): string | null {
  return faultIn(() => parseTemplate(source, shape))
}

/** The message of a thrown UserError, for a check of options. */
export function faultIn(read: () => unknown): string | null {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof UserError) return `Is no template: ${error.message.replace(/^line 1: /, '')}.`
    throw error
  }
}

export function namesIn(template: Template): string[] {
  return template.flatMap((node) =>
    node.type === 'words' ? [] : node.type === 'text' ? [node.name] : [node.name, ...namesIn(node.inside)],
  )
}

export function fillTemplate(
  template: Template,
  values: Values,
  safe: (value: string) => string = (value) => value,
): string {
  return template.map((node) => fillNode(node, values, safe)).join('')
}

function fillNode(node: Node, values: Values, safe: (value: string) => string): string {
  if (node.type === 'words') return node.words
  const value = values[node.name] ?? ''
  if (node.type === 'text') return typeof value === 'string' ? safe(value) : ''
  if (typeof value === 'string') return value === '' ? '' : fillTemplate(node.inside, values, safe)
  return value.map((item) => fillTemplate(node.inside, { ...values, ...item }, safe)).join('')
}

function close(open: Open[], name: string, line: number): void {
  const inner = open.at(-1)
  const outer = open.at(-2)
  if (!inner || !outer || inner.name !== name) throw new UserError(`line ${line}: {{/${name}}} closes nothing`)
  open.pop()
  outer.nodes.push({ type: 'section', name, inside: inner.nodes })
}

function kindOf(name: string, open: Open[], shape: Shape): 'text' | readonly string[] | undefined {
  const ofItems = open.flatMap((section) => fieldsOf(section.name, shape))
  if (ofItems.includes(name)) return 'text'
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

function fieldsOf(name: string, shape: Shape): readonly string[] {
  const fields = Object.hasOwn(shape, name) ? shape[name] : undefined
  return fields === undefined || fields === 'text' ? [] : fields
}

function unknown(name: string, open: Open[], shape: Shape): string {
  const names = [...open.flatMap((section) => fieldsOf(section.name, shape)), ...Object.keys(shape)]
  const near = suggest(name, names)
  return `there is no {{${name}}}${near ? `; did you mean {{${near}}}?` : `. There are: ${names.join(', ')}`}`
}
