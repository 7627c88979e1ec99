import type { KnownField } from '../known/from.ts'

/* How alike two names of a field are, so that a person is shown the likeliest first. Nothing is read by its likeness. */

/** Words that mean the same in names of fields, the one that stands for the others first. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['id', 'identifier', 'ident', 'guid', 'uuid', 'key'],
  ['no', 'nr', 'num', 'number', 'code'],
  // A single unit is what has a price.
  ['quantity', 'qty', 'count', 'units', 'piece'],
  ['time', 'at', 'date', 'timestamp', 'datetime', 'on', 'when', 'moment'],
  ['store', 'shop', 'branch', 'outlet'],
  ['stock', 'warehouse', 'inventory', 'depot'],
  ['pos', 'till', 'register'],
  ['gtin', 'ean', 'barcode', 'upc'],
  ['amount', 'sum', 'value'],
  ['customer', 'client', 'member', 'buyer'],
  ['created', 'made', 'issued', 'registered'],
  ['receipt', 'ticket', 'slip'],
  ['email', 'mail'],
  ['phone', 'mobile', 'telephone', 'tel'],
  ['first', 'given', 'fore'],
  ['last', 'family', 'sur'],
  ['line', 'row', 'item', 'position', 'product', 'good', 'article'],
  ['status', 'state'],
  ['ext', 'external', 'foreign'],
  ['expected', 'planned', 'ordered', 'confirmed'],
  ['received', 'arrived', 'came'],
  ['from', 'source', 'origin', 'sender'],
  ['to', 'target', 'destination', 'receiver', 'dest'],
  ['vat', 'tax', 'mva', 'moms'],
  ['currency', 'valuta'],
]
const CANONICAL = new Map(SYNONYMS.flatMap(([first = '', ...others]) => others.map((word) => [word, first])))

/** Endings of names that are written without a sign of where a word begins (`SETTLEMENTID`). */
const ENDINGS = ['identifier', 'quantity', 'number', 'amount', 'date', 'time', 'code', 'type', 'guid', 'id', 'no']
const SHORTEST_BEGIN = 3

/** How alike a path of a schema is to a field that the hub reads: 1 is the same name, 0 has no word in common. */
export function likenessOf(name: string, { names }: Pick<KnownField, 'names'>, path: string): number {
  const ways = [path, leafOf(path)]
  const wanted = [name, ...names, ...names.map(leafOf)]
  return Math.max(...wanted.flatMap((own) => ways.map((way) => alike(own, way))))
}

/** Whether a name says that the field is a time. */
export function namesTime(path: string): boolean {
  return wordsOf(leafOf(path)).has('time')
}

/** Whether a name says that the field is a currency. */
export function namesCurrency(path: string): boolean {
  return wordsOf(leafOf(path)).has('currency')
}

/** What they stand in may be alike (`store.currency`, `Deal.Shop`): that says nothing of the field itself. */
function alike(one: string, other: string): number {
  if (plainOf(one) === plainOf(other)) return 1
  if (wordsOf(leafOf(one)).isDisjointFrom(wordsOf(leafOf(other)))) return 0
  const [ours, theirs] = [wordsOf(one), wordsOf(other)]
  const common = ours.intersection(theirs).size
  return common === 0 ? 0 : (0.99 * common) / ours.union(theirs).size
}

function wordsOf(name: string): Set<string> {
  const parts = name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[^\p{L}\p{N}]+/u)
  return new Set(
    parts
      .filter(Boolean)
      .flatMap((part) => splitEnding(part.toLowerCase()))
      .map(canonical),
  )
}

function splitEnding(word: string): string[] {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= SHORTEST_BEGIN)
  return ending === undefined || CANONICAL.has(word) ? [word] : [word.slice(0, -ending.length), ending]
}

function canonical(word: string): string {
  const single =
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') && word !== 'status' ? word.slice(0, -1) : word
  return CANONICAL.get(word) ?? CANONICAL.get(single) ?? single
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}
