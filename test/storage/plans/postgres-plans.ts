import type { ClientBase } from 'pg'
import { NARROW, SMALL } from './grows.ts'

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Sort Key'?: string[]
  Plans?: Node[]
}

/** What a statement's plan says that may cost the more the more there is. `values`: null: whatever is asked, the plan is one. */
export async function worriesOf(
  client: ClientBase,
  text: string,
  values: readonly unknown[] | null,
): Promise<string[]> {
  const plan = values === null ? await genericPlan(client, text) : await planFor(client, text, values)
  const worries = nodesOf(plan).flatMap((node) => worryOf(node) ?? [])
  const sorts = nodesOf(plan).flatMap((node) => (node['Node Type'] === 'Sort' ? [`Sort by ${node['Sort Key']}`] : []))
  // A sort of few costs nothing.
  return worries.length > 0 ? [...worries, ...sorts] : []
}

function worryOf(node: Node): string | null {
  const {
    'Node Type': type,
    'Relation Name': table = '',
    'Index Name': index = '',
    'Index Cond': condition = '',
  } = node
  if (type === 'Seq Scan') return table in SMALL ? null : `Seq Scan ${table}`
  if (!type.includes('Index') || table in SMALL) return null
  // The first or the last one.
  if (condition === '(id IS NOT NULL)') return null
  const equal = Array.from(condition.matchAll(/\(?(\w+)(?:::\w+)? = /g), ([, column = '']) => column)
  if (equal.some((column) => NARROW.has(column))) return null
  // Of a stretch of ids both ends are given.
  if (/\bid >=? .*\bid <=? /.test(condition)) return null
  return `${type} ${index} ${condition}`.trim()
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

async function planFor(client: ClientBase, text: string, values: readonly unknown[]): Promise<Node> {
  const { rows } = await client.query(`explain (format json) ${text}`, [...values])
  return rows[0]['QUERY PLAN'][0].Plan
}

/** The plan of a prepared statement, as the server goes on with after its first uses. */
async function genericPlan(client: ClientBase, text: string): Promise<Node> {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, nth]) => Number(nth)))
  const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`
  await client.query(`prepare asked as ${text}`)
  try {
    const { rows } = await client.query(`explain (format json) execute asked${values}`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate asked')
  }
}
